//! First messages of a linked device to strangers. WhatsApp locks a phone that writes to many people who
//! never wrote to it, so these messages are sent one by one, after random pauses, and limited per day.
//! Further ones wait; they do not fail.
//!
//! A message to a stranger is queued for its planned time. When it is claimed, the time is checked again
//! against the messages that were really sent: after a server was down, overdue messages are not all sent at
//! once. Both are in the database, so a restart loses nothing. A customer who has written is not a stranger.

use std::time::Duration;

use super::QUEUE;
use super::job::{Job, Subject};
use super::sql::{AHEAD, CONTACTED, CONTACTS, FORGET, HOLD_BACK, PLANNED, RELEASE, STRANGER};
use crate::connections::{Channel, StoredConnection};
use crate::ids::{ConversationId, MessageId};
use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;

/// The minimum and maximum pause between two first messages of a device.
const PAUSE_MIN: Duration = Duration::from_secs(45);
const PAUSE_MAX: Duration = Duration::from_mins(3);
/// First messages of a device in any 24 hours.
const FIRST_CONTACTS_A_DAY_MAX: usize = 30;
const DAY: Duration = Duration::from_hours(24);
/// A call starts a little after its planned time, so the next one may seem too early by as much.
const LEEWAY: Duration = Duration::from_secs(5);

/// Whether a connection must be slow and write to few strangers. The sandbox locks no one.
pub fn is_minded(connection: &StoredConnection) -> bool {
    connection.channel() == Channel::PersonalWhatsapp && !connection.sandbox
}

/// The planned time of a new message.
pub(super) fn due(
    tx: &mut ReadTx<'_>,
    by: &By,
    connection: &StoredConnection,
    subject: Subject,
) -> db::Result<Timestamp> {
    if !is_minded(connection) {
        return Ok(by.now);
    }
    if let Some(ahead) = tx.find(AHEAD, &[&connection.id(), &subject.conversation], only::<Timestamp>)? {
        return Ok(ahead.max(by.now));
    }
    if !is_first_contact(tx, by.account, subject)? {
        return Ok(by.now);
    }
    let most = FIRST_CONTACTS_A_DAY_MAX as i64;
    let mut taken = tx.query(PLANNED, &[&connection.id(), &by.now, &most], only::<Timestamp>)?;
    taken.extend(Record::read(tx, connection)?.moments(subject.message));
    Ok(turn(taken, subject.message).map_or(by.now, |turn| turn.max(by.now)))
}

/// Queues messages again that were claimed before their time; returns the others.
pub(crate) fn hold_back(
    tx: &mut Tx<'_>,
    connection: &StoredConnection,
    jobs: Vec<Job>,
    now: Timestamp,
) -> db::Result<Vec<Job>> {
    if !is_minded(connection) || jobs.is_empty() {
        return Ok(jobs);
    }
    let mut record = Record::read(tx, connection)?;
    let mut kept = Vec::with_capacity(jobs.len());
    for job in jobs {
        let subject = job.subject();
        if job.part > 0 || !is_first_contact(tx, job.account, subject)? {
            kept.push(job);
            continue;
        }
        let turn = turn(record.moments(subject.message), subject.message);
        if let Some(turn) = turn.filter(|turn| *turn > now + LEEWAY) {
            let held: &[&dyn db::Param] = &[&connection.id(), &subject.conversation, &turn, &job.lease];
            let _with_what_follows_it = tx.execute(HOLD_BACK, held)?;
        } else {
            record.add(tx, connection, subject.message, now)?;
            kept.push(job);
        }
    }
    Ok(kept)
}

/// A customer wrote: messages that wait for them may be sent at once.
pub(crate) fn wrote(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    conversation: ConversationId,
) -> db::Result<()> {
    if is_minded(connection) && tx.execute(RELEASE, &[&connection.id(), &conversation, &by.now])?.any() {
        QUEUE.wake(tx, connection.id());
    }
    Ok(())
}

/// Whether the person has never written here, and has received nothing from us before this message.
fn is_first_contact(tx: &mut ReadTx<'_>, account: AccountId, subject: Subject) -> db::Result<bool> {
    let params: &[&dyn db::Param] = &[&account, &subject.conversation, &subject.message];
    Ok(tx.find(STRANGER, params, only::<ConversationId>)?.is_some())
}

/// The earliest time for another first message, given the times of others; none if any time is allowed.
fn turn(mut taken: Vec<Timestamp>, message: MessageId) -> Option<Timestamp> {
    taken.sort_unstable();
    let after_last = *taken.last()? + pause(message);
    let day_over = taken.len().checked_sub(FIRST_CONTACTS_A_DAY_MAX).map(|at| taken[at] + DAY);
    Some(day_over.map_or(after_last, |day_over| day_over.max(after_last)))
}

/// The pause before a first message. It depends on the message's id, so that it is random and always the
/// same.
fn pause(message: MessageId) -> Duration {
    let span = PAUSE_MAX.saturating_sub(PAUSE_MIN).as_millis();
    let random = message.uuid().as_u128() & u128::from(u32::MAX);
    PAUSE_MIN + Duration::from_millis((random % (span + 1)) as u64)
}

/// The recent first messages of a device, up to the daily limit: message and time, oldest first. Only the
/// server with the connection's lease adds to it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Record(Vec<(MessageId, Timestamp)>);

impl Record {
    fn read(tx: &mut ReadTx<'_>, connection: &StoredConnection) -> db::Result<Self> {
        let most = FIRST_CONTACTS_A_DAY_MAX as i64;
        let mut contacts = tx.query(CONTACTS, &[&connection.account, &connection.id(), &most], |row| {
            Ok((row.next()?, row.next()?))
        })?;
        contacts.reverse();
        Ok(Self(contacts))
    }

    /// The times of the other messages: a retry does not count against itself.
    fn moments(&self, but: MessageId) -> Vec<Timestamp> {
        self.0.iter().filter(|(message, _)| *message != but).map(|(_, sent_at)| *sent_at).collect()
    }

    /// Records that a first message is sent now, and drops those that no longer count.
    fn add(
        &mut self,
        tx: &mut Tx<'_>,
        connection: &StoredConnection,
        message: MessageId,
        now: Timestamp,
    ) -> db::Result<()> {
        tx.execute(CONTACTED, &[&connection.account, &connection.id(), &message, &now])?.exactly(1)?;
        let _any_number_is_fine =
            tx.execute(FORGET, &[&connection.account, &connection.id(), &(now - DAY)])?;
        self.note(message, now);
        Ok(())
    }

    fn note(&mut self, message: MessageId, now: Timestamp) {
        self.0.retain(|(known, _)| *known != message);
        self.0.push((message, now));
        let old = self.0.len().saturating_sub(FIRST_CONTACTS_A_DAY_MAX);
        self.0.drain(..old);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn message(random: u32) -> MessageId {
        MessageId::from_uuid(Uuid::from_u128((0xabcd << 80) | u128::from(random)))
    }

    fn at(seconds: u64) -> Timestamp {
        START + Duration::from_secs(seconds)
    }

    #[test]
    fn a_pause_is_of_any_length_between_its_bounds() {
        let pauses: Vec<Duration> =
            (0..1_000_u32).map(|n| pause(message(n.wrapping_mul(2_654_435_769)))).collect();
        let (shortest, longest) = (pauses.iter().min().unwrap(), pauses.iter().max().unwrap());
        assert!(*shortest >= PAUSE_MIN && *shortest < PAUSE_MIN + Duration::from_secs(5), "{shortest:?}");
        assert!(*longest <= PAUSE_MAX && *longest + Duration::from_secs(5) > PAUSE_MAX, "{longest:?}");
        assert_eq!(pause(message(7)), pause(message(7)));
    }

    #[test]
    fn the_first_of_all_goes_at_once_and_the_next_after_a_pause() {
        assert_eq!(turn(Vec::new(), message(0)), None);
        assert_eq!(turn(vec![at(100), at(40)], message(0)), Some(at(100) + PAUSE_MIN));
        assert_eq!(turn(vec![at(0)], message(135_000)), Some(at(0) + PAUSE_MAX));
    }

    #[test]
    fn no_day_holds_more_than_it_may() {
        let mut taken: Vec<Timestamp> = Vec::new();
        for n in 0..100 {
            let next = turn(taken.clone(), message(n * 1_009)).unwrap_or(START);
            let since = next - DAY;
            assert!(taken.iter().filter(|moment| **moment > since).count() < FIRST_CONTACTS_A_DAY_MAX);
            taken.push(next);
        }
        assert!(taken[29] < START + DAY && taken[30] >= START + DAY);
        assert!(taken[99] < START + DAY * 4, "no more days than it takes");
    }

    #[test]
    fn a_second_try_of_the_same_message_counts_once() {
        let mut record = Record::default();
        record.note(message(1), at(0));
        assert_eq!(turn(record.moments(message(1)), message(1)), None);
        record.note(message(1), at(2));
        record.note(message(2), at(200));
        assert_eq!(record.moments(message(3)), [at(2), at(200)]);
        for n in 10..60 {
            record.note(message(n), at(1_000 + u64::from(n)));
        }
        assert_eq!(record.0.len(), FIRST_CONTACTS_A_DAY_MAX);
        assert_eq!(record.moments(message(3)).last(), Some(&at(1_059)));
    }
}
