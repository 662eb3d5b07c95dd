//! Principals: who acts on an account, with which scopes.
//!
//! Admission turns a proof of identity into a principal: an API key, a member's session, an assistant's run.
//! Everything after that, from scopes to attribution, depends on the principal alone.

use std::sync::Arc;

use frontdesk_kernel::ids::{AccountId, ApiKeyId, AssistantId, UserId};
use frontdesk_kernel::scope::{Scope, Scopes};
use frontdesk_web::Failure;

use crate::keys::KeyRecord;

/// The kind and id of the actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// A program that sends an API key.
    Key(ApiKeyId),
    /// A person who is signed in.
    Member(UserId),
    Assistant(AssistantId),
    /// No actor: a customer writes, a form is submitted, a booking ends.
    System,
}

/// Who acts on an account.
#[derive(Clone, Debug)]
pub struct Principal {
    pub account: AccountId,
    pub actor: Actor,
    /// Its scopes, with the scopes that they include.
    pub scopes: Scopes,
    /// The member to whom its writes are attributed.
    pub author: UserId,
    /// The API key behind it, for `GET /me`.
    key: Option<Arc<KeyRecord>>,
}

impl Principal {
    /// A key's writes are attributed to the member who created it, or to the owner once that member has left.
    pub fn of_key(key: Arc<KeyRecord>) -> Self {
        Self {
            account: key.account,
            actor: Actor::Key(key.id),
            scopes: key.effective,
            author: key.author,
            key: Some(key),
        }
    }

    /// A member who is signed in, with the scopes of their role.
    pub fn of_member(account: AccountId, user: UserId, scopes: Scopes) -> Self {
        Self { account, actor: Actor::Member(user), scopes: scopes.effective(), author: user, key: None }
    }

    /// An assistant. Writes that need a member as author are attributed to `author`.
    pub fn of_assistant(account: AccountId, id: AssistantId, author: UserId, scopes: Scopes) -> Self {
        Self { account, actor: Actor::Assistant(id), scopes: scopes.effective(), author, key: None }
    }

    /// The key behind it, by its name.
    pub fn key_name(&self) -> Option<&str> {
        self.key.as_deref().map(|key| key.name.as_str())
    }

    /// Whether it is a key that carries out at once what otherwise waits for a person's approval.
    pub fn is_unattended(&self) -> bool {
        self.key.as_deref().is_some_and(|key| key.unattended)
    }

    pub(crate) fn key(&self) -> Option<&KeyRecord> {
        self.key.as_deref()
    }

    /// Refuses a principal that lacks a scope.
    pub(crate) fn need(&self, scope: Scope) -> Result<(), Failure> {
        if self.scopes.contains(scope) {
            return Ok(());
        }
        let name = scope.name();
        let message = match self.actor {
            Actor::Key(_) => format!("This key lacks the scope {name}. Use a key that has it."),
            Actor::Member(_) => {
                format!(
                    "Your role lacks the scope {name}. Ask an owner or an admin of the account to do this."
                )
            }
            Actor::Assistant(_) | Actor::System => {
                format!("This needs the scope {name}, which is not granted. Leave it to a person.")
            }
        };
        Err(Failure::forbidden("scope", message))
    }
}

impl Actor {
    /// The name under which this actor's `Idempotency-Key` is stored.
    ///
    /// API keys of one account share their idempotency keys. The others have their own, separated by a space,
    /// which no idempotency key contains.
    pub(crate) fn idempotency_key(self, key: String) -> String {
        match self {
            Self::Key(_) => key,
            Self::Member(user) => format!("member {user} {key}"),
            Self::Assistant(id) => format!("assistant {id} {key}"),
            Self::System => format!("system {key}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn idempotency_keys_of_different_kinds_of_actors_are_kept_apart() {
        let id = Uuid::from_u128(7);
        let stored = |actor: Actor| actor.idempotency_key("order-42".to_owned());
        assert_eq!(stored(Actor::Key(ApiKeyId::from_uuid(id))), "order-42");
        let others = [
            Actor::Member(UserId::from_uuid(id)),
            Actor::Assistant(AssistantId::from_uuid(id)),
            Actor::System,
        ];
        for actor in others {
            assert!(stored(actor).contains(' '), "{actor:?}");
            assert_eq!(
                others.iter().filter(|other| stored(**other) == stored(actor)).count(),
                1,
                "{actor:?}"
            );
        }
    }
}
