//! `frontdesk media move`: copies every file to another place, while servers serve.
//!
//! One move runs at a time, under a lease that it renews. What it does is in the rows of the files, so a move that was killed
//! goes on where it was. It ends when a whole round over all files has found none that is elsewhere.

use std::time::Duration;

use clap::Args;
use frontdesk_db::{self as db, Store, lease};
use frontdesk_files::{Place, VARIABLE};
use frontdesk_inbox::media::{self, MediaFiles, MediaId, Pace, TransferError, Transferred, transfer};
use frontdesk_kernel::ids::AccountId;
use futures_util::{StreamExt, stream};
use serde_json::json;
use uuid::Uuid;

use super::super::print;
use super::super::progress::{ProgressLine, size};
use crate::backup::{Phase, Step};
use crate::error::{Error, Result};
use crate::installation::Installation;
use crate::{clock, media_files};

/// Files that are found in one read, and files that are moved at the same time.
const PAGE_FILES: i64 = 100;
const AT_ONCE_MAX: usize = 4;
/// Rounds over all files. Files that arrive during one are moved by the next.
const ROUNDS_MAX: usize = 20;
/// A place at which so many files fail in a row does not work, so the move ends.
const FAILURES_MAX: usize = 20;
/// How many failures are named.
const NAMED_MAX: usize = 20;
const LEASE: &str = "media move";
/// A move that was killed holds the lease for so long. Another one waits for it.
const LEASE_SPAN: Duration = Duration::from_secs(15);
const RENEW_PERIOD: Duration = Duration::from_secs(4);
const WAIT_PERIOD: Duration = Duration::from_secs(1);
/// The slowest rate, at which the largest file still arrives in time.
const RATE_MIN: u64 = 64 << 10;

#[derive(Args)]
pub(in super::super) struct MoveOptions {
    /// Where to: `database`, a directory, or `s3://BUCKET/PREFIX?endpoint=URL&region=NAME`
    #[arg(long, value_name = "PLACE")]
    to: String,
    /// The most bytes per second, such as 500K or 20M; as fast as it goes when unset
    #[arg(long, value_name = "RATE", value_parser = rate)]
    limit_rate: Option<u64>,
}

/// Reads a number of bytes, with K, M or G.
fn rate(text: &str) -> std::result::Result<u64, String> {
    let (digits, unit) = match text.chars().next_back() {
        Some('K' | 'k') => (&text[..text.len() - 1], 1 << 10),
        Some('M' | 'm') => (&text[..text.len() - 1], 1 << 20),
        Some('G' | 'g') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let rate = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    rate.filter(|rate| *rate >= RATE_MIN)
        .ok_or_else(|| format!("must be bytes per second, at least {}K, such as 500K or 20M", RATE_MIN >> 10))
}

/// What a move has done.
#[derive(Debug, Default)]
struct Moved {
    files: u64,
    bytes: u64,
    failed: u64,
    failures: Vec<String>,
    failed_in_a_row: usize,
}

impl MoveOptions {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let places = media_files::places()?;
        let to = places.place(&self.to).map_err(Error::Invalid)?;
        let (moved, new_files) = installation.work(async |store| {
            let files = media_files::of_command(store)?;
            if let Some(place) = &to {
                check(&files, place).await?;
            }
            let moved = under_lease(store, move_all(&files, to.as_ref(), self.limit_rate)).await?;
            Ok((moved, store.read(media_files::recall).await?))
        })?;
        report(installation, &moved, new_files.as_deref(), to.as_ref())
    }
}

fn report(
    installation: &Installation,
    moved: &Moved,
    new_files: Option<&str>,
    to: Option<&Place>,
) -> Result<()> {
    let target = to.map_or("database", |place| place.url.as_str());
    let Moved { files, bytes, failed, failures, .. } = moved;
    if *failed > 0 {
        return Err(Error::Invalid(format!(
            "{files} files were moved, and {failed} could not be; they stay where they are, so run this again when that \
             is mended:\n{}",
            failures.join("\n")
        )));
    }
    let goes_on = new_files.is_some_and(|now| now != target);
    let response = json!({ "to": target, "files": files, "bytes": bytes, "new_files": new_files });
    print::output(installation.json, &response, || {
        let done = format!("Moved {files} files, {}, to {target}.", size(*bytes));
        if goes_on {
            let now = new_files.unwrap_or_default();
            format!(
                "{done}\n\nWARNING: servers still put new files into {now}. Set {VARIABLE} to the new place, restart \
                 them, and run this again."
            )
        } else {
            done
        }
    })
}

/// Writes, reads and deletes a file, so that a place that does not work is known before anything is moved.
async fn check(files: &MediaFiles, place: &Place) -> Result<()> {
    let failed = |error| Error::Invalid(format!("{} does not work: {error}", place.url));
    let client = files.places.client(&place.url).map_err(failed)?;
    client.check(&media_files::probe()).await.map_err(failed)
}

/// Does the work while nobody else does.
async fn under_lease<T>(store: &Store, work: impl Future<Output = Result<T>>) -> Result<T> {
    let holder = db::new_lease();
    let mut waited = Duration::ZERO;
    while !take_lease(store, holder).await? {
        if waited > LEASE_SPAN {
            return Err(Error::Invalid(
                "files are being moved already: wait until that command has ended, or end it".to_owned(),
            ));
        }
        tokio::time::sleep(WAIT_PERIOD).await;
        waited += WAIT_PERIOD;
    }
    let done = tokio::select! {
        done = work => done,
        lost = keep_lease(store, holder) => Err(lost),
        _ = tokio::signal::ctrl_c() => {
            Err(Error::Invalid("interrupted; run this again to move the rest".to_owned()))
        }
    };
    store.write(move |tx| lease::give_up(tx, LEASE, holder)).await?;
    done
}

async fn take_lease(store: &Store, holder: Uuid) -> Result<bool> {
    let now = clock::now();
    Ok(store.write(move |tx| lease::take(tx, LEASE, holder, now, LEASE_SPAN)).await?)
}

/// Renews the lease, and returns when it is lost.
async fn keep_lease(store: &Store, holder: Uuid) -> Error {
    loop {
        tokio::time::sleep(RENEW_PERIOD).await;
        if let Ok(false) = take_lease(store, holder).await {
            return Error::Invalid(
                "another command has begun to move files; run this again later".to_owned(),
            );
        }
    }
}

async fn move_all(files: &MediaFiles, to: Option<&Place>, limit_rate: Option<u64>) -> Result<Moved> {
    let name = to.map_or("database", |place| place.name.as_str()).to_owned();
    let (pace, mut line, mut moved) = (Pace::new(limit_rate), ProgressLine::new(), Moved::default());
    for _ in 0..ROUNDS_MAX {
        let elsewhere = name.clone();
        let (left, _) = files.store.scan(move |tx| media::left(tx, &elsewhere)).await?;
        let found = round(files, to, &name, &pace, left as u64, &mut line, &mut moved).await?;
        if !found || moved.failed > 0 {
            break;
        }
    }
    Ok(moved)
}

/// Moves every file that is elsewhere. False if there was none.
async fn round(
    files: &MediaFiles,
    to: Option<&Place>,
    name: &str,
    pace: &Pace,
    left: u64,
    line: &mut ProgressLine,
    moved: &mut Moved,
) -> Result<bool> {
    let total = moved.files + left;
    let (mut after, mut found) = (None, false);
    loop {
        let (place, from) = (name.to_owned(), after);
        let page: Vec<(AccountId, MediaId)> =
            files.store.scan(move |tx| media::left_after(tx, &place, from, PAGE_FILES)).await?;
        let Some(last) = page.last().copied() else { return Ok(found) };
        (after, found) = (Some(last), true);
        let transfers = stream::iter(
            page.into_iter().map(async |(account, id)| (id, transfer(files, account, id, to, pace).await)),
        );
        let mut transfers = Box::pin(transfers.buffer_unordered(AT_ONCE_MAX));
        while let Some((id, done)) = transfers.next().await {
            moved.count(id, done)?;
            let step = Step {
                done: moved.files,
                total: total.max(moved.files),
                bytes: moved.bytes,
                phase: Phase::Files,
            };
            line.show(step);
        }
    }
}

impl Moved {
    fn count(&mut self, id: MediaId, done: std::result::Result<Transferred, TransferError>) -> Result<()> {
        match done {
            Ok(Transferred::Moved { bytes }) => {
                self.files += 1;
                self.bytes += bytes;
                self.failed_in_a_row = 0;
            }
            Ok(Transferred::NothingToDo) => {}
            Err(TransferError::Store(error)) => return Err(error.into()),
            Err(error) => {
                self.failed += 1;
                self.failed_in_a_row += 1;
                if self.failures.len() < NAMED_MAX {
                    self.failures.push(format!("{id}: {error}"));
                }
                if self.failed_in_a_row >= FAILURES_MAX {
                    return Err(Error::Invalid(format!(
                        "{} files were moved, then {FAILURES_MAX} failed one after the other, the last because {error}; run \
                         this again when that is mended",
                        self.files
                    )));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_a_unit_and_is_not_too_slow() {
        assert_eq!(rate("500K"), Ok(512_000));
        assert_eq!(rate("20M"), Ok(20 << 20));
        assert_eq!(rate("1g"), Ok(1 << 30));
        assert_eq!(rate("65536"), Ok(65_536));
        for wrong in ["", "K", "1K", "-5M", "5 M", "99999999999999999999G", "fast"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
