//! When a trigger is due next. Pure.

use frontdesk_kernel::Timestamp;

use crate::schedule::{Days, Recurrence};
use crate::trigger::{Trigger, TriggerKind, TriggerPeriod};

/// The schedule of a recurring trigger.
fn recurrence(trigger: &Trigger) -> Option<Recurrence> {
    let days = match trigger.period? {
        TriggerPeriod::Daily => Days::Every,
        TriggerPeriod::Weekly => Days::OfWeek(trigger.day_of_week?),
        TriggerPeriod::Monthly => Days::OfMonth(trigger.day_of_month?),
    };
    Some(Recurrence { days, at: trigger.send_time? })
}

/// The next due time of a trigger, whether or not it is enabled. `fired_for` is the last due time that it fired for. No
/// time up to that one is due again, whatever this server's clock says. A one-off whose time has passed is due if it
/// has not fired for that time.
pub(crate) fn next(
    trigger: &Trigger,
    fired_for: Option<Timestamp>,
    timezone: &str,
    now: Timestamp,
) -> Option<Timestamp> {
    match trigger.kind {
        TriggerKind::Recurring => {
            let after = fired_for.map_or(now, |fired| fired.max(now));
            recurrence(trigger)?.next_after(after, timezone)
        }
        TriggerKind::Once => trigger.run_at.filter(|at| Some(*at) != fired_for),
        TriggerKind::Event | TriggerKind::Webhook => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_web::Example;

    fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_clock_that_is_behind_does_not_bring_a_time_back() {
        let trigger = Trigger::example();
        let monday = moment("2026-06-01T09:00:00Z");
        let next = |fired| next(&trigger, fired, "UTC", moment("2026-06-01T08:59:59Z"));
        assert_eq!(next(None), Some(monday));
        assert_eq!(next(Some(monday)), Some(moment("2026-06-08T09:00:00Z")));
    }

    #[test]
    fn a_one_off_is_due_until_it_has_fired() {
        let at = moment("2026-06-01T09:00:00Z");
        let trigger = Trigger { kind: TriggerKind::Once, run_at: Some(at), ..Trigger::example() };
        let later = moment("2026-06-02T00:00:00Z");
        assert_eq!(next(&trigger, None, "UTC", later), Some(at));
        assert_eq!(next(&trigger, Some(at), "UTC", later), None);
        let moved = Trigger { run_at: Some(later), ..trigger };
        assert_eq!(next(&moved, Some(at), "UTC", later), Some(later));
    }

    #[test]
    fn only_schedules_have_due_times() {
        for kind in [TriggerKind::Event, TriggerKind::Webhook] {
            let trigger = Trigger { kind, ..Trigger::example() };
            assert_eq!(next(&trigger, None, "UTC", moment("2026-06-01T00:00:00Z")), None);
        }
    }
}
