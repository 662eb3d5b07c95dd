//! The contact and the conversation of a run, and the ids that its tools may name.

use frontdesk_crm::contacts::ContactId;
use frontdesk_inbox::conversations::ConversationId;
use serde_json::{Map, Value};

/// Why a tool call is refused. The model reads this text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) String);

impl Refused {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// A record that is named by its id, or a contact that is named by its phone number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owned {
    Deal(String),
    Inquiry(String),
    Memory(String),
    Conversation(String),
    Phone(String),
}

/// A record, and the contact that must own it.
pub(crate) type Check = Option<(Owned, ContactId)>;

/// The contact and the conversation that a run is about, and whether this tool is confined to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub(crate) contact: Option<ContactId>,
    pub(crate) conversation: Option<ConversationId>,
    pub(crate) is_confined: bool,
}

impl Binding {
    /// The contact that a tool acts on: the one in the arguments, or else the run's.
    pub(crate) fn contact(&self, arguments: &Map<String, Value>) -> Result<String, Refused> {
        let bound = self.contact.map(|contact| contact.to_string());
        self.choose(arguments, "contact_id", bound)
    }

    /// The conversation that a tool acts on: the one in the arguments, or else the run's. A confined run that is about a
    /// contact but not about a conversation may name the conversations of its contact, which is checked before the call.
    pub(crate) fn conversation(&self, arguments: &Map<String, Value>) -> Result<(String, Check), Refused> {
        match (text(arguments, "conversation_id"), self.conversation) {
            (Some(given), None) if self.is_confined => {
                let check = self.owner()?.map(|contact| (Owned::Conversation(given.clone()), contact));
                Ok((given, check))
            }
            (_, bound) => {
                let bound = bound.map(|conversation| conversation.to_string());
                Ok((self.choose(arguments, "conversation_id", bound)?, None))
            }
        }
    }

    /// The contact that a list is filtered by, if any.
    pub(crate) fn narrowed(&self, arguments: &Map<String, Value>) -> Result<Option<String>, Refused> {
        if self.is_confined {
            return self.contact(arguments).map(Some);
        }
        Ok(text(arguments, "contact_id"))
    }

    /// In a confined run, the contact that must own a record that is named by its id.
    pub(crate) fn owner(&self) -> Result<Option<ContactId>, Refused> {
        match (self.is_confined, self.contact) {
            (true, None) => Err(Refused::new("This run is not about a contact, so it cannot do this.")),
            (true, contact) => Ok(contact),
            (false, _) => Ok(None),
        }
    }

    fn choose(
        &self,
        arguments: &Map<String, Value>,
        name: &str,
        bound: Option<String>,
    ) -> Result<String, Refused> {
        let noun = name.trim_end_matches("_id");
        match (text(arguments, name), bound) {
            (Some(given), Some(bound)) if self.is_confined && given != bound => Err(Refused::new(format!(
                "This run may only act on the {noun} that it is about. Leave {name} out."
            ))),
            (Some(_), None) if self.is_confined => {
                Err(Refused::new(format!("This run is not about a {noun}, so it cannot do this.")))
            }
            (Some(given), _) => Ok(given),
            (None, Some(bound)) => Ok(bound),
            (None, None) => {
                Err(Refused::new(format!("{name} is required, because this run is not about a {noun}.")))
            }
        }
    }
}

/// An argument as text. Ids are compared in lower case.
pub(crate) fn text(arguments: &Map<String, Value>, name: &str) -> Option<String> {
    let given = arguments.get(name)?.as_str()?.trim();
    let given = if name.ends_with("_id") { given.to_ascii_lowercase() } else { given.to_owned() };
    Some(given).filter(|given| !given.is_empty())
}
