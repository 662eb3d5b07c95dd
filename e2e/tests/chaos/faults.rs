//! What is broken, when, and in which order. A seed repeats it.

use std::sync::Mutex;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use frontdesk_e2e::Stop;

use crate::cluster::{Cluster, SERVERS};
use crate::dice::Dice;

const FIRST_KILL: Duration = Duration::from_secs(10);
const KILL_EVERY: Duration = Duration::from_secs(20);
/// One restart in each such part of the time, and at least one.
const POSTGRES_EVERY: Duration = Duration::from_mins(5);
const REDIS_EVERY: Duration = Duration::from_mins(10);
/// How long a server or a store is away, in milliseconds.
const AWAY_MILLIS: std::ops::Range<u64> = 500..6_000;

#[derive(Clone, Copy, Debug)]
enum Fault {
    Kill(usize),
    Postgres(Stop),
    Redis,
}

#[derive(Clone, Copy, Debug)]
struct Planned {
    at: Duration,
    fault: Fault,
    away: Duration,
}

/// What was done.
#[derive(Debug, Default)]
pub(crate) struct Struck {
    pub(crate) kills: usize,
    pub(crate) postgres_crashes: usize,
    pub(crate) postgres_restarts: usize,
    /// From when until when Redis was away.
    pub(crate) redis_away: Vec<(Instant, Instant)>,
}

fn plan(length: Duration, dice: &Dice) -> Vec<Planned> {
    let away = || Duration::from_millis(AWAY_MILLIS.start + dice.below(AWAY_MILLIS.end - AWAY_MILLIS.start));
    let mut planned = Vec::new();
    let mut at = FIRST_KILL;
    while at < length {
        planned.push(Planned { at, fault: Fault::Kill(dice.below(SERVERS as u64) as usize), away: away() });
        at += KILL_EVERY;
    }
    // Stores go at some moment in the middle half of their part of the time, away from its beginning and end.
    let mut in_parts = |every: Duration, fault: &dyn Fn(u32) -> Fault| {
        let parts = (length.as_secs() / every.as_secs()).max(1) as u32;
        for part in 0..parts {
            let share = (25 + dice.below(50)) as u32;
            let at = length / parts * part + length / parts * share / 100;
            planned.push(Planned { at, fault: fault(part), away: away() });
        }
    };
    in_parts(POSTGRES_EVERY, &|part| {
        Fault::Postgres(if part.is_multiple_of(2) { Stop::Crash } else { Stop::Orderly })
    });
    in_parts(REDIS_EVERY, &|_| Fault::Redis);
    planned.sort_by_key(|planned| planned.at);
    planned
}

/// Breaks what is planned, and returns when the time is over and everything has been started again.
pub(crate) fn strike(cluster: &Cluster, length: Duration, dice: &Dice) -> Struck {
    let (began, struck) = (Instant::now(), Mutex::new(Struck::default()));
    // One store at a time: a server may start only if both are there.
    let store = Mutex::new(());
    thread::scope(|scope| {
        for planned in plan(length, &dice.of(1)) {
            sleep((began + planned.at).saturating_duration_since(Instant::now()));
            let (struck, store) = (&struck, &store);
            scope.spawn(move || strike_one(cluster, planned, began, struck, store));
        }
        sleep((began + length).saturating_duration_since(Instant::now()));
    });
    struck.into_inner().expect("no fault panicked")
}

fn strike_one(
    cluster: &Cluster,
    planned: Planned,
    began: Instant,
    struck: &Mutex<Struck>,
    store: &Mutex<()>,
) {
    let tell = |what: &str| println!("{:7.1} s  {what}", began.elapsed().as_secs_f64());
    let struck = || struck.lock().expect("no fault panicked");
    let away = planned.away;
    match planned.fault {
        Fault::Kill(first) => {
            // If this one is being started, the next is killed.
            let mut any = (first..first + SERVERS).map(|number| number % SERVERS);
            let Some(number) = any.find(|number| cluster.kill_server(*number)) else {
                return tell("no server runs that could be killed");
            };
            tell(&format!("server {number} was killed, for {:.1} s", away.as_secs_f64()));
            struck().kills += 1;
            sleep(away);
            cluster.start_server(number);
            tell(&format!("server {number} is back"));
        }
        Fault::Postgres(how) => {
            let _one = store.lock().expect("no fault panicked");
            tell(&format!("PostgreSQL is stopped ({how:?}), for {:.1} s", away.as_secs_f64()));
            match how {
                Stop::Crash => struck().postgres_crashes += 1,
                Stop::Orderly => struck().postgres_restarts += 1,
            }
            cluster.restart_postgres(how, away);
            tell("PostgreSQL is back");
        }
        Fault::Redis => {
            let _one = store.lock().expect("no fault panicked");
            tell(&format!("Redis is killed, for {:.1} s", away.as_secs_f64()));
            let gone = Instant::now();
            cluster.restart_redis(away);
            struck().redis_away.push((gone, Instant::now()));
            tell("Redis is back");
        }
    }
}
