//! What a notification says. It is read when it is sent, so it is never out of date, and nothing that was erased is told.

use frontdesk_agent::asks::{AskKind, AskStatus};
use frontdesk_agent::tools;
use frontdesk_db::{self as db, ReadTx, only};
use frontdesk_inbox::conversations::{ConversationId, Handler};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::scope::{Scope, Scopes};
use frontdesk_web::choice;
use serde::Serialize;
use uuid::Uuid;

use super::device::PushKind;
use super::sql::{ASK, CONVERSATION, MEMBER, MESSAGE, NOTE, UNREAD};

/// Characters of a text and of a name in a notification. Browsers show less.
const TEXT_CHARS_MAX: usize = 200;
const NAME_CHARS_MAX: usize = 80;

choice! {
    /// What happened.
    pub(super) enum NoticeKind {
        Mention => "mention",
        Assignment => "assignment",
        Message => "message",
        /// An assistant has handed a conversation over to nobody in particular.
        HandedOff => "handed_off",
        Ask => "ask",
        Test => "test",
    }
}

db::text_column!(NoticeKind);

/// A notification as the service worker reads it. The worker has the sentences, in every language.
#[derive(Debug, Serialize)]
pub(super) struct Notice {
    kind: NoticeKind,
    language: String,
    /// Where a click leads.
    path: String,
    /// A later notification with the same tag takes the place of this one.
    tag: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_id: Option<ConversationId>,
    /// The customer, or the assistant that asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The colleague who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<String>,
    /// The kind of an ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    ask: Option<AskKind>,
    /// The words; left out unless the device is to have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Conversations of the member with something unread.
    unread: i64,
}

impl Notice {
    /// The conversation that it is about.
    pub(super) fn conversation(&self) -> Option<ConversationId> {
        self.conversation_id
    }
}

/// For whom a notification is read.
pub(super) struct Reader {
    pub(super) account: AccountId,
    pub(super) user: UserId,
    pub(super) scopes: Scopes,
    pub(super) kinds: Vec<PushKind>,
    pub(super) with_text: bool,
    pub(super) language: String,
}

/// What is stored of a notification.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) kind: NoticeKind,
    pub(super) about: Uuid,
    pub(super) cause: Uuid,
    pub(super) actor: Option<UserId>,
}

struct Facts {
    assigned: Option<UserId>,
    handler: Handler,
    unread: i64,
    handed_off: bool,
    name: Option<String>,
}

/// The notification for a reader; none if there is nothing to tell them any more.
pub(super) fn compose(tx: &mut ReadTx<'_>, to: &Reader, stored: Stored) -> db::Result<Option<Notice>> {
    let Stored { kind, about, cause, actor } = stored;
    let wants = |kind: PushKind| to.kinds.contains(&kind);
    let mut notice = Notice {
        kind,
        language: to.language.clone(),
        path: String::new(),
        tag: about.to_string(),
        conversation_id: None,
        name: None,
        actor: None,
        ask: None,
        text: None,
        unread: tx.find(UNREAD, &[&to.account, &to.user], only)?.unwrap_or(0),
    };
    if let Some(actor) = actor {
        notice.actor = short(tx.find(MEMBER, &[&to.account, &actor], only)?, NAME_CHARS_MAX);
    }
    match kind {
        NoticeKind::Test => "settings/preferences".clone_into(&mut notice.path),
        NoticeKind::Ask => {
            let found = tx.find(ASK, &[&to.account, &cause], |row| {
                let (kind, prompt): (AskKind, String) = (row.next()?, row.next()?);
                let (tool, status): (Option<String>, AskStatus) = (row.next()?, row.next()?);
                Ok((kind, prompt, tool, status, row.next::<Option<String>>()?))
            })?;
            let Some((kind, prompt, tool, AskStatus::Pending, assistant)) = found else { return Ok(None) };
            if !wants(PushKind::Asks) || !may_answer(to.scopes, tool.as_deref()) {
                return Ok(None);
            }
            (notice.ask, notice.name) = (Some(kind), short(assistant, NAME_CHARS_MAX));
            notice.text = short(Some(prompt), TEXT_CHARS_MAX);
            "approvals".clone_into(&mut notice.path);
        }
        NoticeKind::Mention | NoticeKind::Assignment | NoticeKind::Message | NoticeKind::HandedOff => {
            let Some(facts) = facts(tx, to.account, about)? else { return Ok(None) };
            let mine = facts.assigned == Some(to.user);
            let free = facts.assigned.is_none() && facts.handler == Handler::Human;
            let is_told = match kind {
                NoticeKind::Mention => wants(PushKind::Mentions),
                NoticeKind::Assignment => mine && wants(PushKind::Assignments),
                NoticeKind::HandedOff => free && facts.handed_off && wants(PushKind::Unassigned),
                _ => {
                    let wanted = (mine && wants(PushKind::Messages)) || (free && wants(PushKind::Unassigned));
                    wanted && facts.handler == Handler::Human && facts.unread > 0
                }
            };
            if !is_told {
                return Ok(None);
            }
            let text = match kind {
                NoticeKind::Mention => tx.find(NOTE, &[&to.account, &cause], only::<Option<String>>)?,
                NoticeKind::Message => tx.find(MESSAGE, &[&to.account, &cause], only::<Option<String>>)?,
                _ => Some(None),
            };
            // It was erased meanwhile.
            let Some(text) = text else { return Ok(None) };
            notice.text = short(text, TEXT_CHARS_MAX);
            notice.name = short(facts.name, NAME_CHARS_MAX);
            notice.conversation_id = Some(ConversationId::from_uuid(about));
            notice.path = format!("inbox/{about}");
        }
    }
    if !to.with_text {
        notice.text = None;
    }
    Ok(Some(notice))
}

fn facts(tx: &mut ReadTx<'_>, account: AccountId, conversation: Uuid) -> db::Result<Option<Facts>> {
    tx.find(CONVERSATION, &[&account, &conversation], |row| {
        let (assigned, handler, unread) = (row.next()?, row.next()?, row.next()?);
        let handed_off = row.next::<Option<Timestamp>>()?.is_some();
        let name: Option<String> = row.next()?;
        let (phone, email): (Option<String>, Option<String>) = (row.next()?, row.next()?);
        Ok(Facts { assigned, handler, unread, handed_off, name: name.or(phone).or(email) })
    })
}

/// The beginning of a text; none if there are no words in it.
fn short(text: Option<String>, chars_max: usize) -> Option<String> {
    let text = text?;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut kept: String = words.chars().take(chars_max).collect();
    if kept.len() < words.len() {
        kept.push('…');
    }
    (!kept.is_empty()).then_some(kept)
}

/// Approving a tool's use needs the scope of the tool's operation.
pub(super) fn may_answer(scopes: Scopes, tool: Option<&str>) -> bool {
    let of_tool = tool.and_then(tools::approval_scope);
    scopes.contains(Scope::AsksAnswer) && of_tool.is_none_or(|scope| scopes.contains(scope))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::push::encryption::TEXT_BYTES_MAX;

    #[test]
    fn the_longest_notification_fits() {
        let worst = "\u{1}x ".repeat(TEXT_CHARS_MAX);
        let text = |max| short(Some(worst.clone()), max);
        let notice = Notice {
            kind: NoticeKind::Assignment,
            language: "x".repeat(20),
            path: format!("inbox/{}", Uuid::max()),
            tag: Uuid::max().to_string(),
            conversation_id: Some(ConversationId::from_uuid(Uuid::max())),
            name: text(NAME_CHARS_MAX),
            actor: text(NAME_CHARS_MAX),
            ask: Some(AskKind::Approval),
            text: text(TEXT_CHARS_MAX),
            unread: i64::MAX,
        };
        assert!(serde_json::to_vec(&notice).unwrap().len() <= TEXT_BYTES_MAX);
    }

    #[test]
    fn a_long_text_is_cut_and_a_blank_one_is_none() {
        assert_eq!(short(Some(" a\n b ".into()), 10).as_deref(), Some("a b"));
        assert_eq!(short(Some("äöü".into()), 2).as_deref(), Some("äö…"));
        assert_eq!((short(Some(" \n".into()), 2), short(None, 2)), (None, None));
    }
}
