use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;

#[derive(Serialize)]
struct Everything<'a> {
    text: &'a str,
    #[serde(rename = "größe")]
    renamed: Option<&'a str>,
    nothing: Option<i64>,
    unit: (),
    tuple: (bool, char, u8, i64, f64),
    variants: Vec<Variant<'a>>,
    map: BTreeMap<&'a str, Vec<Wrapped>>,
    raw: &'a RawValue,
    #[serde(flatten)]
    flat: Flat,
    empty: Empty,
}

#[derive(Serialize)]
enum Variant<'a> {
    Unit,
    Newtype(&'a str),
    Tuple(i64, &'a str),
    Struct { a: i64, b: Option<&'a str> },
}

#[derive(Serialize)]
struct Wrapped(f32);

#[derive(Serialize)]
struct Pair(i64, i64);

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
struct Flat {
    pair: Pair,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<i64>,
}

fn everything(text: &str, raw: &RawValue) -> String {
    let variants = vec![
        Variant::Unit,
        Variant::Newtype(text),
        Variant::Tuple(-1, text),
        Variant::Struct { a: 1, b: Some(text) },
    ];
    let value = Everything {
        text,
        renamed: Some(text),
        nothing: None,
        unit: (),
        tuple: (true, '"', 255, i64::MIN, 0.1),
        variants,
        map: BTreeMap::from([(text, vec![Wrapped(1.5), Wrapped(f32::NAN)]), ("", Vec::new())]),
        raw,
        flat: Flat { pair: Pair(1, 2), skipped: None },
        empty: Empty {},
    };
    let written = to_string(&value).unwrap();
    assert_eq!(written, serde_json::to_string(&value).unwrap());
    written
}

#[test]
fn raw_json_is_copied_as_it_is() {
    let raw = RawValue::from_string(r#"{ "b": 1,  "a": [] }"#.to_owned()).unwrap();
    assert!(everything("text", &raw).contains(r#""raw":{ "b": 1,  "a": [] },"#));
}

#[test]
fn a_key_that_is_not_text_is_refused() {
    assert!(to_string(&BTreeMap::from([(1, 2)])).is_err());
}

#[derive(Serialize)]
struct Misnamed {
    #[serde(rename = "a \"name\"")]
    field: i64,
}

#[test]
#[should_panic(expected = "needs an escape")]
fn a_field_whose_name_needs_an_escape_is_found_by_any_test() {
    let _ = to_string(&Misnamed { field: 1 });
}

proptest! {
    #[test]
    fn any_text_is_written_as_serde_json_writes_it(text in any::<String>(), raw in any::<String>()) {
        let raw = RawValue::from_string(json!([raw]).to_string()).unwrap();
        everything(&text, &raw);
    }

    #[test]
    fn any_text_can_be_read_back(text in any::<String>()) {
        let read: Value = serde_json::from_str(&to_string(&text).unwrap()).unwrap();
        prop_assert_eq!(read, Value::String(text));
    }
}
