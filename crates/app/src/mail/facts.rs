//! What a mail tells, read when it is sent: nothing that is over is mailed, and nothing that was erased is told.

use frontdesk_crm::brands;
use frontdesk_db::{self as db, ReadTx, only};
use frontdesk_inbox::connections::ConnectionStatus;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, ConversationId, UserId};
use frontdesk_platform::mails::{MailKind, MailLanguage, choices};
use frontdesk_platform::members::Role;
use serde::Deserialize;
use uuid::Uuid;

use super::queue::Stored;
use super::sql::{
    BROADCAST, CONNECTION, CONVERSATION_NAME, DEVICE_LANGUAGE, ENDPOINT, NAME_OF_MEMBER, NOTE,
    OWNER_LANGUAGE, RECIPIENT, WRITTEN_SINCE,
};

/// What a mail tells.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Facts {
    /// The link is made when the mail is sent.
    Invitation {
        inviter: Option<String>,
        url: String,
    },
    PasswordReset {
        inviter: Option<String>,
        url: String,
    },
    EndpointDisabled {
        id: Uuid,
        url: String,
        reason: Option<String>,
    },
    ChannelDisconnected {
        id: Uuid,
        channel: String,
        reason: Option<String>,
    },
    BudgetWarning {
        spent_usd: f64,
        budget_usd: f64,
    },
    BudgetExhausted {
        spent_usd: f64,
        budget_usd: f64,
    },
    BroadcastStopped {
        id: Uuid,
        broadcast: String,
        reason: Option<String>,
    },
    Mention {
        conversation: Uuid,
        author: String,
        contact: Option<String>,
        note: String,
    },
    Test,
}

impl Facts {
    /// The page that shows what it is about.
    pub(super) fn path(&self) -> String {
        match self {
            Self::EndpointDisabled { id, .. } => format!("/app/developers/webhooks/{id}"),
            Self::ChannelDisconnected { id, .. } => format!("/app/settings/channels/{id}"),
            Self::BudgetWarning { .. } | Self::BudgetExhausted { .. } => "/app/spend".to_owned(),
            Self::BroadcastStopped { id, .. } => format!("/app/broadcasts/{id}"),
            Self::Mention { conversation, .. } => format!("/app/inbox/{conversation}"),
            Self::Invitation { .. } | Self::PasswordReset { .. } => "/app/password".to_owned(),
            Self::Test => "/app".to_owned(),
        }
    }

    /// Somebody else's words in it.
    pub(super) fn quote(&self) -> Option<&str> {
        match self {
            Self::EndpointDisabled { reason, .. }
            | Self::ChannelDisconnected { reason, .. }
            | Self::BroadcastStopped { reason, .. } => reason.as_deref(),
            Self::Mention { note, .. } => Some(note),
            _ => None,
        }
    }

    /// The facts with the link that was made for them.
    pub(super) fn with_link(self, link: String) -> Self {
        match self {
            Self::Invitation { inviter, .. } => Self::Invitation { inviter, url: link },
            Self::PasswordReset { inviter, .. } => Self::PasswordReset { inviter, url: link },
            other => other,
        }
    }
}

/// To whom a mail goes, and in whose name.
pub(super) struct Recipient {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) language: MailLanguage,
    pub(super) brand: String,
}

/// What was written down when the cause happened.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Detail {
    spent_usd: f64,
    budget_usd: f64,
    message: Option<String>,
}

/// The recipient and the facts of a mail; none if there is nothing to tell any more, or nobody.
pub(super) fn read(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    stored: &Stored,
) -> db::Result<Option<(Recipient, Facts)>> {
    let found = tx.find(RECIPIENT, &[&account, &stored.user], |row| {
        let (name, email): (String, Option<String>) = (row.next()?, row.next()?);
        let (role, account_name): (Role, String) = (row.next()?, row.next()?);
        Ok(email.map(|email| (name, email, role, account_name)))
    })?;
    let Some((name, email, role, account_name)) = found.flatten() else { return Ok(None) };
    let choices = choices::find(tx, account, stored.user)?;
    let kind = stored.kind;
    if !(kind.is_access() || kind.is_for(role) && choices.wants(kind)) {
        return Ok(None);
    }
    let Some(facts) = facts(tx, account, stored)? else { return Ok(None) };
    let language = match choices.language {
        Some(language) => language,
        None => other_language(tx, account, stored.user)?,
    };
    let brand = brands::find(tx, account)?.name.unwrap_or(account_name);
    Ok(Some((Recipient { name, email, language, brand }, facts)))
}

/// The language of the member's device, else the owner's, else English.
fn other_language(tx: &mut ReadTx<'_>, account: AccountId, user: UserId) -> db::Result<MailLanguage> {
    let device = tx.find(DEVICE_LANGUAGE, &[&account, &user], only::<String>)?;
    // Such as `de-AT`.
    let of_device = device.and_then(|text| text.split('-').next().and_then(|word| word.parse().ok()));
    if let Some(language) = of_device {
        return Ok(language);
    }
    let of_owner = tx.find(OWNER_LANGUAGE, &[&account], only::<Option<MailLanguage>>)?.flatten();
    Ok(of_owner.unwrap_or(MailLanguage::English))
}

fn facts(tx: &mut ReadTx<'_>, account: AccountId, stored: &Stored) -> db::Result<Option<Facts>> {
    let Stored { kind, about, cause, author, .. } = stored;
    let detail = || -> Detail {
        stored.detail.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    };
    let mut author_name = || match author {
        Some(author) => tx.find(NAME_OF_MEMBER, &[&account, author], only::<String>),
        None => Ok(None),
    };
    Ok(match kind {
        MailKind::Invitation => Some(Facts::Invitation { inviter: author_name()?, url: String::new() }),
        MailKind::PasswordReset => Some(Facts::PasswordReset { inviter: author_name()?, url: String::new() }),
        MailKind::BudgetWarning => {
            let Detail { spent_usd, budget_usd, .. } = detail();
            Some(Facts::BudgetWarning { spent_usd, budget_usd })
        }
        MailKind::BudgetExhausted => {
            let Detail { spent_usd, budget_usd, .. } = detail();
            Some(Facts::BudgetExhausted { spent_usd, budget_usd })
        }
        MailKind::EndpointDisabled => tx
            .find(ENDPOINT, &[&account, about], |row| {
                let (url, enabled, reason) = (row.next()?, row.next::<bool>()?, row.next()?);
                Ok((!enabled).then_some(Facts::EndpointDisabled { id: *about, url, reason }))
            })?
            .flatten(),
        MailKind::ChannelDisconnected => tx
            .find(CONNECTION, &[&account, about], |row| {
                let (channel, status) = (row.next()?, row.next::<ConnectionStatus>()?);
                let reason = row.next()?;
                let is_over = status == ConnectionStatus::Connected;
                Ok((!is_over).then_some(Facts::ChannelDisconnected { id: *about, channel, reason }))
            })?
            .flatten(),
        MailKind::BroadcastStopped => {
            let broadcast = tx.find(BROADCAST, &[&account, about], only::<String>)?;
            let reason = detail().message;
            broadcast.map(|broadcast| Facts::BroadcastStopped { id: *about, broadcast, reason })
        }
        MailKind::Mention => {
            let note = tx.find(NOTE, &[&account, cause], only::<String>)?;
            let Some(note) = note else { return Ok(None) };
            let has_written =
                tx.find(WRITTEN_SINCE, &[&account, about, &stored.user, cause], only::<Uuid>)?.is_some();
            if has_written {
                return Ok(None);
            }
            let found = tx.find(CONVERSATION_NAME, &[&account, about], |row| {
                let (name, phone, email): (Option<String>, Option<String>, Option<String>) =
                    (row.next()?, row.next()?, row.next()?);
                Ok(name.or(phone).or(email))
            })?;
            let Some(contact) = found else { return Ok(None) };
            let author = match author {
                Some(author) => tx.find(NAME_OF_MEMBER, &[&account, author], only::<String>)?,
                None => None,
            };
            let author = author.unwrap_or_default();
            Some(Facts::Mention { conversation: *about, author, contact, note })
        }
    })
}

/// The conversation that a mail is about, if the member may look at it meanwhile.
pub(super) fn conversation(stored: &Stored) -> Option<ConversationId> {
    (stored.kind == MailKind::Mention).then(|| ConversationId::from_uuid(stored.about))
}

/// Whether a mail has waited for longer than it is tried.
pub(super) fn is_stale(stored: &Stored, queued_at: Timestamp, now: Timestamp) -> bool {
    now > queued_at + stored.kind.tried_for() + super::MENTION_DELAY
}
