//! Messages that their channels have accepted, which is the usual outcome. A batch of them costs one round trip
//! per table on PostgreSQL.
//!
//! The result of a batch is the same as that of its outcomes one by one. A message counts as sent even if its
//! lease is lost: the channel has it. If another server has put the call in doubt meanwhile, the doubt is over.

use std::collections::{HashMap, HashSet};

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;

use super::outcome::{SendOutcome, Sent, is_message};
use super::sql::{CONTACT, END};
use crate::identities;
use crate::media::Links;
use crate::messages::{self, Accepted, Change, MessageId, MessageStatus, Named};
use crate::outbox::{self, ConversationKey, Job};

/// Whether an outcome is settled here: the channel has accepted a message. A second part changes no status.
pub(super) fn is_accepted(sent: &Sent) -> bool {
    matches!(sent.outcome, SendOutcome::Accepted { .. }) && is_message(&sent.job) && sent.job.part == 0
}

/// Settles the outcomes that are [`is_accepted`]. The messages of the others are locked too, so that all
/// locks of a transaction are taken in the order of the messages.
pub(super) fn write(
    tx: &mut Tx<'_>,
    acting: &HashMap<AccountId, By>,
    links: &Links,
    taken: &[&Sent],
    others: &[&Sent],
) -> db::Result<()> {
    if taken.is_empty() {
        return Ok(());
    }
    let people: Vec<(&Job, Option<&str>)> =
        taken.iter().filter(|sent| !is_met(sent)).map(|sent| (&*sent.job, accepted_as(sent).1)).collect();
    meet(tx, &people)?;
    let now = acting[&taken[0].job.account].now;
    let claimed = taken.iter().filter(|sent| fresh(sent).is_none());
    let held = claimed.chain(others).map(|sent| key(&sent.job)).collect();
    let mut standing = messages::hold(tx, held, links, now)?;
    end(tx, taken)?;

    let fresh: Vec<Accepted<'_>> = taken.iter().copied().filter_map(fresh).collect();
    let marked = messages::mark_sent(tx, acting, &fresh)?;
    let rest: Vec<&Sent> = taken.iter().copied().filter(|sent| !marked.contains(&sent.job.message)).collect();
    // Fresh messages that something has changed are read after all.
    let changed = fresh.iter().filter(|it| !marked.contains(&it.of.message)).map(|it| it.of).collect();
    standing.extend(messages::hold(tx, changed, links, now)?);

    let mut names = free_names(tx, &rest)?;
    let named: HashMap<MessageId, &str> = names.iter().map(|name| (name.of.message, name.name)).collect();
    let changes = rest.iter().filter_map(|sent| {
        let message = sent.job.message;
        let change = Change {
            status: MessageStatus::Sent,
            channel_message_id: named.get(&message).map(|name| (*name).to_owned()),
            error: None,
            at: None,
        };
        Some((sent.job.account, standing.remove(&message)?, change))
    });
    messages::advance_many(tx, acting, changes.collect())?;
    names.extend(
        fresh
            .iter()
            .filter(|it| marked.contains(&it.of.message))
            .map(|it| Named { of: it.of, name: it.name }),
    );
    follow_up(tx, acting, links, taken, &names)
}

/// Whether the channel calls the person what it was asked to send to, and a contact is known by that.
fn is_met(sent: &Sent) -> bool {
    sent.job.is_person_known && accepted_as(sent).1 == Some(&sent.job.person)
}

/// A message that this process wrote a moment ago. It is usually as it was.
fn fresh(sent: &Sent) -> Option<Accepted<'_>> {
    Some(Accepted { of: key(&sent.job), written: sent.job.written.as_ref()?, name: accepted_as(sent).0? })
}

/// Stores the channels' ids of messages. An id of another message is left out: the channel's echo of a
/// message may have been stored before its response arrived.
fn free_names<'o>(tx: &mut Tx<'_>, taken: &[&'o Sent]) -> db::Result<Vec<Named<'o>>> {
    let name = |sent: &&'o Sent| Some(Named { of: key(&sent.job), name: accepted_as(sent).0? });
    let mut names: Vec<Named<'o>> = taken.iter().filter_map(name).collect();
    let mut met = HashSet::new();
    names.retain(|name| met.insert((name.of.account, name.of.connection, name.name)));
    let owners = messages::owners(tx, &names)?;
    let is_free =
        |(name, owner): &(Named<'o>, Option<MessageId>)| owner.is_none_or(|owner| owner == name.of.message);
    Ok(names.into_iter().zip(owners).filter(is_free).map(|(name, _)| name).collect())
}

fn key(job: &Job) -> messages::Key {
    messages::Key { account: job.account, connection: job.connection_id, message: job.message }
}

/// The channel's ids of the message and of its recipient.
fn accepted_as(sent: &Sent) -> (Option<&str>, Option<&str>) {
    match &sent.outcome {
        SendOutcome::Accepted { channel_message_id, person } => {
            (channel_message_id.as_deref(), person.as_deref())
        }
        _ => (None, None),
    }
}

/// Stores the channels' ids of recipients.
pub(super) fn meet(tx: &mut Tx<'_>, people: &[(&Job, Option<&str>)]) -> db::Result<()> {
    let people: Vec<(&Job, &str)> =
        people.iter().filter_map(|(job, person)| Some((*job, (*person)?))).collect();
    let known: Vec<_> =
        people.iter().map(|(job, person)| (job.account, job.connection_id, *person)).collect();
    for at in identities::unknown(tx, &known)? {
        let (job, person) = people[at];
        if let Some(contact) = tx.find_to_change(CONTACT, &[&job.account, &job.conversation], only)? {
            identities::remember(tx, job.account, job.connection_id, person, contact)?;
        }
    }
    Ok(())
}

/// Deletes the rows whose lease is still held or that are in doubt, and makes the next ones ready.
fn end(tx: &mut Tx<'_>, taken: &[&Sent]) -> db::Result<()> {
    let rows: Vec<[&dyn db::Param; 4]> = taken
        .iter()
        .map(|Sent { job, .. }| [&job.account as &dyn db::Param, &job.message, &job.part, &job.lease])
        .collect();
    let ended = tx.execute_each(END, &rows)?;
    let mut conversations: Vec<ConversationKey> = (taken.iter().zip(ended))
        .filter(|(_, ended)| ended.any())
        .map(|(Sent { job, .. }, _)| (job.connection_id, job.conversation))
        .collect();
    conversations.sort_unstable();
    outbox::pass_on_all(tx, &conversations)
}

/// Applies reports of these messages that arrived before their ids were known.
fn follow_up(
    tx: &mut Tx<'_>,
    acting: &HashMap<AccountId, By>,
    links: &Links,
    taken: &[&Sent],
    names: &[Named<'_>],
) -> db::Result<()> {
    for at in messages::reported_early(tx, names)? {
        let Named { of, name } = &names[at];
        messages::apply_early(tx, &acting[&of.account], links, of.connection, name)?;
    }
    for Sent { job, .. } in taken {
        messages::catch_up(tx, &acting[&job.account], links, &job.connection, job.message, job.tries)?;
    }
    Ok(())
}
