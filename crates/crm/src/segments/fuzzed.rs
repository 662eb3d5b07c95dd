//! Rules that nobody wrote.

use frontdesk_fuzz::Target;
use frontdesk_web::{FieldPath, Input, Problems};
use serde_json::Value;

use super::NewSegment;
use super::rule::{RuleInput, stored, written};
use crate::custom_fields::FieldType;

/// What the problems of a body may take beside its own size.
const PROBLEM_BYTES_MAX: usize = 1 << 20;

#[test]
fn fuzzed_rules_are_refused_or_read_back_as_they_were_written() {
    let examples = [
        r#"{"name":"A","match":"all","rules":[{"field":"name","op":"contains","value":"a"},{"field":"phone","op":"starts_with","value":"+49"}]}"#,
        r#"{"name":"B","match":"any","rules":[{"field":"created_at","op":"within_days","value":30},{"field":"last_inbound_at","op":"before","value":"2026-01-31T09:30:00Z"}]}"#,
        r#"{"name":"C","rules":[{"field":"custom_field:01890a5d-ac96-774b-bcce-b302099a8057","op":"is","value":"gold"},{"field":"tag","op":"is_not","value":"01890a5d-ac96-774b-bcce-b302099a8057"}]}"#,
        r#"{"name":"D","rules":[{"field":"channel","op":"is","value":"whatsapp"},{"field":"opted_out","op":"is","value":true},{"field":"email","op":"is_set"}]}"#,
    ];
    let words = [
        "name",
        "phone",
        "email",
        "company",
        "tag",
        "created_at",
        "last_inbound_at",
        "channel",
        "opted_out",
        "custom_field:",
        "is",
        "is_not",
        "contains",
        "starts_with",
        "is_set",
        "is_not_set",
        "before",
        "after",
        "within_days",
        "web_chat",
        "2026-02-30",
        "-1",
        "36501",
        "%",
        "_",
        "\\",
    ];
    Target::new("segment rules").examples(examples).words(words).run(|bytes| {
        let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return (0, 0) };
        let mut problems = Problems::new();
        let Some(new) = NewSegment::read(Some(&value), &mut FieldPath::root(), &mut problems) else {
            let said: usize = problems.iter().map(|(path, message)| path.len() + message.len()).sum();
            assert!(said <= 4 * bytes.len() + PROBLEM_BYTES_MAX, "{said} bytes of problems");
            return (1, problems.iter().count().min(9));
        };
        let rules: Vec<_> = new.rules.0.iter().map(RuleInput::rule).collect();
        let text = written(&rules);
        assert_eq!(written(&stored(&text).expect("they are stored")), text);
        let kinds = [None, Some(FieldType::Text), Some(FieldType::Date)];
        let kinds = kinds.map(|kind| rules.iter().filter(|rule| rule.operand(kind).is_ok()).count());
        (2, kinds.iter().sum())
    });
}
