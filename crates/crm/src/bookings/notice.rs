//! Parses a calendar's webhook.
//!
//! Only the booking's identity is required. Invalid data of an attendee, such as a number that cannot exist, is left out and
//! never fails the rest.

use frontdesk_kernel::text::is_blank;
use frontdesk_kernel::{Country, Text, Timestamp, storable};
use frontdesk_web::{Failure, Problems, Result};
use serde_json::Value;

use super::status::NoticeKind;
use crate::contacts::Person;

const UID_CHARS_MAX: usize = 255;
const TITLE_CHARS_MAX: usize = 500;
/// The default title of a booking.
const TITLE_DEFAULT: &str = "Booking";

/// A calendar's webhook about a booking.
#[derive(Clone, Debug)]
pub(super) struct Notice {
    pub(super) kind: NoticeKind,
    pub(super) uid: String,
    /// The booking's uid before it was rescheduled; Cal.com then assigns another one.
    pub(super) old_uid: Option<String>,
    pub(super) title: Option<String>,
    /// When it begins and ends.
    pub(super) times: Option<(Timestamp, Timestamp)>,
    pub(super) person: Person,
}

impl Notice {
    /// None for a webhook about anything else, such as a test of the connection. A number without a country code is one of
    /// the country.
    pub(super) fn read(body: &[u8], country: Option<Country>) -> Result<Option<Self>> {
        let call: Value = serde_json::from_slice(&storable::json(body))
            .map_err(|wrong| Failure::bad_request(format!("The body is not JSON: {wrong}.")))?;
        let Some(trigger) = call.get("triggerEvent").and_then(Value::as_str) else {
            return Err(Failure::validation(Problems::one("triggerEvent", "is required")));
        };
        let Some(kind) = NoticeKind::of(trigger) else { return Ok(None) };
        // Cal.com sends the booking of MEETING_ENDED next to the trigger, and all others below it.
        let (payload, at) = match call.get("payload") {
            Some(payload) => (payload, "payload."),
            None => (&call, ""),
        };
        let mut problems = Problems::new();
        let uid = text(payload, "uid", UID_CHARS_MAX);
        if uid.is_none() {
            problems.add(format!("{at}uid"), format!("must be a text of 1 to {UID_CHARS_MAX} characters"));
        }
        let [start, end] = ["startTime", "endTime"]
            .map(|field| moment(payload, field, at, kind.needs_times(), &mut problems));
        if let (Some(start), Some(end)) = (start, end)
            && end < start
        {
            problems.add(format!("{at}endTime"), "must not be before startTime");
        }
        match uid.filter(|_| problems.is_empty()) {
            None => Err(Failure::validation(problems)),
            Some(uid) => Ok(Some(Self {
                kind,
                old_uid: text(payload, "rescheduleUid", UID_CHARS_MAX).filter(|old| *old != uid),
                uid,
                title: text(payload, "title", usize::MAX)
                    .map(|title| title.chars().take(TITLE_CHARS_MAX).collect()),
                times: start.zip(end),
                person: person(payload, country),
            })),
        }
    }

    pub(super) fn title(&self) -> String {
        self.title.clone().unwrap_or_else(|| TITLE_DEFAULT.to_owned())
    }
}

impl NoticeKind {
    /// Whether the booking's times are required.
    fn needs_times(self) -> bool {
        matches!(self, Self::Created | Self::Rescheduled)
    }
}

/// A text that is present, not blank, not too long, and can be stored.
fn text(value: &Value, field: &str, chars_max: usize) -> Option<String> {
    let text = value.get(field)?.as_str()?.trim().to_owned();
    (!is_blank(&text) && text.chars().count() <= chars_max).then_some(text)
}

fn moment(value: &Value, field: &str, at: &str, needed: bool, problems: &mut Problems) -> Option<Timestamp> {
    let given = value.get(field).filter(|given| !given.is_null());
    match (given, given.and_then(Value::as_str).and_then(|text| text.parse().ok())) {
        (None, _) if needed => problems.add(format!("{at}{field}"), "is required"),
        (Some(_), None) => {
            problems.add(format!("{at}{field}"), "must be a date-time such as 2026-01-31T09:30:00Z");
        }
        (_, moment) => return moment,
    }
    None
}

/// The first attendee with a name, email or phone.
fn person(payload: &Value, country: Option<Country>) -> Person {
    let attendees = payload.get("attendees").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let people = attendees.iter().map(|attendee| Person {
        name: text(attendee, "name", usize::MAX)
            .and_then(|name| name.chars().take(200).collect::<String>().parse::<Text<200>>().ok()),
        phone: text(attendee, "phoneNumber", usize::MAX)
            .and_then(|phone| Country::read_phone(country, &phone).ok()),
        email: text(attendee, "email", usize::MAX).and_then(|email| email.parse().ok()),
    });
    let mut people: Vec<Person> = people.collect();
    let reachable = people.iter().position(|person| person.phone.is_some() || person.email.is_some());
    if people.is_empty() { Person::default() } else { people.swap_remove(reachable.unwrap_or(0)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(call: &Value) -> Result<Option<Notice>> {
        Notice::read(call.to_string().as_bytes(), None)
    }

    #[test]
    fn a_booking_is_read_below_its_trigger_or_beside_it() {
        let booking = json!({
            "uid": "abc", "title": " Talk ", "startTime": "2026-01-31T10:00:00+01:00", "endTime": "2026-01-31T09:30:00Z",
            "attendees": [{ "name": "Nobody" }, { "name": "Ann", "email": "ann@example.com", "phoneNumber": "+14155550123" }],
        });
        let mut beside = booking.clone();
        beside["triggerEvent"] = json!("MEETING_ENDED");
        for call in [json!({ "triggerEvent": "MEETING_ENDED", "payload": booking }), beside] {
            let notice = read(&call).unwrap().unwrap();
            assert_eq!(
                (notice.kind, notice.uid.as_str(), notice.title().as_str()),
                (NoticeKind::Ended, "abc", "Talk")
            );
            let (start, end) = notice.times.unwrap();
            assert_eq!(end.millis() - start.millis(), 30 * 60 * 1000);
            assert_eq!(notice.person.phone.unwrap().as_str(), "+14155550123");
        }
    }

    #[test]
    fn malformed_fields_of_an_attendee_are_left_out() {
        let call = json!({ "triggerEvent": "BOOKING_CANCELLED", "payload": { "uid": "abc", "rescheduleUid": "abc",
            "attendees": [{ "name": "x".repeat(500), "email": "nowhere", "phoneNumber": 7 }] } });
        let notice = read(&call).unwrap().unwrap();
        assert_eq!(
            (notice.person.name.unwrap().as_str().len(), notice.times, notice.old_uid),
            (200, None, None)
        );
        assert!(notice.person.email.is_none() && notice.person.phone.is_none());
    }

    #[test]
    fn a_number_of_an_attendee_is_read_as_people_of_the_country_write_it() {
        let phone = |written: &str, country: &str| {
            let call = json!({ "triggerEvent": "BOOKING_CANCELLED", "payload": { "uid": "abc",
                "attendees": [{ "email": "ann@example.com", "phoneNumber": written }] } });
            let notice = Notice::read(call.to_string().as_bytes(), country.parse().ok()).unwrap().unwrap();
            assert!(notice.person.email.is_some());
            notice.person.phone.map(|phone| phone.to_string())
        };
        for written in ["0151/0000489", "1510000489", "+49 (0)151 0000489", "+4901510000489"] {
            assert_eq!(phone(written, "DE").as_deref(), Some("+491510000489"), "{written}");
        }
        assert_eq!(phone("+4901510000489", "").as_deref(), Some("+491510000489"));
        assert_eq!(phone("+1 415 555 0123", "DE").as_deref(), Some("+14155550123"));
        for (written, country) in
            [("0151 0000489", ""), ("+1 (115) 555-0123", "DE"), ("12", "DE"), ("call me", "DE")]
        {
            assert_eq!(phone(written, country), None, "{written}");
        }
    }

    #[test]
    fn all_problems_of_a_notice_are_reported_at_once() {
        let said = |call: Value| {
            let failure = read(&call).unwrap_err();
            let paths = failure.details().iter().map(|detail| detail["path"].as_str().unwrap().to_owned());
            paths.collect::<Vec<_>>()
        };
        let nothing = json!({ "triggerEvent": "BOOKING_CREATED", "payload": { "startTime": "soon" } });
        assert_eq!(said(nothing), ["payload.uid", "payload.startTime", "payload.endTime"]);
        assert_eq!(said(json!({})), ["triggerEvent"]);
        let backwards = json!({ "triggerEvent": "BOOKING_CREATED", "payload": {
            "uid": "a", "startTime": "2026-01-31T10:00:00Z", "endTime": "2026-01-31T09:00:00Z" } });
        assert_eq!(said(backwards), ["payload.endTime"]);
        assert!(read(&json!({ "triggerEvent": "PING" })).unwrap().is_none());
        assert!(Notice::read(b"{", None).is_err());
    }
}
