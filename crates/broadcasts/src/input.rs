//! Request bodies of broadcasts.

use frontdesk_crm::contacts::ContactId;
use frontdesk_crm::segments::SegmentId;
use frontdesk_crm::tags::TagId;
use frontdesk_inbox::messages::WebUrl;
use frontdesk_kernel::{Country, Phone, Text, Timestamp};
use frontdesk_web::{Entries, Items, Problems, choice, input, tagged};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Maximum tags in one audience, and variables of a template.
const TAGS_MAX: usize = 100;
pub(crate) const VARIABLES_MAX: usize = 120;
/// More numbers or ids do not fit into a body.
const LIST_MAX: usize = 100_000;
const VALUE_CHARS_MAX: usize = 1_024;

type TagIds = Items<TagId, TAGS_MAX>;

input! {
    /// A new broadcast.
    pub struct NewBroadcast {
        pub name: Text<200>,
        pub template: BroadcastTemplateChoice,
        pub audience: AudienceInput,
        /// How the template's placeholders are filled in, by their keys: `1`, `2`, … or their names. `header_text` fills in
        /// a text header, and `button_params.0` the button with that index.
        pub variables: Option<Entries<Variable, VARIABLES_MAX>>,
        /// The media of a media header. Defaults to the example that the template was approved with, where WhatsApp shares it.
        pub header_media_url: Option<WebUrl>,
        /// When to start; at once if it is missing or past.
        pub schedule_at: Option<Timestamp>,
    }
}

input! {
    /// The template to send.
    pub struct BroadcastTemplateChoice {
        /// An approved template of the account.
        pub name: Text<512>,
        /// Defaults to `en_US`.
        pub language: Option<Text<20>>,
    }
}

tagged! {
    /// The audience of a broadcast. Opted-out contacts and contacts without a phone are always skipped.
    pub enum AudienceInput by "type" {
        "phones" => Phones(PhonesAudience),
        "contacts" => Contacts(ContactsAudience),
        "tags" => Tags(TagsAudience),
        "all" => All(AllAudience),
        "segment" => Segment(SegmentAudience),
    }
}

input! {
    /// Numbers; unknown ones become contacts.
    pub struct PhonesAudience {
        pub phones: Items<Phone, LIST_MAX>,
        /// The country of numbers without a country code, such as `DE`. With it, a number that cannot exist is refused.
        pub country: Option<Country>,
    }
}

input! {
    /// Contacts of this account.
    pub struct ContactsAudience {
        pub contact_ids: Items<ContactId, LIST_MAX>,
    }
}

input! {
    /// Contacts with any of these tags.
    pub struct TagsAudience {
        pub tag_ids: TagIds,
        /// Contacts with one of these tags are left out.
        pub exclude_tag_ids: Option<TagIds>,
    }
}

input! {
    /// Every contact.
    pub struct AllAudience {
        /// Contacts with one of these tags are left out.
        pub exclude_tag_ids: Option<TagIds>,
    }
}

input! {
    /// The contacts of a segment.
    pub struct SegmentAudience {
        pub segment_id: SegmentId,
        /// Contacts with one of these tags are left out.
        pub exclude_tag_ids: Option<TagIds>,
    }
}

choice! {
    /// The source of a variable's value.
    pub enum VariableType {
        Static => "static",
        Field => "field",
        CustomField => "custom_field",
    }
}

choice! {
    /// The fields of a contact that a variable can show.
    pub enum VariableField {
        Name => "name",
        Phone => "phone",
        Email => "email",
        Company => "company",
    }
}

input! {
    /// The value of a placeholder.
    pub struct Variable {
        /// `static` is literal text, `field` a field of the contact, `custom_field` one of the account's custom fields.
        pub r#type: VariableType,
        /// The text itself; `name`, `phone`, `email` or `company`; or the id of a custom field.
        pub value: Text<VALUE_CHARS_MAX>,
        /// The text for contacts whose value is blank. Without it, such a recipient fails.
        pub fallback: Option<Text<VALUE_CHARS_MAX>>,
    }
    shape = names_a_field;
}

/// Checks that the value fits the type, whatever else is wrong.
fn names_a_field(variable: &Map<String, Value>, problems: &mut Problems) {
    let Some(value) = variable.get("value").and_then(Value::as_str) else { return };
    match variable.get("type").and_then(Value::as_str) {
        Some("field") => {
            if let Err(wrong) = value.parse::<VariableField>() {
                problems.add("value", wrong.to_string());
            }
        }
        Some("custom_field") if Uuid::try_parse(value).is_err() => {
            problems.add("value", "must be the id of a custom field of this account");
        }
        _ => {}
    }
}

input! {
    /// When to start a broadcast.
    pub struct ScheduleBroadcast {
        /// Defaults to now, also if it is past.
        pub schedule_at: Option<Timestamp>,
    }
}

input! {
    /// Whom to retry.
    pub struct RetryBroadcast {
        /// Also retries recipients that failed with `unknown_outcome`, who may then receive the message twice.
        pub include_unknown: Option<bool>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_web::{FieldPath, Input};
    use serde_json::json;

    fn wrong(body: &Value) -> Vec<String> {
        let mut problems = Problems::new();
        NewBroadcast::read(Some(body), &mut FieldPath::root(), &mut problems);
        problems.iter().map(|(path, _)| path.to_owned()).collect()
    }

    #[test]
    fn everything_that_is_wrong_is_told_with_its_path() {
        let cases = [
            (json!({}), vec!["name", "template", "audience"]),
            (
                json!({
                    "name": " ",
                    "template": { "language": 1 },
                    "audience": { "type": "phones", "phones": ["+14155550123", "x"] },
                    "variables": {
                        "1": { "type": "field", "value": "shoe_size" },
                        "2": { "type": "custom_field", "value": "x" },
                        "3": { "type": "guess", "value": "x" },
                        "4": { "type": "static" },
                    },
                    "header_media_url": "ftp://x",
                    "schedule_at": "soon",
                }),
                vec![
                    "name",
                    "template.name",
                    "template.language",
                    "audience.phones.1",
                    "variables.1.value",
                    "variables.2.value",
                    "variables.3.type",
                    "variables.4.value",
                    "header_media_url",
                    "schedule_at",
                ],
            ),
            (
                json!({ "name": "x", "template": { "name": "x" }, "audience": { "type": "tags", "tag_ids": ["x"] } }),
                vec!["audience.tag_ids.0"],
            ),
        ];
        for (body, expected) in cases {
            assert_eq!(wrong(&body), expected, "{body}");
        }
    }
}
