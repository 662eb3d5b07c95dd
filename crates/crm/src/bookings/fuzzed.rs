//! Webhooks of calendars that nobody wrote.

use frontdesk_fuzz::Target;

use super::notice::Notice;

#[test]
fn fuzzed_webhooks_of_calendars_are_read_or_refused() {
    let examples = [
        r#"{"triggerEvent":"BOOKING_CREATED","payload":{"uid":"abc","title":"Talk","startTime":"2026-01-31T10:00:00+01:00","endTime":"2026-01-31T09:30:00Z","attendees":[{"name":"Ann","email":"ann@example.com","phoneNumber":"+14155550123"}]}}"#,
        r#"{"triggerEvent":"BOOKING_RESCHEDULED","payload":{"uid":"abd","rescheduleUid":"abc","startTime":"2026-01-31T10:00:00Z","endTime":"2026-01-31T11:00:00Z","attendees":[]}}"#,
        r#"{"triggerEvent":"MEETING_ENDED","uid":"abc","attendees":[{"name":""},{"email":"x@example.com","phoneNumber":"0151/0000489"}]}"#,
        r#"{"triggerEvent":"BOOKING_CANCELLED","payload":{"uid":"abc"}}"#,
    ];
    let words = [
        "triggerEvent",
        "payload",
        "uid",
        "startTime",
        "endTime",
        "attendees",
        "PING",
        r"\u0000",
        r"\ud800",
        "null",
    ];
    let country = "DE".parse().ok();
    Target::new("booking").examples(examples).words(words).run(|bytes| match Notice::read(bytes, country) {
        Ok(Some(notice)) => {
            assert!(!notice.uid.trim().is_empty() && notice.uid.chars().count() <= 255);
            assert!(notice.old_uid.as_ref() != Some(&notice.uid));
            assert!(notice.title().chars().count() <= 500 && !notice.title().contains('\0'));
            assert!(notice.times.is_none_or(|(start, end)| start <= end));
            (2, notice.times.is_some(), notice.person.phone.is_some(), notice.person.email.is_some())
        }
        Ok(None) => (1, false, false, false),
        Err(failure) => (0, failure.details().len() > 1, false, false),
    });
}
