//! The inbox: messages from customers, which arrive as WhatsApp's webhooks, and messages to customers, which are
//! measured until a stand-in for WhatsApp inside this program has received each one.
//!
//! All messages go over one number, whose rate limit is too high to be reached. They go between one account and its
//! existing contacts.

pub(crate) mod broadcasts;
mod ceiling;
pub(crate) mod fixture;
pub(crate) mod graph;

use std::path::PathBuf;
use std::process;
use std::sync::Arc;

use crate::error::Result;
use crate::figures::{Bench, RAW_FILE};
use crate::load::{Load, Requests, Target};
use crate::options::{Engine, Options, Sizes};
use crate::people;
use crate::pgbench::Pgbench;
use crate::relay::{Relay, Sink};
use crate::report::{Target as Wanted, thousands};
use crate::run::{Run, Turns, median, median_time};
use crate::server::{Program, Server};
use crate::site::{Scratch, Site};

use fixture::Fixture;
use graph::STAND_IN;

/// The share of the saturating load at which latency is measured again.
const SHARE: f64 = 0.1;

const INBOUND: &str = "SELECT count(*) FROM messages WHERE direction = 'inbound'";
const SENT: &str = "SELECT count(*) FROM messages WHERE direction = 'outbound' AND status = 'sent'";
const SENDS: &str = "SELECT count(*) FROM sends";

pub(crate) fn measure(
    program: &Program,
    scratch: &Scratch,
    options: &Options,
    bench: &mut Bench<'_>,
) -> Result<()> {
    let sizes = options.sizes();
    for engine in options.engines() {
        let (site, sink) = (Site::build(program, engine, scratch, sizes.usual)?, Sink::start(STAND_IN)?);
        let fixture = Fixture::open(&site, &sink, bench.load.connections, sizes.customers)?;
        let copy = match engine {
            Engine::Sqlite => Some(site.copy_file(RAW_FILE)?),
            Engine::Postgres => None,
        };
        let inbox = Inbox { site: &site, fixture: &fixture, sink: &sink, sizes, copy };
        bench.inbound(&inbox)?;
        bench.outbound(&inbox)?;
    }
    bench.stand_in()
}

/// The installation that is measured on one engine.
struct Inbox<'s> {
    site: &'s Site,
    fixture: &'s Fixture,
    sink: &'s Sink,
    sizes: Sizes,
    /// The copy of the database that the raw loop writes into.
    copy: Option<PathBuf>,
}

impl Bench<'_> {
    /// Inbound messages, at the highest rate that the server responds at.
    fn inbound(&mut self, inbox: &Inbox<'_>) -> Result<()> {
        let Inbox { site, fixture, .. } = inbox;
        let (name, load) = (site.database.engine.name(), self.load);
        eprintln!("{name}: messages that come in");
        site.tidy()?;
        let server = site.serve()?;
        let take = || inbox.take_in(&server, &load);
        let (turns, ceiling) = if let Some(file) = &inbox.copy {
            let write = || ceiling::inbound(file, site, fixture, &load);
            (Turns::take(self.rounds, take, write)?, "raw group-commit loop")
        } else {
            let pgbench = Pgbench::inbound(site, &ceiling::scripts(site, fixture))?;
            (Turns::take(self.rounds, take, || pgbench.run(&load))?, "pgbench")
        };
        server.stop()?;
        let wanted = if inbox.copy.is_some() { Wanted::None } else { Wanted::AtLeast(0.6) };
        self.compare(&format!("{name}: taken in / {ceiling}"), &turns, turns.ratio(), wanted);
        self.detail(&format!("{name}: signed webhooks, a message each"), &turns.a);
        self.detail(&format!("{name}: {ceiling}, the rows of a message that came in"), &turns.b);
        Ok(())
    }

    /// Outbound messages until they are handed over, at the server's highest rate and then at a share of it.
    fn outbound(&mut self, inbox: &Inbox<'_>) -> Result<()> {
        let Inbox { site, fixture, sink, sizes, .. } = inbox;
        let (name, load) = (site.database.engine.name(), self.load);
        let count = sizes.messages as usize;
        eprintln!("{name}: {} messages that go out", thousands(sizes.messages));
        site.tidy()?;
        let server = site.serve()?;
        let relay = Relay { load, target: site.target(&server)?, request: fixture.news(), sink };
        let hand_over = || relay.saturate(count);
        let (turns, ceiling) = if let Some(file) = &inbox.copy {
            let write = || ceiling::outbound(file, site, fixture, &load, load.connections);
            (Turns::take(self.rounds, hand_over, write)?, "raw group-commit loop")
        } else {
            let pgbench = Pgbench::outbound(site, &ceiling::scripts(site, fixture))?;
            (Turns::take(self.rounds, hand_over, || pgbench.run(&load))?, "pgbench")
        };
        let rate = median(&turns.a).rate * SHARE;
        site.tidy()?;
        eprintln!("{name}: {rate:.0} messages a second that go out");
        let steady = (0..self.rounds.max(1)).map(|_| relay.steady(rate)).collect::<Result<Vec<Run>>>()?;
        server.stop()?;
        inbox.check_handed_over()?;

        let wanted = Wanted::AtLeast(if inbox.copy.is_some() { 0.5 } else { 0.6 });
        self.compare(&format!("{name}: handed over / {ceiling}"), &turns, turns.ratio(), wanted);
        for (load, runs) in [("all of the load", &turns.a), ("a tenth of it", &steady)] {
            let figure = format!("{name}: POST to hand-over at {load}, p99");
            self.report.note(&figure, median_time(runs, |run| run.p99));
        }
        let count = thousands(sizes.messages);
        self.detail(&format!("{name}: {count} POSTs until handed over"), &turns.a);
        self.detail(&format!("{name}: a tenth as many a second until handed over"), &steady);
        self.detail(&format!("{name}: {ceiling}, the rows of a message that went out"), &turns.b);
        Ok(())
    }

    /// The stand-in by itself, with the requests that the server sends it.
    fn stand_in(&mut self) -> Result<()> {
        eprintln!("the stand-in by itself");
        let sink = Sink::start(STAND_IN)?;
        let target = Target { address: sink.address, pid: process::id(), cluster: None };
        let run = self.load.run(&target, Requests::Numbered(Arc::new(graph::write_send)))?;
        // It runs inside this program, so CPU time and memory mean nothing.
        let bare = Run { cpu: None, memory: None, ..run };
        self.report.detail("the stand-in of WhatsApp by itself", &bare);
        Ok(())
    }
}

impl Inbox<'_> {
    /// Sends inbound messages for one run, and checks that every one of them is stored.
    fn take_in(&self, server: &Server, load: &Load) -> Result<Run> {
        let count = || self.site.database.count(INBOUND);
        let (before, first) = (count()?, people::reserve(0));
        let run = load.run(&self.site.target(server)?, Requests::Numbered(self.fixture.questions()))?;
        let (stored, sent) = (count()? - before, people::reserve(0) - first);
        if stored.unsigned_abs() == sent {
            Ok(run)
        } else {
            Err(format!("{stored} messages are stored of {sent} that were sent").into())
        }
    }

    /// Checks that every message was handed over once, and that the server recorded it as sent.
    fn check_handed_over(&self) -> Result<()> {
        let (posted, received) = (self.fixture.posted(), self.sink.received());
        let [sent, left] = [SENT, SENDS].map(|statement| self.site.database.count(statement));
        let (sent, left) = (sent?.unsigned_abs(), left?);
        if (received, sent, left) == (posted, posted, 0) {
            return Ok(());
        }
        Err(format!(
            "of {posted} messages {received} were handed over, {sent} are sent and {left} are waiting"
        )
        .into())
    }
}
