//! Reads values from JSON of any shape.
//!
//! Vendors' webhooks vary: fields come and go, numbers arrive as text. These readers never fail; a value that
//! is absent, blank or of another type is `None`, so that one odd message does not affect the others. Every
//! string of a vendor is read here, and can then be stored.

use frontdesk_kernel::{Timestamp, storable};
use serde_json::Value;

/// The last millisecond of the year 9999. A later time cannot be printed.
const MILLIS_MAX: f64 = 253_402_300_799_999.0;
const SECOND_MILLIS: f64 = 1000.0;

/// Why a webhook's body could not be parsed.
#[derive(Debug, thiserror::Error)]
#[error("the body is not this channel's JSON: {0}")]
pub struct Unreadable(pub String);

/// The JSON of a webhook's body.
pub(crate) fn webhook(body: &[u8]) -> Result<Value, Unreadable> {
    serde_json::from_slice(&storable::json(body)).map_err(|error| Unreadable(error.to_string()))
}

/// The JSON of a response, or null if it is not JSON: a response's status is enough.
pub(crate) fn body_json(body: &[u8]) -> Value {
    serde_json::from_slice(&storable::json(body)).unwrap_or_default()
}

/// Text that is not blank. An integer is read as text, because ids are written both ways.
pub(crate) fn text(value: &Value, key: &str) -> Option<String> {
    match &value[key] {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}

/// A list's items; none if it is not a list.
pub(crate) fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// A finite number, also as text.
pub(crate) fn number(value: &Value, key: &str) -> Option<f64> {
    let number = match &value[key] {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// An integer, also as text.
pub(crate) fn whole(value: &Value, key: &str) -> Option<i64> {
    match &value[key] {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A time in seconds since 1970.
pub(crate) fn seconds(value: &Value, key: &str) -> Option<Timestamp> {
    moment(number(value, key)? * SECOND_MILLIS)
}

/// A time in milliseconds since 1970.
pub(crate) fn millis(value: &Value, key: &str) -> Option<Timestamp> {
    moment(number(value, key)?)
}

fn moment(millis: f64) -> Option<Timestamp> {
    (0.0..=MILLIS_MAX).contains(&millis).then(|| Timestamp::from_millis(millis.round() as i64))
}

/// Whether text is nothing but digits.
pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The digits of a number however it is written.
pub(crate) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn moments_are_read_from_numbers_and_from_text() {
        let value = json!({"a": "1700000000", "b": 1_700_000_000, "c": 1_700_000_000.25, "d": true, "e": -1});
        assert_eq!(seconds(&value, "a"), Some(Timestamp::from_millis(1_700_000_000_000)));
        assert_eq!(seconds(&value, "b"), Some(Timestamp::from_millis(1_700_000_000_000)));
        assert_eq!(seconds(&value, "c"), Some(Timestamp::from_millis(1_700_000_000_250)));
        for wrong in ["d", "e", "absent"] {
            assert_eq!(seconds(&value, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn blank_text_is_no_text() {
        let value = json!({"blank": " \n", "id": 12, "list": []});
        assert_eq!(text(&value, "blank"), None);
        assert_eq!(text(&value, "id").as_deref(), Some("12"));
        assert_eq!(text(&value, "list"), None);
        assert_eq!(text(&json!("no object"), "any"), None);
    }

    proptest! {
        #[test]
        fn every_moment_that_is_read_can_be_written(number in any::<f64>()) {
            let value = json!({"t": number});
            for moment in [seconds(&value, "t"), millis(&value, "t")].into_iter().flatten() {
                prop_assert_eq!(moment.to_string().parse(), Ok(moment));
            }
        }
    }
}
