//! The worker that writes messages into SQLite's full-text index, many at a time.
//!
//! A new index is first filled with the messages that exist, in the order of their keys. Its progress is stored in the
//! index's own file, so an index that is created anew starts over. Messages that wait in the queue follow.

use std::collections::BTreeMap;
use std::time::Duration;

use frontdesk_db::{self as db, Row, Store, Topic, Tx};
use frontdesk_jobs::{Chore, Context, Worker};
use frontdesk_kernel::ids::AccountId;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::MessageId;
use super::file::FILE;
use super::sql::{
    ADD, ENTER, FORGETS, FORGOT, MERGE, NEWEST, OLD, PROGRESS, REACH, REMOVE, REMOVE_ENTRY, WAITING,
};
use crate::text::text;
use crate::words::words;

/// Wakes the worker.
pub(super) const BEHIND: Topic = "messages";
/// A burst of messages is sent before it is indexed: after a full batch the worker waits while messages keep coming, up to
/// this many messages and this long. A search reads the queue too, so it misses nothing.
const BURST_MESSAGES_MAX: i64 = 50_000;
const BURST_MAX: Duration = Duration::from_secs(5);
/// The burst is over when no message came for this long.
const PAUSE: Duration = Duration::from_millis(200);
/// Between batches the worker rests this many times as long as the batch took, so that indexing a long queue leaves most of
/// the CPU to others.
const RESTS: u32 = 3;
const REST_MAX: Duration = Duration::from_millis(500);
/// Messages written into the index in one transaction.
pub const BATCH: i64 = 1024;
/// Pages of the index merged at a time: a few milliseconds' work.
const MERGED_PAGES_MAX: i64 = 64;

/// Starts the worker. PostgreSQL maintains its index by itself.
pub fn start(context: &Context) -> Worker {
    CHORE.start(context, Indexer { store: context.store.clone() }, Indexer::run)
}

/// Merges a little of the index, so that searches read fewer parts of it.
pub(crate) fn tidy(tx: &mut Tx<'_>) -> db::Result<()> {
    let _nothing_to_merge_is_fine = tx.execute(MERGE, &[&MERGED_PAGES_MAX])?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "how long a batch took is no time that anyone sets")]
fn now() -> Instant {
    Instant::now()
}

/// New messages gather for a moment before they are written.
const CHORE: Chore = Chore::every(Duration::from_mins(1), "message indexer")
    .woken_by(BEHIND)
    .gathering_for(Duration::from_millis(500));

/// Indexes and forgets what waits, once.
pub(crate) async fn catch_up(store: Store, stopped: watch::Receiver<bool>) -> db::Result<()> {
    Indexer { store }.run(stopped).await
}

#[derive(Clone)]
struct Indexer {
    store: Store,
}

/// How far a new index has been filled with the messages that existed.
struct Progress {
    account: AccountId,
    message: MessageId,
    is_whole: bool,
}

/// A message to be indexed.
struct Fresh {
    account: AccountId,
    id: MessageId,
    /// None when the message has no text, or is gone.
    words: Option<String>,
}

impl Indexer {
    async fn run(self, stopped: watch::Receiver<bool>) -> db::Result<()> {
        if !self.store.has_side_files() {
            return Ok(());
        }
        while !*stopped.borrow() && self.index_existing().await? {}
        while !*stopped.borrow() && self.forget_erased().await? {}
        while !*stopped.borrow() {
            let begun = now();
            if !self.index_waiting().await? {
                break;
            }
            sleep((begun.elapsed() * RESTS).min(REST_MAX)).await;
            self.wait_out_burst(&stopped).await?;
        }
        Ok(())
    }

    /// Indexes a batch of the messages that existed before the index. True when there may be more.
    async fn index_existing(&self) -> db::Result<bool> {
        let found = self.store.scan(|tx| {
            let progress =
                tx.find(PROGRESS, &[], Progress::read)?.ok_or(db::Error::Decode("message_index"))?;
            if progress.is_whole {
                return db::Result::Ok(None);
            }
            let rows = tx.query(OLD, &[&progress.account, &progress.message, &BATCH], read)?;
            Ok(Some((progress, rows)))
        });
        let Some((progress, rows)) = found.await? else { return Ok(false) };
        let is_whole = (rows.len() as i64) < BATCH;
        let (account, message) =
            rows.last().map_or((progress.account, progress.message), |last| (last.account, last.id));
        self.store
            .write_side(&FILE, move |tx| {
                add(tx, &rows)?;
                tx.execute(REACH, &[&account, &message, &i64::from(is_whole)])?.exactly(1)
            })
            .await?;
        Ok(!is_whole)
    }

    /// Removes a batch of erased messages. This worker also adds messages, so none is added after it was removed. True
    /// when there may be more.
    async fn forget_erased(&self) -> db::Result<bool> {
        let read = |row: &mut Row<'_>| {
            let num: i64 = row.next()?;
            let (id, account, text): (MessageId, i64, String) = (row.next()?, row.next()?, row.next()?);
            Ok((num, (super::entry(id), id, words_of(&text, account))))
        };
        let erased = self.store.scan(move |tx| tx.query(FORGETS, &[&BATCH], read)).await?;
        let (numbers, mut erased): (Vec<i64>, Vec<(i64, MessageId, String)>) = erased.into_iter().unzip();
        let Some(last) = numbers.last().copied() else { return Ok(false) };
        erased.sort_unstable();
        self.store.write_side(&FILE, move |tx| remove(tx, &erased)).await?;
        self.store.write(move |tx| tx.execute(FORGOT, &[&last]).map(|_how_many| ())).await?;
        Ok(numbers.len() as i64 == BATCH)
    }

    /// Waits while messages keep coming.
    async fn wait_out_burst(&self, stopped: &watch::Receiver<bool>) -> db::Result<()> {
        let (begun, mut seen) = (now(), None);
        while begun.elapsed() < BURST_MAX && !*stopped.borrow() {
            let ends = self.store.scan(|tx| tx.find(NEWEST, &[], Ends::read)).await?;
            let Some(Ends(Some(newest), Some(oldest))) = ends else { break };
            if newest - oldest >= BURST_MESSAGES_MAX || seen.replace(newest) == Some(newest) {
                break;
            }
            sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Indexes a batch of the messages that wait. True when there may be more.
    async fn index_waiting(&self) -> db::Result<bool> {
        let of_row = |row: &mut Row<'_>| Ok((read(row)?, row.next::<i64>()?));
        let waiting = self.store.scan(move |tx| tx.query(WAITING, &[&BATCH], of_row));
        let (messages, numbers): (Vec<Fresh>, Vec<i64>) = waiting.await?.into_iter().unzip();
        let Some(last) = numbers.last().copied() else { return Ok(false) };
        self.store.write_side(&FILE, move |tx| add(tx, &messages)).await?;
        // They leave the queue after the index has them. A search in between finds them twice and returns them once.
        self.store.write(move |tx| super::leave_queue(tx, last)).await?;
        Ok(numbers.len() as i64 == BATCH)
    }
}

/// The newest and the oldest row of the queue.
struct Ends(Option<i64>, Option<i64>);

impl Ends {
    fn read(row: &mut Row<'_>) -> db::Result<Self> {
        Ok(Self(row.next()?, row.next()?))
    }
}

impl Progress {
    fn read(row: &mut Row<'_>) -> db::Result<Self> {
        Ok(Self { account: row.next()?, message: row.next()?, is_whole: row.next()? })
    }
}

/// Entries are written in rising order: the index would otherwise flush before each. Messages that share an entry share
/// its words.
fn add(tx: &mut Tx<'_>, messages: &[Fresh]) -> db::Result<()> {
    let mut entries: BTreeMap<i64, String> = BTreeMap::new();
    for fresh in messages {
        let Some(words) = &fresh.words else { continue };
        if !tx.execute(ENTER, &[&fresh.id])?.any() {
            continue;
        }
        let entry = entries.entry(super::entry(fresh.id)).or_default();
        entry.push(' ');
        entry.push_str(words);
    }
    entries.iter().try_for_each(|(entry, words)| tx.execute(ADD, &[entry, words])?.exactly(1))
}

/// Removes messages that the index has, in rising order.
fn remove(tx: &mut Tx<'_>, erased: &[(i64, MessageId, String)]) -> db::Result<()> {
    for (entry, id, words) in erased {
        if tx.execute(REMOVE_ENTRY, &[id])?.any() {
            let _removed = tx.execute(REMOVE, &[entry, words])?;
        }
    }
    Ok(())
}

/// The words of a text.
fn words_of(message: &str, account: i64) -> String {
    words(&text([Some(message), None, None, None]), account)
}

fn read(row: &mut Row<'_>) -> db::Result<Fresh> {
    let (account, id): (AccountId, MessageId) = (row.next()?, row.next()?);
    let (number, text): (Option<i64>, Option<String>) = (row.next()?, row.next()?);
    let words = number.zip(text).map(|(number, text)| words_of(&text, number));
    Ok(Fresh { account, id, words })
}
