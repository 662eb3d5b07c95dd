//! The scopes of keys. Write scopes include the reads they need, one level deep.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

macro_rules! scopes {
    ($($variant:ident $name:literal $grants:literal [$($included:ident),*];)+) => {
        /// A permission of a key.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Scope { $($variant),+ }

        impl Scope {
            pub const ALL: &[Scope] = &[$(Scope::$variant),+];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// A description of what it allows.
            pub const fn grants(self) -> &'static str {
                match self { $(Self::$variant => $grants),+ }
            }

            /// The scopes that it includes.
            pub const fn includes(self) -> &'static [Scope] {
                match self { $(Self::$variant => &[$(Self::$included),*]),+ }
            }
        }
    };
}

scopes! {
    ContactsRead "contacts:read" "view contacts, tags, custom fields, notes" [];
    ContactsWrite "contacts:write" "create and update contacts, tags, custom-field values, notes" [ContactsRead];
    ConversationsRead "conversations:read" "view conversations and team members" [];
    ConversationsWrite "conversations:write" "assign, change status, mark read, hand over to or from the AI" [ConversationsRead];
    MessagesRead "messages:read" "read messages and delivery status" [];
    MessagesSend "messages:send" "send text, template and media messages" [TemplatesRead];
    TemplatesRead "templates:read" "list WhatsApp message templates" [];
    BroadcastsRead "broadcasts:read" "view broadcasts and per-recipient delivery" [];
    BroadcastsSend "broadcasts:send" "create, schedule and cancel template broadcasts" [BroadcastsRead, TemplatesRead];
    DealsRead "deals:read" "view pipelines, stages, deals" [];
    DealsWrite "deals:write" "create, update, move, close and delete deals" [DealsRead];
    InquiriesRead "inquiries:read" "view website-form inquiries and their notes" [];
    InquiriesWrite "inquiries:write" "submit inquiries, change status, add notes" [InquiriesRead];
    AssistantsRead "assistants:read" "view assistants, their tools, the instruction library, stored memories" [];
    AssistantsWrite "assistants:write" "create and edit assistants, instructions, memories, triggers" [AssistantsRead];
    RunsRead "runs:read" "view assistant runs, event timelines, pending asks" [];
    RunsStart "runs:start" "start assistant runs with a supplied goal, and cancel them" [RunsRead];
    AsksRead "asks:read" "view approvals and questions an assistant is waiting on" [];
    AsksAnswer "asks:answer" "approve, decline or answer an assistant's questions" [AsksRead];
    AiUsage "ai:usage" "view AI spend and the monthly AI budget" [];
    WebhooksManage "webhooks:manage" "create and manage outbound webhook subscriptions" [];
}

/// A set of scopes, as one integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Scopes(u32);

impl Scopes {
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | 1 << scope as u32)
    }

    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u32) != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    /// These and the reads that they include.
    pub fn effective(self) -> Self {
        self.iter().flat_map(|scope| scope.includes().iter().copied()).fold(self, Self::with)
    }

    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    /// Reads a comma-separated list; blanks between are ignored.
    pub fn parse(list: &str) -> Result<Self, UnknownScope> {
        list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::parse).collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        scopes.into_iter().fold(Self::default(), Self::with)
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, scope) in self.iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            f.write_str(scope.name())?;
        }
        Ok(())
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Scope::name))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no scope {0:?}")]
pub struct UnknownScope(pub String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|scope| scope.name() == name)
            .ok_or_else(|| UnknownScope(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_go_one_level_deep() {
        for scope in Scope::ALL {
            let included: Scopes = scope.includes().iter().copied().collect();
            assert_eq!(included.effective(), included, "{scope:?}");
        }
        let granted = Scopes::parse("broadcasts:send, contacts:write").unwrap();
        assert_eq!(
            granted.effective().to_string(),
            "contacts:read,contacts:write,templates:read,broadcasts:read,broadcasts:send"
        );
    }

    #[test]
    fn lists_read_back_and_strangers_are_named() {
        assert_eq!(Scopes::parse(&Scopes::all().to_string()), Ok(Scopes::all()));
        assert_eq!(Scopes::parse("contacts:read,all"), Err(UnknownScope("all".into())));
    }
}
