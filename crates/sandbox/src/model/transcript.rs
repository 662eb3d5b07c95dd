//! A conversation, independent of the request's format.

use serde_json::Value;

/// A parsed conversation.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Conversation {
    /// The user's last message.
    pub(super) user: String,
    /// The user's messages since the model's last reply, as one text.
    pub(super) asked: String,
    /// The user's messages before those.
    pub(super) earlier: Vec<String>,
    /// Descriptions of the user's attachments since the model's last reply.
    pub(super) attachments: Vec<String>,
    /// Tools that the model called since then, in order.
    pub(super) calls: Vec<ToolUse>,
    /// Results of tools that were called before.
    pub(super) earlier_results: Vec<String>,
    pub(super) tools: Vec<Tool>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolUse {
    pub(super) name: String,
    pub(super) result: String,
    pub(super) is_error: bool,
}

/// A tool that is offered.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) parameters: Value,
}

/// An item of a conversation.
#[derive(Debug)]
pub(super) enum TranscriptItem {
    User { text: String, attachments: Vec<String> },
    Assistant,
    Call { id: String, name: String },
    Result { id: String, text: String, is_error: bool },
}

impl Conversation {
    pub(super) fn of(heard: Vec<TranscriptItem>, tools: Vec<Tool>) -> Self {
        let mut conversation = Self { tools, ..Self::default() };
        let mut said: Vec<String> = Vec::new();
        let mut has_spoken = false;
        let mut ids: Vec<String> = Vec::new();
        for one in heard {
            match one {
                TranscriptItem::User { text, attachments } => {
                    if has_spoken {
                        conversation.earlier.append(&mut said);
                        conversation.attachments.clear();
                        let results = conversation.calls.drain(..).map(|call| call.result);
                        conversation.earlier_results.extend(results);
                        ids.clear();
                        has_spoken = false;
                    }
                    conversation.attachments.extend(attachments);
                    let text = spoken(&text);
                    if !text.is_empty() {
                        conversation.user.clone_from(&text);
                        said.push(text);
                    }
                }
                TranscriptItem::Assistant => has_spoken = true,
                TranscriptItem::Call { id, name } => {
                    has_spoken = true;
                    ids.push(id);
                    conversation.calls.push(ToolUse { name, ..ToolUse::default() });
                }
                TranscriptItem::Result { id, text, is_error } => {
                    let call = ids.iter().position(|known| *known == id);
                    if let Some(call) = call.and_then(|index| conversation.calls.get_mut(index)) {
                        (call.result, call.is_error) = (text, is_error);
                    }
                }
            }
        }
        conversation.asked = said.join("\n");
        conversation
    }

    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// All results, the newest first.
    pub(super) fn results(&self) -> impl Iterator<Item = &str> {
        let latest = self.calls.iter().rev().map(|call| call.result.as_str());
        latest.chain(self.earlier_results.iter().rev().map(String::as_str))
    }
}

/// The user's own words, without records and markup that a program has added.
fn spoken(text: &str) -> String {
    let mut words = text.to_owned();
    while let Some(from) = words.find("<record>") {
        let end = words[from..].find("</record>").map_or(words.len(), |at| from + at + "</record>".len());
        words.replace_range(from..end, "");
    }
    words.replace("<customer_message>", "").replace("</customer_message>", "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_marks_are_not_what_a_user_says() {
        let text = "<record># The contact\n{}</record>\n<customer_message>Hello</customer_message>\nthere";
        assert_eq!(spoken(text), "Hello\nthere");
        assert_eq!(spoken("<record>cut off"), "");
    }

    fn user(text: &str) -> TranscriptItem {
        TranscriptItem::User { text: text.into(), attachments: Vec::new() }
    }

    #[test]
    fn the_question_is_everything_since_the_models_last_turn() {
        let call = |id: &str| TranscriptItem::Call { id: id.into(), name: "t".into() };
        let result = |id: &str, text: &str| TranscriptItem::Result {
            id: id.into(),
            text: text.into(),
            is_error: false,
        };
        let heard = vec![
            user("one"),
            call("a"),
            result("a", "first"),
            TranscriptItem::Assistant,
            user("two"),
            user("three"),
            call("b"),
            result("b", "second"),
        ];
        let conversation = Conversation::of(heard, Vec::new());
        assert_eq!((conversation.user.as_str(), conversation.asked.as_str()), ("three", "two\nthree"));
        assert_eq!(conversation.earlier, ["one"]);
        assert_eq!(
            conversation.calls,
            [ToolUse { name: "t".into(), result: "second".into(), is_error: false }]
        );
        assert_eq!(conversation.results().collect::<Vec<_>>(), ["second", "first"]);
    }
}
