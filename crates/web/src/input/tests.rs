#![expect(dead_code, reason = "samples are declared to be read and described, not to be used")]

use super::*;
use frontdesk_kernel::{Email, Id, Patch, Phone, Text, Timestamp};
use proptest::prelude::*;
use serde_json::json;

enum Tag {}

input! {
    /// Who gets it.
    struct Audience {
        /// Their numbers.
        phones: Items<Phone, 4>,
        r#type: Option<Text<10>>,
    }
    check = |audience, problems| {
        if audience.phones.0.is_empty() {
            problems.add("phones", "must name at least one");
        }
    };
}

input! {
    /// Everything at once.
    struct Sample {
        /// Its name.
        name: Text<5>,
        email: Option<Email>,
        company: Patch<Text<5>>,
        enabled: Given<bool>,
        share: Option<f64>,
        max: Option<Within<1, 500>>,
        tag_ids: Option<Items<Id<Tag>, 3>>,
        custom_fields: Option<Entries<Option<Text<3>>, 2>>,
        audience: Option<Audience>,
        at: Option<Timestamp>,
        data: Option<Value>,
    }
    check = either_name;
}

fn either_name(sample: &Sample, problems: &mut Problems) {
    if sample.name.as_str() == "nobody" || sample.max == Some(Within(13)) {
        problems.add("", "must not be unlucky");
    }
}

fn read<T: Input>(value: Value) -> Result<T, Vec<(String, String)>> {
    let mut problems = Problems::new();
    let read = T::read(Some(&value), &mut FieldPath::root(), &mut problems);
    assert_eq!(read.is_none(), !problems.is_empty(), "nothing is read exactly when a problem is noted");
    read.ok_or_else(|| problems.iter().map(|(path, message)| (path.to_owned(), message.to_owned())).collect())
}

fn wrong<T: Input>(value: Value) -> Vec<(String, String)> {
    read::<T>(value).err().unwrap_or_default()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(path, message)| ((*path).to_owned(), (*message).to_owned())).collect()
}

#[test]
fn everything_wrong_is_reported_at_once_with_its_whole_path() {
    let found = wrong::<Sample>(json!({
        "email": "ann@", "company": "too long", "enabled": null, "share": "half", "max": 501,
        "tag_ids": ["01890000-0000-7000-8000-000000000001", "x", 7, null],
        "custom_fields": { "a": "long", "b": 1 },
        "audience": { "phones": ["+14155550123", "no", 3], "type": [] },
        "at": "tomorrow",
    }));
    assert_eq!(
        found,
        pairs(&[
            ("name", "is required"),
            ("email", "must be an email address such as ann@example.com"),
            ("company", "must have at most 5 characters"),
            ("enabled", "must not be null"),
            ("share", "must be a number"),
            ("max", "must be a whole number from 1 to 500"),
            ("tag_ids", "must have at most 3 items"),
            ("tag_ids.1", "must be a UUID"),
            ("tag_ids.2", "must be a UUID"),
            ("custom_fields.a", "must have at most 3 characters"),
            ("custom_fields.b", "must be a string"),
            ("audience.phones.1", "must be a phone number with its country code, such as +14155550123"),
            ("audience.phones.2", "must be a string"),
            ("audience.type", "must be a string"),
            ("at", "must be a date-time such as 2026-01-31T09:30:00Z"),
        ])
    );
}

#[test]
fn absent_null_and_blank_are_distinguished() {
    let sample: Sample = read(json!({ "name": " Ann ", "email": " ", "unknown": 1 })).unwrap();
    assert_eq!(sample.name.as_str(), "Ann");
    assert_eq!((sample.email, sample.company, sample.enabled), (None, Patch::Keep, Given::Absent));
    for nothing in [json!(null), json!(" ")] {
        let sample: Sample = read(json!({ "name": "Ann", "company": nothing, "data": null })).unwrap();
        assert_eq!((sample.company, sample.data), (Patch::Clear, None));
    }
    let sample: Sample = read(json!({ "name": "Ann", "company": "Acme", "enabled": false })).unwrap();
    assert_eq!((sample.company, sample.enabled), (Patch::Set("Acme".parse().unwrap()), Given::Value(false)));
}

#[test]
fn only_free_text_may_be_blank() {
    for field in ["share", "max", "tag_ids", "custom_fields", "audience", "at"] {
        assert_eq!(wrong::<Sample>(json!({ "name": "Ann", field: " " })).len(), 1, "{field}");
    }
    let blank = " ".repeat(6);
    assert_eq!(
        wrong::<Sample>(json!({ "name": "Ann", "company": blank })),
        pairs(&[("company", "must not be blank")])
    );
}

#[test]
fn a_required_field_is_neither_null_nor_blank() {
    assert_eq!(wrong::<Sample>(json!({ "name": null })), pairs(&[("name", "must not be null")]));
    assert_eq!(wrong::<Sample>(json!({ "name": "  " })), pairs(&[("name", "must not be blank")]));
    assert_eq!(wrong::<Sample>(json!({ "name": 5 })), pairs(&[("name", "must be a string")]));
}

#[test]
fn a_value_that_is_not_an_object_is_reported_at_its_path() {
    assert_eq!(wrong::<Sample>(json!([])), pairs(&[("", "must be a JSON object")]));
    let found = wrong::<Sample>(json!({ "name": "Ann", "audience": "all", "custom_fields": [] }));
    let object = "must be a JSON object";
    assert_eq!(found, pairs(&[("custom_fields", object), ("audience", object)]));
}

#[test]
fn rules_across_fields_run_last_and_know_where_they_are() {
    let found = wrong::<Sample>(json!({ "name": "Ann", "audience": { "phones": [] } }));
    assert_eq!(found, pairs(&[("audience.phones", "must name at least one")]));
    let found = wrong::<Sample>(json!({ "name": "Ann", "max": 13 }));
    assert_eq!(found, pairs(&[("", "must not be unlucky")]));
    let found = wrong::<Sample>(json!({ "max": 13 }));
    assert_eq!(found, pairs(&[("name", "is required")]));
}

#[test]
fn text_that_cannot_be_stored_is_refused() {
    let nul = "must not contain the NUL character";
    assert_eq!(wrong::<Value>(json!([{ "a": "\0" }])), pairs(&[("", nul)]));
    assert_eq!(wrong::<Value>(json!({ "\0": 1 })), pairs(&[("", nul)]));
    assert_eq!(read::<Value>(json!(null)), Ok(json!(null)));
    let found = wrong::<Entries<bool, 2>>(json!({ "\0": true, "b": 1 }));
    let told = r#"has the key "\0", which must not contain the NUL character"#;
    assert_eq!(found, pairs(&[("", told), ("b", "must be true or false")]));
}

#[test]
fn whole_numbers_are_whole() {
    assert_eq!(read::<i64>(json!(-5)), Ok(-5));
    for number in [json!(5.0), json!(1.5), json!("5"), json!(u64::MAX), json!(true)] {
        assert_eq!(wrong::<i64>(number), pairs(&[("", "must be a whole number")]));
    }
    assert_eq!(wrong::<bool>(json!("true")), pairs(&[("", "must be true or false")]));
    assert_eq!(read::<f64>(json!(5)), Ok(5.0));
}

#[test]
fn the_schema_says_what_reading_does() {
    let mut components = Components::new();
    let schema = Sample::schema(&mut components);
    let written = components.resolve(&schema);
    assert_eq!(written["required"], json!(["name"]));
    assert_eq!(written["description"], "Everything at once.");
    let properties = &written["properties"];
    assert_eq!(
        properties["name"],
        json!({
            "type": "string", "minLength": 1, "maxLength": 5, "pattern": Text::<5>::PATTERN, "description": "Its name.",
        })
    );
    assert_eq!(properties["enabled"], json!({ "type": "boolean" }));
    let company =
        json!({ "type": ["string", "null"], "maxLength": 5, "pattern": Text::<5>::PATTERN_OR_BLANK });
    assert_eq!(properties["company"], company);
    assert_eq!(properties["max"], json!({ "type": ["integer", "null"], "minimum": 1, "maximum": 500 }));
    assert_eq!(properties["tag_ids"]["maxItems"], 3);
    assert_eq!(properties["audience"]["anyOf"][0], json!({ "$ref": "#/components/schemas/Audience" }));
    let audience = components.resolve(&properties["audience"]["anyOf"][0]);
    assert_eq!(audience["properties"]["type"]["maxLength"], 10);
}

fn ignored<T: Input>(value: Value) -> String {
    let mut problems = Problems::new();
    let _read_or_not = T::read(Some(&value), &mut FieldPath::root(), &mut problems);
    let header = problems.ignored().header_value();
    header.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
}

#[test]
fn fields_that_nothing_reads_are_named_with_their_paths() {
    let known = json!({
        "name": "Ann", "custom_fields": { "anything": "x" }, "data": { "free": { "form": 1 } },
        "audience": { "phones": ["+14155550123"], "type": "a" },
    });
    assert_eq!(ignored::<Sample>(known), "");
    let misspelled =
        json!({ "name": "Ann", "e-mail": "x", "audience": { "phones": [], "phonez": 1 }, "zz": {} });
    assert_eq!(ignored::<Sample>(misspelled), "audience.phonez, e-mail, zz");
    assert_eq!(ignored::<Items<Audience, 3>>(json!([{}, { "a": 1 }])), "1.a");
    // A body with problems names them too.
    assert_eq!(ignored::<Sample>(json!({ "nam": "Ann" })), "nam");
    assert_eq!(ignored::<Sample>(json!([])), "");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("name".to_owned()),
        Just("audience".to_owned()),
        Just("phones".to_owned()),
        Just("tag_ids".to_owned()),
        Just("custom_fields".to_owned()),
        "[a-z]{0,4}",
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(key.clone(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_problem_is_at_a_place_that_is_there_or_missing_from_it(body in any_json()) {
        for (path, message) in wrong::<Sample>(body.clone()) {
            // Keys of the generator hold no dots, so a path leads back to its value.
            let place = path.split('.').filter(|step| !step.is_empty()).try_fold(&body, |value, step| match value {
                Value::Array(items) => items.get(step.parse::<usize>().ok()?),
                value => value.get(step),
            });
            prop_assert!(place.is_some() || message == "is required" || path.ends_with('.'), "{path}: {message}");
        }
    }
}
