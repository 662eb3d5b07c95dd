//! The conversation of a trial, and the assistant that replies to it.

use frontdesk_kernel::Text;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_web::{Items, Problems, choice, input};
use serde_json::{Map, Value};

use crate::assistants::{BOUND_MAX, NewAssistant};
use crate::instructions::NewInstruction;
use crate::runs::driver::trial::TrialMessage as Said;

/// Maximum messages of the conversation, and maximum characters of one.
pub(crate) const MESSAGES_MAX: usize = 40;
const MESSAGE_CHARS_MAX: usize = 4_000;

choice! {
    /// Who wrote a message of a trial.
    pub enum TrialSide {
        Customer => "customer",
        Assistant => "assistant",
    }
}

input! {
    /// A message of a trial.
    pub struct TrialMessage {
        pub from: TrialSide,
        pub text: Text<MESSAGE_CHARS_MAX>,
    }
}

input! {
    /// An assistant to try out, and a conversation for it to reply to.
    pub struct NewTrial {
        /// The stored assistant that the cost counts for. None when left out.
        pub assistant_id: Option<AssistantId>,
        /// The assistant. It need not be stored.
        pub assistant: NewAssistant,
        /// The instructions that it follows, in order.
        pub instructions: Option<Items<NewInstruction, BOUND_MAX>>,
        /// The conversation so far, 1 to 40 messages. The last one is the customer's.
        pub messages: Items<TrialMessage, MESSAGES_MAX>,
    }
    shape = check_last;
}

/// Checks that the conversation ends with a message of the customer.
pub(crate) fn check_last(request: &Map<String, Value>, problems: &mut Problems) {
    let Some(messages) = request.get("messages").and_then(Value::as_array) else { return };
    if messages.last().is_none_or(|last| last["from"] != TrialSide::Customer.as_str()) {
        problems.add("messages", "must end with a message of the customer");
    }
}

/// The messages as the trial takes them.
pub(crate) fn told(messages: Items<TrialMessage, MESSAGES_MAX>) -> Vec<Said> {
    let messages = messages.0.into_iter().map(|message| Said {
        is_from_customer: message.from == TrialSide::Customer,
        text: message.text.into_string(),
    });
    messages.collect()
}
