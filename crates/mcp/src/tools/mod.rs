//! The tools: what each is called and for whom it is, and how it is run.

mod answer;
mod arguments;
mod draft;
mod open;
mod run;
mod schedule;
mod search;
mod send;
mod update;
mod waiting;

use frontdesk_kernel::Scope;
use serde_json::{Map, Value, json};

use crate::api::{Api, Refused};
use crate::approval::{Answer, Person};

pub(crate) use open::open_uri;

/// The arguments of a call.
pub(crate) type Arguments = Map<String, Value>;

/// What reading a resource costs: as much as `open`.
pub(crate) const READ_UNITS: i64 = 4;

/// A tool.
pub(crate) struct ToolSpec {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    /// A key with any of these scopes sees it.
    pub(crate) scopes: &'static [Scope],
    pub(crate) units: i64,
    pub(crate) is_read_only: bool,
    schema: fn() -> Value,
}

impl ToolSpec {
    /// The tool as clients read it.
    pub(crate) fn listed(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": (self.schema)(),
            "annotations": {
                "readOnlyHint": self.is_read_only,
                "destructiveHint": !self.is_read_only,
                "idempotentHint": self.is_read_only,
                "openWorldHint": false,
            },
        })
    }

    /// Whether somebody with these scopes may use it.
    pub(crate) fn is_for(&self, api: &Api) -> bool {
        self.scopes.iter().any(|scope| api.can(*scope))
    }
}

pub(crate) fn find(name: &str) -> Option<&'static ToolSpec> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Every tool, in the order in which it is listed.
pub(crate) static TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "search",
        title: "Search",
        description: "Finds people, conversations, deals and messages by words. Use open to read one that was found.",
        scopes: &[Scope::ContactsRead, Scope::ConversationsRead, Scope::DealsRead, Scope::MessagesRead],
        units: 4,
        is_read_only: true,
        schema: search::schema,
    },
    ToolSpec {
        name: "open",
        title: "Open",
        description: "Reads a person with conversations, deals and notes; a conversation with its messages; or a deal, a run with \
                      its steps, an ask, an inquiry or one message. What was too long says cut; part whole reads all of it.",
        scopes: &[
            Scope::ContactsRead,
            Scope::ConversationsRead,
            Scope::MessagesRead,
            Scope::DealsRead,
            Scope::RunsRead,
            Scope::AsksRead,
            Scope::InquiriesRead,
        ],
        units: READ_UNITS,
        is_read_only: true,
        schema: open::schema,
    },
    ToolSpec {
        name: "whats_waiting",
        title: "What is waiting",
        description: "Lists what waits for a person: conversations with unread messages, asks, and new inquiries.",
        scopes: &[Scope::ConversationsRead, Scope::AsksRead, Scope::InquiriesRead],
        units: 3,
        is_read_only: true,
        schema: waiting::schema,
    },
    ToolSpec {
        name: "draft_reply",
        title: "Draft a reply",
        description: "Puts a suggested reply into a conversation as a private note, where the team reads it. Nothing is sent.",
        scopes: &[Scope::ConversationsWrite],
        units: 1,
        is_read_only: false,
        schema: draft::schema,
    },
    ToolSpec {
        name: "send",
        title: "Send",
        description: "Sends a text or a template to a customer, or a template to many. A person approves it before anything is \
                      sent, so it usually returns waiting_for_approval.",
        scopes: &[Scope::MessagesSend, Scope::BroadcastsSend],
        units: 5,
        is_read_only: false,
        schema: send::schema,
    },
    ToolSpec {
        name: "update",
        title: "Update",
        description: "Changes a contact, its tags or notes, a conversation, a deal or an inquiry. What removes data, concerns many \
                      rows, moves a deal or may reach customers waits for a person's approval.",
        scopes: &[Scope::ContactsWrite, Scope::ConversationsWrite, Scope::DealsWrite, Scope::InquiriesWrite],
        units: 2,
        is_read_only: false,
        schema: update::schema,
    },
    ToolSpec {
        name: "schedule",
        title: "Schedule",
        description: "Puts a conversation aside until a time, or plans a broadcast or a run of an assistant. A person approves the \
                      latter two.",
        scopes: &[Scope::ConversationsWrite, Scope::BroadcastsSend, Scope::AssistantsWrite],
        units: 5,
        is_read_only: false,
        schema: schedule::schema,
    },
    ToolSpec {
        name: "run_assistant",
        title: "Run an assistant",
        description: "Starts an assistant of the account on a goal, once a person has approved it. Leave out assistant_id to list the \
                      assistants.",
        scopes: &[Scope::RunsStart],
        units: 10,
        is_read_only: false,
        schema: run::schema,
    },
    ToolSpec {
        name: "answer_ask",
        title: "Answer an ask",
        description: "Passes your user's answer to an ask on. Your user has to confirm it; a model must not decide by itself.",
        scopes: &[Scope::AsksAnswer],
        units: 2,
        is_read_only: false,
        schema: answer::schema,
    },
];

/// Runs a tool.
pub(crate) async fn run(
    api: &Api,
    tool: &ToolSpec,
    arguments: Arguments,
    person: &Person,
) -> Result<Answer, Refused> {
    if !tool.is_for(api) {
        let names: Vec<&str> = tool.scopes.iter().map(|scope| scope.name()).collect();
        return Err(Refused::new(format!(
            "This key has none of the scopes that {} needs: {}. Use a key that has one.",
            tool.name,
            names.join(", ")
        )));
    }
    match tool.name {
        "search" => search::run(api, arguments).await.map(Answer::from),
        "open" => open::run(api, arguments).await.map(Answer::from),
        "whats_waiting" => waiting::run(api, arguments).await.map(Answer::from),
        "draft_reply" => draft::run(api, arguments, person).await,
        "send" => send::run(api, arguments, person).await,
        "update" => update::run(api, arguments, person).await,
        "schedule" => schedule::run(api, arguments, person).await,
        "run_assistant" => run::run(api, arguments, person).await,
        _ => answer::run(api, arguments, person).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_described_and_takes_an_object() {
        assert_eq!(TOOLS.len(), 9);
        for tool in TOOLS {
            let listed = tool.listed();
            assert!(tool.description.len() > 40 && tool.units >= 1, "{}", tool.name);
            assert_eq!(listed["inputSchema"]["type"], "object", "{}", tool.name);
            assert_eq!(listed["inputSchema"]["additionalProperties"], false, "{}", tool.name);
        }
    }
}
