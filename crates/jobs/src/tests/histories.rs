//! Ten thousand histories, and those of a sabotaged product.

use std::env;
use std::ops::Range;
use std::thread;

use tokio::time::Instant;

use super::judge::Tally;
use super::sabotage::{ALL, Sabotage};
use super::world::{history, log_of};

/// How many histories there are, from the seed 0 on, and a single seed that is to be repeated.
const HISTORIES: &str = "FRONTDESK_SIMULATE_HISTORIES";
const HISTORIES_DEFAULT: u64 = 10_000;
const FIRST: &str = "FRONTDESK_SIMULATE_FIRST";
/// Histories until a sabotage must be found.
const SABOTAGED_MAX: u64 = 10_000;
/// The end of a log that is shown.
const LOG_LINES: usize = 120;

fn number(name: &str, usual: u64) -> u64 {
    env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}

/// Runs histories, and adds them up. Fails with the first seed in which something is wrong.
fn run(seeds: Range<u64>, base: Instant) -> Result<Tally, (u64, String)> {
    let mut sum = Tally::default();
    for seed in seeds {
        let tally = history(seed, None, base).map_err(|wrong| (seed, wrong))?;
        sum.sent += tally.sent;
        sum.refused += tally.refused;
        sum.in_doubt += tally.in_doubt;
        sum.in_doubt_but_arrived += tally.in_doubt_but_arrived;
        sum.delivered += tally.delivered;
        sum.delivered_again += tally.delivered_again;
    }
    Ok(sum)
}

fn explain(seed: u64, wrong: &str, sabotage: Option<Sabotage>) -> String {
    let log = log_of(seed, sabotage, Instant::now());
    let end = &log[log.len().saturating_sub(LOG_LINES)..];
    format!(
        "history {seed}: {wrong}\n{}\nRepeat it: {FIRST}={seed} {HISTORIES}=1 cargo test -p frontdesk-jobs histories",
        end.join("\n")
    )
}

#[test]
fn in_ten_thousand_histories_no_message_is_sent_twice_and_none_is_lost() {
    let (first, histories) = (number(FIRST, 0), number(HISTORIES, HISTORIES_DEFAULT));
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    let base = Instant::now();
    let part = |at: u64| first + histories * at / threads..first + histories * (at + 1) / threads;
    let tallies: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|at| scope.spawn(move || run(part(at), base))).collect();
        running.into_iter().map(|part| part.join().expect("a history does not panic")).collect()
    });
    for tally in tallies {
        match tally {
            Ok(tally) => eprintln!("{tally:?}"),
            Err((seed, wrong)) => panic!("{}", explain(seed, &wrong, None)),
        }
    }
}

#[test]
fn every_sabotage_is_found() {
    let base = Instant::now();
    let found = |sabotage: &Sabotage| {
        (0..SABOTAGED_MAX).find_map(|seed| Some((seed, history(seed, Some(*sabotage), base).err()?)))
    };
    let missed = ALL.iter().filter(|sabotage| {
        let found = found(sabotage);
        eprintln!("{sabotage:?}: {found:?}");
        found.is_none()
    });
    let missed: Vec<&Sabotage> = missed.collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
}

#[test]
fn a_seed_gives_the_same_history_each_time() {
    for seed in 0..20 {
        assert_eq!(log_of(seed, None, Instant::now()), log_of(seed, None, Instant::now()), "history {seed}");
    }
}
