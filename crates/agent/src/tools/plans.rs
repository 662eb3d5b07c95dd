//! How each tool calls its operation.

use serde_json::{Map, Value, json};

use super::binding::{Binding, Check, Owned, Refused, text};

type Arguments = Map<String, Value>;
type Result = std::result::Result<Planned, Refused>;

/// Default and maximum number of rows that a list shows the model.
const ROWS_MAX: i64 = 20;

/// A planned call of an operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planned {
    pub(crate) operation: &'static str,
    pub(crate) params: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Option<Value>,
    /// It changes something.
    pub(crate) is_write: bool,
    /// It sends something to a customer.
    pub(crate) is_sent: bool,
    /// The record that must belong to this contact. It is checked before the call.
    pub(crate) owned: Check,
    /// A tag by its name or id, which is looked up and put into the call.
    pub(crate) tag: Option<String>,
}

impl Planned {
    fn read(operation: &'static str) -> Self {
        Self { operation, ..Self::default() }
    }

    fn write(operation: &'static str, body: Value) -> Self {
        Self { operation, body: Some(body), is_write: true, ..Self::default() }
    }

    fn at(mut self, id: String) -> Self {
        self.params.push(id);
        self
    }

    fn with(mut self, name: &str, value: Option<String>) -> Self {
        self.query.extend(value.map(|value| (name.to_owned(), value)));
        self
    }

    fn limited(self, arguments: &Arguments) -> Self {
        let limit = arguments.get("limit").and_then(Value::as_i64).unwrap_or(ROWS_MAX).clamp(1, ROWS_MAX);
        self.with("limit", Some(limit.to_string()))
    }

    /// In a confined run, refuses records of other contacts.
    fn owned(mut self, owned: Owned, binding: &Binding) -> Result {
        self.owned = binding.owner()?.map(|contact| (owned, contact));
        Ok(self)
    }
}

/// The named arguments that are present.
fn given(arguments: &Arguments, names: &[&str]) -> Map<String, Value> {
    let present = |name: &&&str| arguments.get(**name).is_some_and(|value| !value.is_null());
    names.iter().filter(present).map(|name| ((*name).to_owned(), arguments[*name].clone())).collect()
}

/// An argument that the schema requires.
fn required(arguments: &Arguments, name: &str) -> std::result::Result<String, Refused> {
    text(arguments, name).ok_or_else(|| Refused::new(format!("{name} is required.")))
}

#[expect(clippy::unnecessary_wraps, reason = "every plan has one type")]
pub(super) fn search_contacts(arguments: &Arguments, _: &Binding) -> Result {
    Ok(Planned::read("listContacts").with("q", text(arguments, "q")).limited(arguments))
}

pub(super) fn get_contact(arguments: &Arguments, binding: &Binding) -> Result {
    Ok(Planned::read("getContact").at(binding.contact(arguments)?))
}

pub(super) fn update_contact(arguments: &Arguments, binding: &Binding) -> Result {
    let changes = given(arguments, &["name", "email", "company", "phone", "custom_fields"]);
    if changes.is_empty() {
        return Err(Refused::new(
            "Name at least one field to change: name, email, company, phone or custom_fields.",
        ));
    }
    // A phone number identifies a contact. A customer must not find out whether a number belongs to somebody else.
    if binding.is_confined && changes.contains_key("phone") {
        return Err(Refused::new(
            "This run cannot change a phone number. Write a note, or hand the conversation to a person.",
        ));
    }
    Ok(Planned::write("updateContact", Value::Object(changes)).at(binding.contact(arguments)?))
}

pub(super) fn add_tag(arguments: &Arguments, binding: &Binding) -> Result {
    let plan = Planned::write("addContactTags", json!({})).at(binding.contact(arguments)?);
    Ok(Planned { tag: Some(required(arguments, "tag")?), ..plan })
}

pub(super) fn remove_tag(arguments: &Arguments, binding: &Binding) -> Result {
    let plan = Planned::write("removeContactTag", json!({})).at(binding.contact(arguments)?);
    Ok(Planned { tag: Some(required(arguments, "tag")?), body: None, ..plan })
}

pub(super) fn add_note(arguments: &Arguments, binding: &Binding) -> Result {
    let note = Value::Object(given(arguments, &["body"]));
    Ok(Planned::write("createContactNote", note).at(binding.contact(arguments)?))
}

pub(super) fn opt_out_contact(arguments: &Arguments, binding: &Binding) -> Result {
    Ok(Planned::write("optOutContact", json!({})).at(binding.contact(arguments)?))
}

pub(super) fn list_conversations(arguments: &Arguments, binding: &Binding) -> Result {
    let plan = Planned::read("listConversations").with("contact_id", binding.narrowed(arguments)?);
    Ok(plan.with("status", text(arguments, "status")).limited(arguments))
}

/// A confined run may also read other conversations of its contact.
pub(super) fn read_messages(arguments: &Arguments, binding: &Binding) -> Result {
    let id = match text(arguments, "conversation_id") {
        Some(id) => id,
        None => binding.conversation(arguments)?.0,
    };
    let plan = Planned::read("listConversationMessages").at(id.clone()).limited(arguments);
    plan.owned(Owned::Conversation(id), binding)
}

/// The recipient of a message: a phone number or a conversation. A confined run writes only into its own conversation or,
/// without one, to its contact.
fn recipient(arguments: &Arguments, binding: &Binding) -> std::result::Result<(Value, Check), Refused> {
    match text(arguments, "phone") {
        Some(_) if binding.is_confined && binding.conversation.is_some() => {
            Err(Refused::new("This run may only write into its own conversation. Leave phone out."))
        }
        Some(phone) => {
            let check = binding.owner()?.map(|contact| (Owned::Phone(phone.clone()), contact));
            Ok((json!({ "phone": phone }), check))
        }
        None => {
            let (id, check) = binding.conversation(arguments)?;
            Ok((json!({ "conversation_id": id }), check))
        }
    }
}

pub(super) fn send_message(arguments: &Arguments, binding: &Binding) -> Result {
    let ((to, owned), text) = (recipient(arguments, binding)?, required(arguments, "text")?);
    let plan = Planned::write("sendMessage", json!({ "type": "text", "to": to, "text": text }));
    Ok(Planned { is_sent: true, owned, ..plan })
}

pub(super) fn send_template(arguments: &Arguments, binding: &Binding) -> Result {
    let mut template = given(arguments, &["language", "body_params", "header_text", "header_media_url"]);
    template.insert("name".to_owned(), required(arguments, "template")?.into());
    let (to, owned) = recipient(arguments, binding)?;
    let plan = Planned::write("sendMessage", json!({ "type": "template", "to": to, "template": template }));
    Ok(Planned { is_sent: true, owned, ..plan })
}

#[expect(clippy::unnecessary_wraps, reason = "every plan has one type")]
pub(super) fn list_templates(arguments: &Arguments, _: &Binding) -> Result {
    Ok(Planned::read("listTemplates").with("q", text(arguments, "q")))
}

pub(super) fn set_conversation_status(arguments: &Arguments, binding: &Binding) -> Result {
    let status = Value::Object(given(arguments, &["status"]));
    update_conversation(status, arguments, binding)
}

pub(super) fn assign_conversation(arguments: &Arguments, binding: &Binding) -> Result {
    let body = json!({ "assigned_user_id": required(arguments, "user_id")? });
    update_conversation(body, arguments, binding)
}

fn update_conversation(body: Value, arguments: &Arguments, binding: &Binding) -> Result {
    let (id, owned) = binding.conversation(arguments)?;
    Ok(Planned { owned, ..Planned::write("updateConversation", body).at(id) })
}

pub(super) fn search_deals(arguments: &Arguments, binding: &Binding) -> Result {
    let plan = Planned::read("listDeals").with("contact_id", binding.narrowed(arguments)?);
    Ok(plan.with("q", text(arguments, "q")).with("status", text(arguments, "status")).limited(arguments))
}

pub(super) fn create_deal(arguments: &Arguments, binding: &Binding) -> Result {
    let names = ["title", "value", "currency", "pipeline_id", "stage_id", "expected_close_date"];
    let mut deal = given(arguments, &names);
    if text(arguments, "contact_id").is_some() || binding.contact.is_some() {
        deal.insert("contact_id".to_owned(), binding.contact(arguments)?.into());
    }
    Ok(Planned::write("createDeal", Value::Object(deal)))
}

pub(super) fn update_deal(arguments: &Arguments, binding: &Binding) -> Result {
    let changes = given(arguments, &["title", "value", "currency", "expected_close_date"]);
    on_deal("updateDeal", Value::Object(changes), arguments, binding)
}

pub(super) fn move_deal(arguments: &Arguments, binding: &Binding) -> Result {
    on_deal("moveDeal", Value::Object(given(arguments, &["stage_id"])), arguments, binding)
}

pub(super) fn close_deal(arguments: &Arguments, binding: &Binding) -> Result {
    on_deal("closeDeal", Value::Object(given(arguments, &["outcome", "reason"])), arguments, binding)
}

pub(super) fn delete_deal(arguments: &Arguments, binding: &Binding) -> Result {
    let plan = on_deal("deleteDeal", json!({}), arguments, binding)?;
    Ok(Planned { body: None, ..plan })
}

fn on_deal(operation: &'static str, body: Value, arguments: &Arguments, binding: &Binding) -> Result {
    let id = required(arguments, "deal_id")?;
    Planned::write(operation, body).at(id.clone()).owned(Owned::Deal(id), binding)
}

pub(super) fn create_inquiry_note(arguments: &Arguments, binding: &Binding) -> Result {
    let id = required(arguments, "inquiry_id")?;
    let note = Value::Object(given(arguments, &["body"]));
    Planned::write("createInquiryNote", note).at(id.clone()).owned(Owned::Inquiry(id), binding)
}

/// A confined run stores memories only about its contact, because a customer must not teach the assistant about
/// others.
pub(super) fn remember(arguments: &Arguments, binding: &Binding) -> Result {
    let is_about_account = text(arguments, "about").as_deref() == Some("account");
    if binding.is_confined && (is_about_account || binding.contact.is_none()) {
        return Err(Refused::new("This run may only remember things about its contact. Leave about out."));
    }
    let mut memory = given(arguments, &["content"]);
    if !is_about_account && (binding.contact.is_some() || arguments.contains_key("contact_id")) {
        memory.insert("contact_id".to_owned(), binding.contact(arguments)?.into());
    }
    Ok(Planned::write("createMemory", Value::Object(memory)))
}

pub(super) fn recall(arguments: &Arguments, binding: &Binding) -> Result {
    let plan = Planned::read("listMemories").with("contact_id", binding.narrowed(arguments)?);
    Ok(plan.with("q", text(arguments, "q")).limited(arguments))
}

pub(super) fn forget(arguments: &Arguments, binding: &Binding) -> Result {
    let id = required(arguments, "memory_id")?;
    let plan = Planned { is_write: true, ..Planned::read("deleteMemory") };
    plan.at(id.clone()).owned(Owned::Memory(id), binding)
}

pub(super) fn start_broadcast(arguments: &Arguments, _: &Binding) -> Result {
    let audience = match (text(arguments, "segment_id"), arguments.get("tag_ids")) {
        (Some(segment), _) => json!({ "type": "segment", "segment_id": segment }),
        (None, Some(tags)) if tags.is_array() => json!({ "type": "tags", "tag_ids": tags }),
        _ => return Err(Refused::new("Name whom the broadcast is for: segment_id or tag_ids.")),
    };
    let mut template = given(arguments, &["language"]);
    template.insert("name".to_owned(), required(arguments, "template")?.into());
    let mut broadcast = given(arguments, &["name", "schedule_at"]);
    broadcast.insert("template".to_owned(), Value::Object(template));
    broadcast.insert("audience".to_owned(), audience);
    Ok(Planned::write("createBroadcast", Value::Object(broadcast)))
}
