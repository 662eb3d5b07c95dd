//! One rule of a segment: a field, an operator, and a value.

use std::fmt;
use std::str::FromStr;

use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_platform::By;
use frontdesk_web::{Components, Describe, FieldPath, Input, Problems, choice, input, resource};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::SegmentError;
use crate::custom_fields::{self, CustomField, FieldId, FieldType};
use crate::tags::{self, TagId};

/// How far back `within_days` may look.
const DAYS_MAX: i64 = 36_500;

choice! {
    /// The operator of a rule.
    pub enum Op {
        Is => "is",
        IsNot => "is_not",
        Contains => "contains",
        StartsWith => "starts_with",
        IsSet => "is_set",
        IsNotSet => "is_not_set",
        Before => "before",
        After => "after",
        WithinDays => "within_days",
    }
}

choice! {
    /// A channel that a contact was met on.
    pub enum Channel {
        Whatsapp => "whatsapp",
        PersonalWhatsapp => "personal_whatsapp",
        Messenger => "messenger",
        Instagram => "instagram",
        WebChat => "web_chat",
    }
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Name,
    Phone,
    Email,
    Company,
    Tag,
    Custom(FieldId),
    CreatedAt,
    LastInboundAt,
    Channel,
    OptedOut,
}

const CUSTOM: &str = "custom_field:";
const NAMED: &[(&str, Field)] = &[
    ("name", Field::Name),
    ("phone", Field::Phone),
    ("email", Field::Email),
    ("company", Field::Company),
    ("tag", Field::Tag),
    ("created_at", Field::CreatedAt),
    ("last_inbound_at", Field::LastInboundAt),
    ("channel", Field::Channel),
    ("opted_out", Field::OptedOut),
];

#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error(
    "must be one of name, phone, email, company, tag, created_at, last_inbound_at, channel, opted_out or custom_field:<id>"
)]
pub struct NotAField;

impl FromStr for Field {
    type Err = NotAField;

    fn from_str(text: &str) -> Result<Self, NotAField> {
        if let Some(id) = text.strip_prefix(CUSTOM) {
            return id.parse().map(Self::Custom).map_err(|_| NotAField);
        }
        NAMED.iter().find(|(name, _)| *name == text).map(|(_, field)| *field).ok_or(NotAField)
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Custom(id) => write!(f, "{CUSTOM}{id}"),
            named => f.write_str(NAMED.iter().find(|(_, field)| field == named).map_or("", |(name, _)| name)),
        }
    }
}

impl Serialize for Field {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Input for Field {
    fn schema(_: &mut Components) -> Value {
        let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
        let id = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
        json!({
            "type": "string",
            "pattern": format!("^({}|{CUSTOM}{id})$", names.join("|")),
            "description": "The field of a contact, or `custom_field:` and the id of a custom field.",
            "examples": ["company"],
        })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        input::parsed(value, at, problems)
    }
}

impl Describe for Field {
    fn schema(components: &mut Components) -> Value {
        <Self as Input>::schema(components)
    }
}

input! {
    /// A rule in a request.
    pub struct RuleInput {
        pub field: Field,
        pub op: Op,
        /// Text, a tag's id, a channel, a date-time, a number of days or a boolean, depending on field and
        /// op; none for `is_set` and `is_not_set`.
        pub value: Option<Value>,
    }
}

impl RuleInput {
    pub(super) fn rule(&self) -> Rule {
        Rule { field: self.field, op: self.op, value: self.value.clone().unwrap_or(Value::Null) }
    }
}

resource! {
    /// A rule of a segment.
    pub struct Rule {
        pub field: Field,
        pub op: Op,
        pub value: Value,
    }
}

/// A rule's parsed value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    None,
    Text(String),
    Tag(TagId),
    Channel(Channel),
    Moment(Timestamp),
    Days(i64),
    Flag(bool),
}

const TEXT_OPS: &[Op] = &[Op::Is, Op::IsNot, Op::Contains, Op::StartsWith, Op::IsSet, Op::IsNotSet];
const DATE_OPS: &[Op] = &[Op::Is, Op::IsNot, Op::Before, Op::After, Op::WithinDays, Op::IsSet, Op::IsNotSet];
const MOMENT_OPS: &[Op] = &[Op::Before, Op::After, Op::WithinDays, Op::IsSet, Op::IsNotSet];
const WORD_OPS: &[Op] = &[Op::Is, Op::IsNot, Op::IsSet, Op::IsNotSet];
const FLAG_OPS: &[Op] = &[Op::Is, Op::IsNot];

impl Rule {
    /// Parses the rule's value. The error says what is wrong with `op` or with `value`.
    pub(super) fn operand(&self, custom: Option<FieldType>) -> Result<Operand, (&'static str, String)> {
        let ops = match self.field {
            Field::Custom(_) if custom == Some(FieldType::Date) => DATE_OPS,
            Field::Name | Field::Phone | Field::Email | Field::Company | Field::Custom(_) => TEXT_OPS,
            Field::CreatedAt | Field::LastInboundAt => MOMENT_OPS,
            Field::Tag | Field::Channel => WORD_OPS,
            Field::OptedOut => FLAG_OPS,
        };
        if !ops.contains(&self.op) {
            let words: Vec<&str> = ops.iter().map(|op| op.as_str()).collect();
            return Err(("op", format!("must be one of {} for {}", words.join(", "), self.field)));
        }
        let wrong = |message: &str| ("value", message.to_owned());
        let text = || {
            let text = self.value.as_str().ok_or_else(|| wrong("must be a string"))?;
            text.parse::<Text<1000>>().map(Text::into_string).map_err(|error| wrong(&error.to_string()))
        };
        match (self.op, self.field) {
            (Op::IsSet | Op::IsNotSet, _) if self.value.is_null() => Ok(Operand::None),
            (Op::IsSet | Op::IsNotSet, _) => Err(wrong("must be left out for is_set and is_not_set")),
            (Op::WithinDays, _) => match self.value.as_i64() {
                Some(days @ 1..=DAYS_MAX) => Ok(Operand::Days(days)),
                _ => Err(wrong(&format!("must be a whole number of days from 1 to {DAYS_MAX}"))),
            },
            (Op::Before | Op::After, _) => text()?
                .parse()
                .map(Operand::Moment)
                .map_err(|error: frontdesk_kernel::time::NotATimestamp| wrong(&error.to_string())),
            (_, Field::OptedOut) => {
                self.value.as_bool().map(Operand::Flag).ok_or_else(|| wrong("must be true or false"))
            }
            (_, Field::Tag) => text()?
                .parse()
                .map(Operand::Tag)
                .map_err(|_| wrong("must be the id of a tag of this account")),
            (_, Field::Channel) => text()?
                .parse()
                .map(Operand::Channel)
                .map_err(|error: frontdesk_web::NotAChoice| wrong(&error.to_string())),
            _ => text().map(Operand::Text),
        }
    }
}

/// Checks rules against the account's tags and custom fields; all problems are reported, each with its path.
pub(super) fn check<'r>(
    tx: &mut ReadTx<'_>,
    by: &By,
    rules: impl Iterator<Item = (usize, &'r RuleInput)> + Clone,
) -> Result<Vec<Rule>, SegmentError> {
    let fields: Vec<CustomField> = if rules.clone().any(|(_, rule)| matches!(rule.field, Field::Custom(_))) {
        custom_fields::list(tx, by.account)?
    } else {
        Vec::new()
    };
    let mut problems = Problems::new();
    let mut checked = Vec::new();
    for (at, input) in rules {
        let rule = input.rule();
        let custom = match rule.field {
            Field::Custom(id) => fields.iter().find(|field| field.id == id),
            _ => None,
        };
        if matches!(rule.field, Field::Custom(_)) && custom.is_none() {
            problems.add(format!("rules.{at}.field"), "must be a custom field of this account");
            continue;
        }
        match rule.operand(custom.map(|field| field.r#type)) {
            Err((part, message)) => problems.add(format!("rules.{at}.{part}"), message),
            Ok(Operand::Tag(tag)) if tags::find(tx, by.account, tag)?.is_none() => {
                problems.add(format!("rules.{at}.value"), "must be the id of a tag of this account");
            }
            Ok(_) => checked.push(rule),
        }
    }
    if problems.is_empty() { Ok(checked) } else { Err(SegmentError::Invalid(problems)) }
}

pub(super) fn written(rules: &[Rule]) -> String {
    serde_json::to_string(rules).unwrap_or_else(|_| "[]".to_owned())
}

pub(super) fn stored(text: &str) -> db::Result<Vec<Rule>> {
    let unreadable = || db::Error::Decode("segment rule");
    let rules: Vec<Value> = serde_json::from_str(text).map_err(|_| unreadable())?;
    let word = |rule: &Value, name: &str| {
        rule.get(name).and_then(Value::as_str).map(ToOwned::to_owned).ok_or_else(unreadable)
    };
    rules
        .into_iter()
        .map(|rule| {
            let field = word(&rule, "field")?.parse().map_err(|_| unreadable())?;
            let op = word(&rule, "op")?.parse().map_err(|_| unreadable())?;
            Ok(Rule { field, op, value: rule.get("value").cloned().unwrap_or(Value::Null) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(field: &str, op: Op, value: Value) -> Result<Operand, (&'static str, String)> {
        Rule { field: field.parse().unwrap(), op, value }.operand(None)
    }

    #[test]
    fn values_are_understood_by_field_and_op() {
        assert_eq!(operand("name", Op::Contains, json!(" Ann ")), Ok(Operand::Text("Ann".into())));
        assert_eq!(operand("opted_out", Op::Is, json!(false)), Ok(Operand::Flag(false)));
        assert_eq!(operand("channel", Op::Is, json!("web_chat")), Ok(Operand::Channel(Channel::WebChat)));
        assert_eq!(operand("created_at", Op::WithinDays, json!(7)), Ok(Operand::Days(7)));
        assert_eq!(operand("last_inbound_at", Op::IsNotSet, json!(null)), Ok(Operand::None));
    }

    #[test]
    fn a_value_that_does_not_fit_is_reported_at_its_path() {
        for (field, op, value, part) in [
            ("name", Op::Before, json!("x"), "op"),
            ("opted_out", Op::IsSet, json!(null), "op"),
            ("created_at", Op::Is, json!("2026-01-01"), "op"),
            ("created_at", Op::After, json!("soon"), "value"),
            ("created_at", Op::WithinDays, json!(0), "value"),
            ("created_at", Op::WithinDays, json!("7"), "value"),
            ("opted_out", Op::Is, json!("true"), "value"),
            ("tag", Op::Is, json!("vip"), "value"),
            ("name", Op::IsSet, json!("x"), "value"),
            ("name", Op::Is, json!(null), "value"),
        ] {
            assert_eq!(operand(field, op, value).unwrap_err().0, part, "{field} {op}");
        }
    }

    #[test]
    fn rules_read_back_as_written() {
        let rules = vec![Rule {
            field: "custom_field:01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap(),
            op: Op::Is,
            value: json!("gold"),
        }];
        assert_eq!(written(&stored(&written(&rules)).unwrap()), written(&rules));
        assert!("custom_field:x".parse::<Field>().is_err());
        assert!("age".parse::<Field>().is_err());
    }
}
