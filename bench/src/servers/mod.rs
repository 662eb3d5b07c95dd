//! One, two and three servers on one PostgreSQL and one Redis: how much they do, and what each operation costs.
//!
//! All of them share this machine's cores with the databases and with the load, so more servers do not do more here. What can
//! be carried to other machines is the CPU time of an operation, separately for each part, and what it writes.

mod meter;

use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::costs::{Cost, Spread};
use crate::error::Result;
use crate::figures::{Bench, CONTACTS};
use crate::http;
use crate::inbox::fixture::Fixture;
use crate::inbox::graph::STAND_IN;
use crate::load::{Load, Request, Requests, Target};
use crate::options::{Engine, Options};
use crate::people;
use crate::relay::Sink;
use crate::run::Run;
use crate::server::{Program, Server};
use crate::site::{Scratch, Site};

use meter::Meter;

const SERVERS_MAX: usize = 3;
const REDIS: &str = "FRONTDESK_TEST_REDIS";
/// How long queued messages may take to be handed over after the last request.
const DRAIN_PATIENCE: Duration = Duration::from_mins(2);
const LOOK_PERIOD: Duration = Duration::from_millis(5);

pub(crate) fn measure(
    program: &Program,
    scratch: &Scratch,
    options: &Options,
    bench: &mut Bench<'_>,
) -> Result<()> {
    if !options.engines().contains(&Engine::Postgres) {
        return Ok(());
    }
    let sizes = options.sizes();
    let site = Site::build(program, Engine::Postgres, scratch, sizes.usual)?;
    let sink = Sink::start(STAND_IN)?;
    let fixture = Fixture::open(&site, &sink, bench.load.connections, sizes.customers)?;
    let redis =
        env::var(REDIS).map_err(|_| format!("{REDIS} is not set: use `make bench`, which starts it"))?;
    for _ in 0..bench.rounds.max(1) {
        for count in 1..=SERVERS_MAX {
            let several = Several::start(&site, &redis, count)?;
            for operation in operations(&site, &fixture) {
                site.tidy()?;
                let cost = several.take(&operation, &bench.load, &sink)?;
                eprintln!("  {} with {count} servers: {:.0}/s", operation.name, cost.rate);
                bench.report.cost(operation.name, count, cost);
            }
            several.stop()?;
        }
    }
    Ok(())
}

/// What every request of a load does.
struct Operation {
    name: &'static str,
    request: Request,
    /// Whether each request ends in a message that is handed over.
    is_sent: bool,
}

fn operations(site: &Site, fixture: &Fixture) -> [Operation; 4] {
    let gets = site.gets(CONTACTS);
    let get: Request =
        Arc::new(move |number, out| out.extend_from_slice(&gets[number as usize % gets.len()]));
    let keys: Vec<String> = site.accounts.iter().map(|account| account.key.clone()).collect();
    let post: Request = Arc::new(move |number, out| {
        let person = people::newcomer(people::NEXT.fetch_add(1, Ordering::Relaxed));
        http::write_post(CONTACTS, &keys[number as usize % keys.len()], &person.json(), out);
    });
    let operation = |name, request, is_sent| Operation { name, request, is_sent };
    [
        operation("GET 20 contacts", get, false),
        operation("POST a contact", post, false),
        operation("take in a message", fixture.questions(), false),
        operation("send a message", fixture.news(), true),
    ]
}

/// Servers on the same installation.
struct Several<'s> {
    site: &'s Site,
    redis: String,
    servers: Vec<Server>,
}

impl<'s> Several<'s> {
    fn start(site: &'s Site, redis: &str, count: usize) -> Result<Self> {
        eprintln!("PostgreSQL: {count} servers");
        let environment = [("FRONTDESK_REDIS", redis)];
        let servers = (0..count).map(|_| site.serve_with(&environment)).collect::<Result<Vec<_>>>()?;
        Ok(Self { site, redis: redis.to_owned(), servers })
    }

    fn stop(self) -> Result<()> {
        self.servers.into_iter().try_for_each(Server::stop)
    }

    /// Loads all servers alike at the same time. Costs are those of the whole load, with its warm-up.
    fn take(&self, operation: &Operation, load: &Load, sink: &Sink) -> Result<Cost> {
        let (made, received) = (Arc::new(AtomicU64::new(0)), sink.received());
        let meter = Meter::start(self.site, &self.redis, &self.servers)?;
        let began = Instant::now();
        let runs = self.load(operation, load, &made)?;
        let count = made.load(Ordering::Relaxed);
        let mut rate = runs.iter().map(|run| run.rate).sum();
        if operation.is_sent {
            drained(sink, received + count)?;
            rate = count as f64 / began.elapsed().as_secs_f64();
        }
        let used = meter.read(self.site, &self.redis, &self.servers)?;
        let slowest = runs.iter().filter_map(|run| run.p99).max().unwrap_or_default();
        Ok(Cost { rate, p99: slowest, spread: Spread::of(&used, count) })
    }

    fn load(&self, operation: &Operation, load: &Load, made: &Arc<AtomicU64>) -> Result<Vec<Run>> {
        let each = Load { connections: load.connections / self.servers.len(), ..*load };
        let workers = self.servers.iter().map(|server| {
            let (request, made) = (operation.request.clone(), made.clone());
            let counted: Request = Arc::new(move |number, out| {
                made.fetch_add(1, Ordering::Relaxed);
                request(number, out);
            });
            let target = Target { address: server.address, pid: server.pid(), cluster: None };
            thread::spawn(move || each.run(&target, Requests::Numbered(counted)))
        });
        // All are started before the first is waited for.
        let workers: Vec<_> = workers.collect();
        workers
            .into_iter()
            .map(|worker| worker.join().map_err(|_| "a thread of the load panicked")?)
            .collect()
    }
}

/// Waits until the stand-in has received this many messages.
fn drained(sink: &Sink, wanted: u64) -> Result<()> {
    let deadline = Instant::now() + DRAIN_PATIENCE;
    while sink.received() < wanted {
        if Instant::now() > deadline {
            return Err(format!("{} messages were not handed over", wanted - sink.received()).into());
        }
        thread::sleep(LOOK_PERIOD);
    }
    Ok(())
}
