//! The status of a booking, and how a calendar's webhook changes it.

use frontdesk_web::choice;

choice! {
    /// The status of a booking.
    pub enum BookingStatus {
        Scheduled => "scheduled",
        Completed => "completed",
        Cancelled => "cancelled",
    }
}

frontdesk_db::text_column!(BookingStatus);

/// The content of a calendar's webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoticeKind {
    Created,
    Rescheduled,
    Cancelled,
    Ended,
}

impl NoticeKind {
    /// By Cal.com's name for it; none for triggers that do not concern a booking.
    pub(super) fn of(trigger: &str) -> Option<Self> {
        match trigger {
            "BOOKING_CREATED" => Some(Self::Created),
            "BOOKING_RESCHEDULED" => Some(Self::Rescheduled),
            "BOOKING_CANCELLED" => Some(Self::Cancelled),
            "MEETING_ENDED" => Some(Self::Ended),
            _ => None,
        }
    }
}

/// The effect of a calendar's webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An unknown booking is created with this status.
    Create(BookingStatus),
    /// The booking gets other times, and is scheduled.
    Move,
    /// The booking ends.
    End(BookingStatus),
    Nothing,
}

/// The effect of a webhook about a booking with this status, or an unknown one. `ahead` says that the
/// webhook's times are not past yet.
pub(super) fn step(known: Option<BookingStatus>, kind: NoticeKind, ahead: bool) -> Step {
    use BookingStatus::{Cancelled, Completed, Scheduled};
    match (known, kind) {
        (None, NoticeKind::Created | NoticeKind::Rescheduled) => Step::Create(Scheduled),
        // Webhooks may arrive out of order, and a calendar may have bookings when it is connected.
        (None, NoticeKind::Cancelled) => Step::Create(Cancelled),
        (None, NoticeKind::Ended) => Step::Create(Completed),
        (Some(Scheduled), NoticeKind::Rescheduled) => Step::Move,
        // The booking was completed by time before the calendar reported that it was postponed.
        (Some(Completed), NoticeKind::Rescheduled) if ahead => Step::Move,
        (Some(Scheduled), NoticeKind::Cancelled) => Step::End(Cancelled),
        (Some(Scheduled), NoticeKind::Ended) => Step::End(Completed),
        // A duplicate, or too late.
        (Some(_), NoticeKind::Created)
        | (
            Some(Completed | Cancelled),
            NoticeKind::Rescheduled | NoticeKind::Cancelled | NoticeKind::Ended,
        ) => Step::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::BookingStatus::{Cancelled, Completed, Scheduled};
    use super::*;

    const KINDS: [NoticeKind; 4] =
        [NoticeKind::Created, NoticeKind::Rescheduled, NoticeKind::Cancelled, NoticeKind::Ended];

    #[test]
    fn a_booking_reaches_its_status_in_any_order_of_webhooks() {
        let after = |known| KINDS.map(|kind| step(known, kind, true));
        assert_eq!(
            after(None),
            [
                Step::Create(Scheduled),
                Step::Create(Scheduled),
                Step::Create(Cancelled),
                Step::Create(Completed)
            ]
        );
        assert_eq!(
            after(Some(Scheduled)),
            [Step::Nothing, Step::Move, Step::End(Cancelled), Step::End(Completed)]
        );
        assert_eq!(after(Some(Completed)), [Step::Nothing, Step::Move, Step::Nothing, Step::Nothing]);
        assert_eq!(after(Some(Cancelled)), [Step::Nothing; 4]);
        assert_eq!(step(Some(Completed), NoticeKind::Rescheduled, false), Step::Nothing);
    }

    #[test]
    fn no_webhook_ends_a_booking_twice() {
        for end in [Completed, Cancelled] {
            for kind in KINDS {
                assert!(
                    !matches!(step(Some(end), kind, true), Step::End(_) | Step::Create(_)),
                    "{end} {kind:?}"
                );
            }
        }
    }
}
