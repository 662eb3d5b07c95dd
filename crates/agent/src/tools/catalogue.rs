//! The list of tools.

use serde_json::{Value, json};

use super::{Category, Plan, Reach, ToolSpec, Work, plans};

const TEXT_CHARS_MAX: usize = 4_096;
const NOTE_CHARS_MAX: usize = 10_000;
const GOAL_CHARS_MAX: usize = 4_000;

/// Every tool, in the order in which it is listed.
pub fn all() -> &'static [ToolSpec] {
    TOOLS
}

/// A tool that calls an operation: enabled by default, not critical, confined to the run's contact.
const fn tool(
    id: &'static str,
    name: &'static str,
    category: Category,
    description: &'static str,
    plan: Plan,
    properties: fn() -> Value,
    required: &'static [&'static str],
) -> ToolSpec {
    ToolSpec {
        id,
        name,
        description,
        category,
        critical: false,
        default_enabled: true,
        reach: Reach::Contact,
        work: Work::Call(plan),
        properties,
        required,
    }
}

impl ToolSpec {
    const fn reaching(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// Disabled unless an assistant enables it.
    const fn off(mut self) -> Self {
        self.default_enabled = false;
        self
    }

    /// Disabled by default, and always needs a person's approval.
    const fn critical(mut self) -> Self {
        self.critical = true;
        self.off()
    }

    /// Carried out by the run itself, on its own contact.
    const fn working(mut self, work: Work) -> Self {
        self.work = work;
        self.reaching(Reach::Nobody)
    }
}

/// The plan of tools that call no operation.
fn nothing(_: &serde_json::Map<String, Value>, _: &super::Binding) -> Result<super::Planned, super::Refused> {
    Err(super::Refused::new("This tool is carried out by the run itself."))
}

fn id(noun: &str) -> Value {
    json!({ "type": "string", "format": "uuid", "description": format!("The {noun}'s id.") })
}

fn own(noun: &str) -> Value {
    let description = format!("The {noun}'s id. Leave it out for the {noun} that this run is about.");
    json!({ "type": "string", "format": "uuid", "description": description })
}

fn words(description: &str, max: usize) -> Value {
    json!({ "type": "string", "description": description, "minLength": 1, "maxLength": max })
}

fn limit() -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": 20, "description": "How many rows to return." })
}

use Category::{Broadcasts, Contacts, Conversations, Deals, Inquiries, Memory, People, Runs};

static TOOLS: &[ToolSpec] = &[
    tool("search_contacts", "Search contacts", Contacts, "Finds contacts by any part of their name, phone, email or company.",
        plans::search_contacts, || json!({ "q": words("The search text.", 200), "limit": limit() }), &["q"]).reaching(Reach::Account),
    tool("get_contact", "Get a contact", Contacts, "Reads a contact with its tags and custom fields.",
        plans::get_contact, || json!({ "contact_id": own("contact") }), &[]),
    tool("update_contact", "Update a contact", Contacts, "Changes a contact's name, email, company, phone or custom fields.",
        plans::update_contact, || json!({
            "contact_id": own("contact"), "name": words("The new name.", 200), "email": words("The new email address.", 254),
            "company": words("The new company.", 200), "phone": words("The new phone number.", 40),
            "custom_fields": { "type": "object", "description": "New values by the id of their custom field.", "additionalProperties": { "type": "string" } },
        }), &[]),
    tool("add_tag", "Add a tag", Contacts, "Adds a tag that the account has to a contact.",
        plans::add_tag, || json!({ "contact_id": own("contact"), "tag": words("The tag's name.", 100) }), &["tag"]),
    tool("remove_tag", "Remove a tag", Contacts, "Takes a tag off a contact.",
        plans::remove_tag, || json!({ "contact_id": own("contact"), "tag": words("The tag's name.", 100) }), &["tag"]),
    tool("add_note", "Add a note", Contacts, "Writes a note about a contact, for the team. The customer does not see it.",
        plans::add_note, || json!({ "contact_id": own("contact"), "body": words("The note.", NOTE_CHARS_MAX) }), &["body"]),
    tool("opt_out_contact", "Opt a contact out", Contacts, "Leaves a contact out of all broadcasts from now on.",
        plans::opt_out_contact, || json!({ "contact_id": own("contact") }), &[]).critical(),
    tool("list_conversations", "List conversations", Conversations, "Lists conversations, the newest first.",
        plans::list_conversations, || json!({
            "contact_id": own("contact"), "status": { "type": "string", "enum": ["open", "pending", "closed"] }, "limit": limit(),
        }), &[]),
    tool("read_messages", "Read messages", Conversations, "Reads the messages of a conversation, the newest first.",
        plans::read_messages, || json!({ "conversation_id": own("conversation"), "limit": limit() }), &[]),
    tool("send_message", "Send a message", Conversations, "Sends a text to a customer, beside the reply that you write at the end.",
        plans::send_message, || json!({
            "conversation_id": own("conversation"), "phone": words("A phone number, for somebody without a conversation.", 40),
            "text": words("What to say.", TEXT_CHARS_MAX),
        }), &["text"]),
    tool("send_template", "Send a template", Conversations, "Sends an approved WhatsApp template. It may be sent at any time.",
        plans::send_template, || json!({
            "conversation_id": own("conversation"), "phone": words("A phone number, for somebody without a conversation.", 40),
            "template": words("The template's name.", 512), "language": words("Its language, such as en_US.", 20),
            "body_params": { "type": "array", "items": { "type": "string" }, "maxItems": 100, "description": "Values for {{1}}, {{2}}, …" },
            "header_text": words("The value of the header's placeholder.", 60), "header_media_url": words("The header's media, instead of the template's own.", 2_048),
        }), &["template"]).off(),
    tool("list_templates", "List templates", Conversations, "Lists the WhatsApp templates of the account.",
        plans::list_templates, || json!({ "q": words("Part of the name.", 200) }), &[]).reaching(Reach::Nobody),
    tool("set_conversation_status", "Set a conversation's status", Conversations, "Opens a conversation, sets it aside, or closes it.",
        plans::set_conversation_status, || json!({
            "conversation_id": own("conversation"), "status": { "type": "string", "enum": ["open", "pending", "closed"] },
        }), &["status"]),
    tool("assign_conversation", "Assign a conversation", Conversations, "Assigns a conversation to a member of the team.",
        plans::assign_conversation, || json!({ "conversation_id": own("conversation"), "user_id": id("member") }), &["user_id"]).off(),
    tool("hand_off", "Hand off to a person", People, "Gives the conversation to a person, with words for the customer. Nothing more that you write reaches the customer.",
        nothing, || json!({ "message": words("What to tell the customer about it.", TEXT_CHARS_MAX) }), &[]).working(Work::HandOff),
    tool("ask_human", "Ask a person", People, "Asks the team a question and waits for the answer. It can take hours.",
        nothing, || json!({ "question": words("The question.", GOAL_CHARS_MAX) }), &["question"]).working(Work::AskHuman),
    tool("search_deals", "Search deals", Deals, "Finds deals by any part of their title, by contact or by status.",
        plans::search_deals, || json!({
            "q": words("Part of the title.", 200), "contact_id": own("contact"),
            "status": { "type": "string", "enum": ["open", "won", "lost"] }, "limit": limit(),
        }), &[]),
    tool("create_deal", "Create a deal", Deals, "Creates a deal with the contact.",
        plans::create_deal, || json!({
            "title": words("What it is about.", 200), "value": { "type": "number", "minimum": 0, "description": "What it is worth." },
            "currency": words("Three capital letters, such as USD.", 3), "contact_id": own("contact"), "pipeline_id": id("pipeline"),
            "stage_id": id("stage"), "expected_close_date": { "type": "string", "format": "date" },
        }), &["title"]),
    tool("update_deal", "Update a deal", Deals, "Changes a deal's title, value or expected date.",
        plans::update_deal, || json!({
            "deal_id": id("deal"), "title": words("The new title.", 200), "value": { "type": "number", "minimum": 0 },
            "currency": words("Three capital letters, such as USD.", 3), "expected_close_date": { "type": "string", "format": "date" },
        }), &["deal_id"]),
    tool("move_deal", "Move a deal", Deals, "Moves an open deal to another stage of its pipeline.",
        plans::move_deal, || json!({ "deal_id": id("deal"), "stage_id": id("stage") }), &["deal_id", "stage_id"]),
    tool("close_deal", "Close a deal", Deals, "Closes a deal as won or lost.",
        plans::close_deal, || json!({
            "deal_id": id("deal"), "outcome": { "type": "string", "enum": ["won", "lost"] }, "reason": words("Why it was lost.", 1_000),
        }), &["deal_id", "outcome"]).off(),
    tool("delete_deal", "Delete a deal", Deals, "Deletes a deal for good.",
        plans::delete_deal, || json!({ "deal_id": id("deal") }), &["deal_id"]).critical(),
    tool("create_inquiry_note", "Add a note to an inquiry", Inquiries, "Writes a note about a website inquiry, for the team.",
        plans::create_inquiry_note, || json!({ "inquiry_id": id("inquiry"), "body": words("The note.", NOTE_CHARS_MAX) }), &["inquiry_id", "body"]).off(),
    tool("start_broadcast", "Start a broadcast", Broadcasts, "Sends an approved template to a segment or to contacts with a tag.",
        plans::start_broadcast, || json!({
            "name": words("What the broadcast is called.", 200), "template": words("The template's name.", 512),
            "language": words("Its language, such as en_US.", 20), "segment_id": id("segment"),
            "tag_ids": { "type": "array", "items": id("tag"), "maxItems": 100 },
            "schedule_at": { "type": "string", "format": "date-time", "description": "When to start; at once when left out." },
        }), &["name", "template"]).reaching(Reach::Account).critical(),
    tool("remember", "Remember", Memory, "Keeps a fact for later conversations.",
        plans::remember, || json!({
            "content": words("The fact, in one or two sentences.", 2_000), "contact_id": own("contact"),
            "about": { "type": "string", "enum": ["contact", "account"], "description": "Whom it is about; the contact when left out." },
        }), &["content"]),
    tool("recall", "Recall", Memory, "Looks for facts that were kept. The most relevant ones are in your prompt already.",
        plans::recall, || json!({ "q": words("Words to look for.", 200), "contact_id": own("contact"), "limit": limit() }), &["q"]),
    tool("forget", "Forget", Memory, "Forgets a fact that is no longer true.",
        plans::forget, || json!({ "memory_id": id("memory") }), &["memory_id"]).off(),
    tool("delegate", "Delegate", Runs, "Gives a part of the work to a sub-assistant and waits for its result. It knows nothing but what you tell it.",
        nothing, || json!({
            "goal": words("What it is to do, with everything that it needs to know.", GOAL_CHARS_MAX),
            "tools": { "type": "array", "items": { "type": "string" }, "maxItems": 40, "description": "The tools that it gets; all that it may have when left out." },
        }), &["goal"]).working(Work::Delegate),
    tool("schedule_follow_up", "Schedule a follow-up", Runs, "Starts a run about the same contact later, with a goal of its own.",
        nothing, || json!({
            "run_at": { "type": "string", "format": "date-time", "description": "When, such as 2026-01-31T09:30:00Z." },
            "goal": words("What is to be done then.", GOAL_CHARS_MAX),
        }), &["run_at", "goal"]).working(Work::FollowUp),
];
