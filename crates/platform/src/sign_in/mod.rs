//! Sign-in of members in a browser.
//!
//! A *login* is one person: a password and an optional second factor. A member gets a login by opening a
//! one-time link. An email address has one login: if it has one already, the person signs in to it and joins the
//! account with the link. A link never checks a password, so an admin who invites someone else's address gets neither
//! that person's login nor access to their other accounts.
//!
//! A *session* is a random token in a cookie, stored as a hash. Its [principal](crate::Principal) is the
//! current membership, with the scopes of its role.

pub mod audit;
pub mod failures;
pub mod identities;
pub mod links;
pub mod logins;
pub mod orphans;
pub mod password;
pub mod reset;
pub mod sessions;
mod sql;
pub mod totp;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_kernel::Secret;
use frontdesk_kernel::key::{self, KeyHash};
use frontdesk_kernel::scope::{Scope, Scopes};

use crate::export::Exported;
use crate::members::Role;
use crate::sealing::SealedColumn;

pub use links::{LINK_HOURS, Link, LinkAuthor, LinkRights, NewLink, Purpose};
pub use logins::{Login, LoginId, Membership};
pub use password::{NewPassword, TypedPassword};
pub use sessions::{ActiveSession, SessionId};
pub use sql::STATEMENTS;

/// Of sign-in, only the audit log is exported. Logins and sessions are secrets of people, not rows of the account.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&audit::EXPORTED];

/// The columns that hold sealed values.
pub const SEALED_COLUMNS: [SealedColumn; 2] = [logins::TOTP_SECRET, logins::TOTP_PENDING];

/// The scopes of agents. Owners and admins have every scope.
const AGENT_SCOPES: &[Scope] = &[
    Scope::ContactsRead,
    Scope::ContactsWrite,
    Scope::ConversationsRead,
    Scope::ConversationsWrite,
    Scope::MessagesRead,
    Scope::MessagesSend,
    Scope::TemplatesRead,
    Scope::DealsRead,
    Scope::DealsWrite,
    Scope::InquiriesRead,
    Scope::InquiriesWrite,
    Scope::BroadcastsRead,
    Scope::AssistantsRead,
    Scope::RunsRead,
    Scope::AsksRead,
    Scope::AsksAnswer,
];

impl Role {
    /// The scopes of this role in the dashboard.
    pub fn scopes(self) -> Scopes {
        match self {
            Self::Owner | Self::Admin => Scopes::all(),
            Self::Agent => AGENT_SCOPES.iter().copied().collect(),
        }
    }

    /// Whether a member of this role manages the account.
    pub fn manages(self) -> bool {
        matches!(self, Self::Owner | Self::Admin)
    }
}

/// Encodes random bytes as the token of a link or a cookie.
pub fn token(random: &[u8; 32]) -> Secret {
    Secret::new(URL_SAFE_NO_PAD.encode(random))
}

/// The stored hash of a token.
pub fn token_hash(token: &str) -> KeyHash {
    key::hash(token.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_works_and_does_not_administer() {
        let agent = Role::Agent.scopes().effective();
        assert_eq!(agent, Role::Agent.scopes(), "the reads that writes include are named");
        for scope in [
            Scope::BroadcastsSend,
            Scope::AssistantsWrite,
            Scope::RunsStart,
            Scope::AiUsage,
            Scope::WebhooksManage,
        ] {
            assert!(!agent.contains(scope), "{}", scope.name());
        }
        assert_eq!(AGENT_SCOPES.len() + 5, Scope::ALL.len());
        assert_eq!(Role::Owner.scopes(), Scopes::all());
        assert!(Role::Owner.manages() && Role::Admin.manages() && !Role::Agent.manages());
    }

    #[test]
    fn a_token_is_43_characters_and_is_found_by_its_hash() {
        let one = token(&[1; 32]);
        assert_eq!(one.reveal().len(), 43);
        assert_eq!(token_hash(one.reveal()), token_hash(token(&[1; 32]).reveal()));
        assert_ne!(token_hash(one.reveal()), token_hash(token(&[2; 32]).reveal()));
    }
}
