//! Everything here that reads text or bytes of strangers, with inputs that nobody wrote.

use std::str::{FromStr, from_utf8};

use frontdesk_fuzz::Target;
use uuid::Uuid;

use crate::country::Country;
use crate::cursor::Seal;
use crate::date::Date;
use crate::email::Email;
use crate::key;
use crate::phone::Phone;
use crate::scope::Scopes;
use crate::storable;
use crate::time::Timestamp;

#[test]
fn fuzzed_cursors_open_only_as_they_were_closed() {
    let seal = Seal::new(&[9; 32], "/contacts", Uuid::from_u128(1), &[("q", "ann")]);
    let other = Seal::new(&[9; 32], "/contacts", Uuid::from_u128(2), &[("q", "ann")]);
    let (id, moment) = (Uuid::from_u128(7), Timestamp::from_millis(1_800_000_000_000));
    let foreign = other.close(id);
    let examples = [seal.close(id), seal.close_at(moment, id), seal.close_key("ann", id), foreign];
    Target::new("cursor").examples(examples).words(["-", "_", "=", "AAAA"]).bytes_max(8 << 10).run(|bytes| {
        let Ok(text) = from_utf8(bytes) else { return 0 };
        assert!(text.len() < 20 || other.open(text).is_none() || seal.open(text).is_none());
        let by_id = seal.open(text).map(|id| seal.close(id));
        let by_moment = seal.open_at(text).map(|(moment, id)| seal.close_at(moment, id));
        let by_key = seal.open_key(text).map(|(key, id)| seal.close_key(&key, id));
        for closed in [&by_id, &by_moment, &by_key].into_iter().flatten() {
            assert_eq!(closed, text, "one place has one cursor");
        }
        u8::from(by_id.is_some()) + 2 * u8::from(by_moment.is_some()) + 4 * u8::from(by_key.is_some())
    });
}

#[test]
fn fuzzed_authorization_is_a_key_of_the_right_shape_or_none() {
    let key = key::mint(&[7; 32]);
    let header = format!("Bearer {}", key.reveal());
    let words = ["Bearer ", "bearer ", "Basic ", key::KEY_PREFIX, "\t", " "];
    Target::new("authorization").examples([&header]).words(words).bytes_max(4 << 10).run(|bytes| {
        let read = key::from_authorization(bytes);
        if let Some(hash) = read {
            assert_eq!(bytes.len(), header.len());
            assert!(bytes[..7].eq_ignore_ascii_case(b"Bearer ") && bytes.is_ascii());
            assert_eq!(hash, key::hash(&bytes[7..]));
        }
        read.is_some()
    });
}

#[test]
fn fuzzed_phones_are_printed_as_they_are_read() {
    let examples =
        ["+14155550123", "0049 (30) 1234-5678", "+55 11 98765-4321", "030 123456", "00 1 415 555 0123"];
    let words =
        ["+", "00", "0", "\u{a0}", "(", ")", "-", ".", "/", "\u{2011}", "\u{202f}", "55", "549", "39"];
    let countries =
        ["DE", "US", "IT", "BR", "AR", "GB"].map(|code| code.parse::<Country>().expect("a country"));
    Target::new("phone").examples(examples).words(words).bytes_max(4 << 10).run(|bytes| {
        let Ok(text) = from_utf8(bytes) else { return 0 };
        let check = |phone: &Phone| {
            let printed = phone.as_str();
            assert!((8..=16).contains(&printed.len()) && printed.starts_with('+'), "{printed}");
            assert!(phone.digits().bytes().all(|byte| byte.is_ascii_digit()));
            assert_eq!(Phone::from_str(printed).as_ref(), Ok(phone));
            let key = Phone::from_str(&format!("+{}", phone.key()));
            assert!(key.is_err() || key.is_ok_and(|key| key.key() == phone.key()), "a key is its own key");
        };
        let read = Phone::from_str(text);
        read.iter().for_each(check);
        let mut known = 0;
        for country in countries {
            if let Ok(phone) = Country::read_phone(Some(country), text) {
                check(&phone);
                known += 1;
            }
        }
        known * 2 + u32::from(read.is_ok())
    });
}

#[test]
fn fuzzed_times_and_dates_are_printed_as_they_are_read() {
    let examples =
        ["2026-01-31T09:30:00Z", "2026-01-31T09:30:00.123+01:00", "2026-01-31", "-009999-12-31T00:00:00Z"];
    let words =
        ["T", "Z", "+", "-", ":", ".", "[Europe/Berlin]", "24:00:00", "23:59:60", "9999-12-31", "+23:59"];
    Target::new("time").examples(examples).words(words).bytes_max(4 << 10).run(|bytes| {
        let Ok(text) = from_utf8(bytes) else { return 0 };
        let (time, date) = (Timestamp::from_str(text), Date::from_str(text));
        if let Ok(time) = &time {
            assert_eq!(Timestamp::from_str(&time.to_string()).ok(), Some(*time), "{time}");
        }
        if let Ok(date) = &date {
            assert_eq!(Date::from_str(&date.to_string()).ok(), Some(*date), "{date}");
        }
        u8::from(time.is_ok()) + 2 * u8::from(date.is_ok())
    });
}

#[test]
fn fuzzed_addresses_of_mails_and_scopes_are_printed_as_they_are_read() {
    let examples = ["ann@example.com", "a.b+c@x-y.example", "contacts:read,deals:write"];
    Target::new("email").examples(examples).words(["@", ".", "..", ",", "contacts:write"]).run(|bytes| {
        let Ok(text) = from_utf8(bytes) else { return 0 };
        let email = Email::from_str(text);
        if let Ok(email) = &email {
            assert!(
                email.as_str().len() <= 320 && !email.as_str().contains(['\r', '\n', '\0', ' ']),
                "{email:?}"
            );
            assert_eq!(Email::from_str(email.as_str()).as_ref(), Ok(email));
        }
        u8::from(email.is_ok()) + 2 * u8::from(Scopes::parse(text).is_ok())
    });
}

#[test]
fn fuzzed_json_of_vendors_can_be_stored() {
    let examples: [&[u8]; 4] = [
        br#"{"text":"a\u0000b\\u0000\ud83d\ude00 \ud800 \udc00x"}"#,
        br#"["\\\u0000","\\\\u0000"]"#,
        b"{\"text\":\"\xff\xfe\"}",
        br#"{"a\u0000":1}"#,
    ];
    let words = [r"\u0000", r"\ud800", r"\udc00", r"\\", r#"\""#, r"\u", "\u{FFFD}"];
    Target::new("storable").examples(examples).words(words).run(|bytes| {
        let cleaned = storable::json(bytes);
        assert!(from_utf8(&cleaned).is_ok());
        // Invalid UTF-8 and escapes get replaced by three and six bytes.
        assert!(cleaned.len() <= 3 * bytes.len());
        assert_eq!(storable::json(&cleaned), cleaned, "cleaning once is enough");
        let beginning = storable::beginning(bytes, 100);
        assert!(beginning.is_none_or(|text| text.len() <= 100 && !text.contains('\0')));
        let value = serde_json::from_slice::<serde_json::Value>(&cleaned);
        if let Ok(value) = &value {
            // The print writes a NUL as an escape, and a backslash as two.
            assert!(!value.to_string().replace(r"\\", "").contains(r"\u0000"), "{value}");
        }
        (value.is_ok(), cleaned.len() == bytes.len())
    });
}
