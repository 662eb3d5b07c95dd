//! The dashboard's server side: the memory of open streams, how soon a customer's message reaches members, and how long
//! the requests take that the dashboard sends when a member opens a conversation.
//!
//! Everything happens in one account, and each of its contacts has written to it. The browser's own time is not
//! measured.

mod members;
mod streams;
mod switch;

use std::thread;
use std::time::Duration;

use crate::error::Result;
use crate::figures::Bench;
use crate::inbox::fixture::Fixture;
use crate::inbox::graph::STAND_IN;
use crate::options::Options;
use crate::process;
use crate::relay::{self, Sink};
use crate::report::{megabytes, thousands};
use crate::server::{Program, Server};
use crate::site::{Scratch, Site};

use members::Member;

/// Connected members, and the streams whose memory is measured.
const MEMBERS: usize = 50;
const STREAMS: usize = 500;
/// Messages of each conversation after the first.
const MORE_MESSAGES: usize = 4;
/// How long a server settles before its memory is read.
const SETTLE: Duration = Duration::from_secs(2);

const STREAMS_MEGABYTES_MAX: f64 = 15.0;
const MESSAGE_MILLIS_MAX: f64 = 200.0;
const SWITCH_MILLIS_MAX: f64 = 100.0;

pub(crate) fn measure(
    program: &Program,
    scratch: &Scratch,
    options: &Options,
    bench: &mut Bench<'_>,
) -> Result<()> {
    let sizes = options.sizes();
    for engine in options.engines() {
        let (site, sink) = (Site::build(program, engine, scratch, sizes.usual)?, Sink::start(STAND_IN)?);
        let connections = bench.load.connections;
        let fixture = Fixture::open(&site, &sink, connections, sizes.conversations)?;
        let server = site.serve()?;
        let more = fixture.conversations.len() * MORE_MESSAGES;
        relay::send(server.address, connections, fixture.questions(), more)?;
        let members = members::sign_in(&site, &server, MEMBERS)?;
        server.stop()?;
        site.tidy()?;
        // Hashing passwords takes memory that a server does not release, so a new server is measured.
        let server = site.serve()?;
        let office = Office { site: &site, fixture: &fixture, server: &server, members: &members };
        bench.idle_streams(&office)?;
        bench.messages_on_streams(&office)?;
        bench.switches(&office)?;
        server.stop()?;
    }
    Ok(())
}

/// The installation that is measured on one engine.
struct Office<'s> {
    site: &'s Site,
    fixture: &'s Fixture,
    server: &'s Server,
    members: &'s [Member],
}

impl Bench<'_> {
    fn idle_streams(&mut self, office: &Office<'_>) -> Result<()> {
        let name = office.site.database.engine.name();
        eprintln!("{name}: {STREAMS} idle streams");
        office.server.ask(&office.members[0].get("/app/api/session"))?;
        let memory = || -> Result<f64> {
            thread::sleep(SETTLE);
            Ok(megabytes(process::memory(office.server.pid())?))
        };
        let before = memory()?;
        let open = streams::open(office.server.address, office.members, STREAMS)?;
        let added = (memory()? - before).max(0.0);
        drop(open);
        let figure = format!("{name}: memory added by {} idle streams", thousands(STREAMS as u64));
        self.report.state(&figure, added, "MB", STREAMS_MEGABYTES_MAX);
        Ok(())
    }

    fn messages_on_streams(&mut self, office: &Office<'_>) -> Result<()> {
        let name = office.site.database.engine.name();
        eprintln!("{name}: messages that {MEMBERS} members hear of");
        let heard = streams::listen(office, self.load.measured)?;
        let figure =
            format!("{name}: vendor's webhook to the streams of {MEMBERS} members, p95 of {}", heard.count());
        self.report.state(&figure, millis(heard.quantile(0.95)), "ms", MESSAGE_MILLIS_MAX);
        Ok(())
    }

    fn switches(&mut self, office: &Office<'_>) -> Result<()> {
        let name = office.site.database.engine.name();
        let many = thousands(office.fixture.conversations.len() as u64);
        eprintln!("{name}: opening conversations, {many} there are");
        // The members stay connected during the measurement.
        let open = streams::open(office.server.address, office.members, MEMBERS)?;
        let took = switch::measure(office)?;
        drop(open);
        let figure =
            format!("{name}: requests of opening one of {many} conversations, p95 of {}", took.count());
        self.report.state(&figure, millis(took.quantile(0.95)), "ms", SWITCH_MILLIS_MAX);
        Ok(())
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
