//! Webhooks: contacts are created, and an endpoint inside this program receives a delivery for each.
//!
//! A delivery is timed from just before its POST is sent until the endpoint has the whole request. A repeated delivery
//! counts once.

mod dead;

use std::sync::Arc;
use std::time::Duration;

use frontdesk_crm::contacts::event_types;

use crate::error::Result;
use crate::figures::{Bench, CONTACTS};
use crate::load::Request;
use crate::options::{Engine, Figure, Options, Sizes};
use crate::pgbench::Pgbench;
use crate::relay::{Relay, Sink, SinkBehavior};
use crate::report::{Target, thousands};
use crate::run::{Run, Turns, median, median_time};
use crate::server::{Program, Server};
use crate::site::{Scratch, Site, WAITING};
use crate::{http, people};

use dead::Dead;

/// A third of what svix-server takes on a machine like those this was written on (2.1 to 2.7 ms, including
/// PostgreSQL's).
const CPU_MICROS_MAX: f64 = 700.0;
/// The share of the saturating load at which latency is measured, and the maximum latency there.
const SHARE: f64 = 0.1;
const P99_MILLIS_MAX: f64 = 50.0;
/// The same on PostgreSQL, at its highest rate.
const BUSY_P99_MILLIS_MAX: f64 = 80.0;
/// How many times slower deliveries may be while many others wait for a dead endpoint.
const SLOWER_MAX: f64 = 1.3;
const PHONE_DIGITS: usize = 10;
/// The endpoint responds with 200 to every request.
const ENDPOINT: SinkBehavior = SinkBehavior { told_of, response: |_, _, out| http::write_answer("", out) };

/// Returns one of a run's times.
type Time = fn(&Run) -> Option<Duration>;

/// Measures webhooks on all requested engines together, because they are compared with each other.
pub(crate) fn measure(
    program: &Program,
    scratch: &Scratch,
    options: &Options,
    bench: &mut Bench<'_>,
) -> Result<()> {
    let (sizes, sink) = (options.sizes(), Sink::start(ENDPOINT)?);
    let mut sites = Vec::new();
    for engine in options.engines() {
        sites.push(subscribed(program, engine, scratch, sizes, &sink)?);
    }
    let rates = bench.deliveries(&sites, sizes, &sink)?;
    let behind = if options.wants(Figure::Backlog) { &sites[..] } else { &[] };
    for (site, rate) in behind.iter().zip(rates) {
        bench.backlog((program, scratch), site, sizes, &sink, rate * SHARE)?;
    }
    Ok(())
}

/// An installation whose first account subscribes the sink to new contacts.
fn subscribed(
    program: &Program,
    engine: Engine,
    scratch: &Scratch,
    sizes: Sizes,
    sink: &Sink,
) -> Result<Site> {
    let site = Site::build(program, engine, scratch, sizes.usual)?;
    let server = site.serve()?;
    site.subscribe(&server, sink.address, event_types::CREATED.name())?;
    server.stop()?;
    Ok(site)
}

fn millis_of_p99(runs: &[Run]) -> f64 {
    median_time(runs, |run| run.p99).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}

impl Bench<'_> {
    /// Deliveries at the server's highest rate, against pgbench writing an event and a delivery per transaction.
    /// Returns the rate of each site.
    fn deliveries(&mut self, sites: &[Site], sizes: Sizes, sink: &Sink) -> Result<Vec<f64>> {
        let count = sizes.deliveries as usize;
        let servers = sites.iter().map(Site::serve).collect::<Result<Vec<_>>>()?;
        let at = |engine| sites.iter().position(|site| site.database.engine == engine);
        let pgbench = at(Engine::Postgres).map(|at| Pgbench::deliveries(&sites[at])).transpose()?;
        let mut runs = vec![Vec::new(); sites.len()];
        let mut ceiling = Vec::new();
        for round in 1..=self.rounds.max(1) {
            for ((site, server), runs) in sites.iter().zip(&servers).zip(&mut runs) {
                eprintln!(
                    "{}: {} deliveries, round {round}",
                    site.database.engine.name(),
                    thousands(sizes.deliveries)
                );
                let run = self.relay(site, server, sink)?.saturate(count)?;
                eprintln!("  {}", run.summary());
                runs.push(run);
            }
            if let Some(pgbench) = &pgbench {
                let run = pgbench.run(&self.load)?;
                eprintln!("  pgbench: {}", run.summary());
                ceiling.push(run);
            }
        }
        servers.into_iter().try_for_each(Server::stop)?;
        self.report_deliveries(&runs, at(Engine::Sqlite), at(Engine::Postgres), &ceiling, sizes);
        Ok(runs.iter().map(|runs| median(runs).rate).collect())
    }

    fn report_deliveries(
        &mut self,
        runs: &[Vec<Run>],
        sqlite: Option<usize>,
        postgres: Option<usize>,
        ceiling: &[Run],
        sizes: Sizes,
    ) {
        let [sqlite, postgres] = [sqlite, postgres].map(|at| at.map(|at| runs[at].clone()));
        let both = |a: &[Run], b: &[Run]| Turns { a: a.to_vec(), b: b.to_vec() };
        if let Some(postgres) = &postgres {
            let turns = both(postgres, ceiling);
            let figure = "PostgreSQL: delivered / pgbench, two inserts";
            self.compare(figure, &turns, turns.ratio(), Target::AtLeast(0.4));
            let cpu = median_time(postgres, |run| Some(run.cpu? + run.database_cpu.unwrap_or_default()));
            let micros = cpu.map_or(f64::NAN, |cpu| cpu.as_secs_f64() * 1e6);
            self.report.state(
                "PostgreSQL: CPU per delivery, its POST included",
                micros,
                "µs",
                CPU_MICROS_MAX,
            );
            self.report.state(
                "PostgreSQL: POST to arrival at all of the load, p99",
                millis_of_p99(postgres),
                "ms",
                BUSY_P99_MILLIS_MAX,
            );
        }
        if let (Some(sqlite), Some(postgres)) = (&sqlite, &postgres) {
            let turns = both(sqlite, postgres);
            let figure = "SQLite: delivered / delivered on PostgreSQL";
            self.compare(figure, &turns, turns.ratio(), Target::AtLeast(3.0));
            let turns = both(sqlite, ceiling);
            let figure = "SQLite: delivered / pgbench, two inserts";
            self.compare(figure, &turns, turns.ratio(), Target::None);
        }
        let count = thousands(sizes.deliveries);
        for (engine, runs) in [(Engine::Sqlite, &sqlite), (Engine::Postgres, &postgres)] {
            if let Some(runs) = runs {
                self.detail(&format!("{}: {count} POSTs until delivered", engine.name()), runs);
            }
        }
        if !ceiling.is_empty() {
            self.detail("PostgreSQL: pgbench, an event and a delivery", ceiling);
        }
    }

    /// A share of the load, by itself and while many deliveries wait for a dead endpoint of the same account.
    fn backlog(
        &mut self,
        (program, scratch): (&Program, &Scratch),
        free: &Site,
        sizes: Sizes,
        sink: &Sink,
        rate: f64,
    ) -> Result<()> {
        let engine = free.database.engine;
        let name = engine.name();
        let behind = subscribed(program, engine, scratch, sizes, sink)?;
        let dead = Dead::new()?;
        let server = behind.serve()?;
        let endpoint = behind.subscribe(&server, dead.address, WAITING)?;
        server.stop()?;
        behind.fall_behind(endpoint, sizes.backlog)?;
        free.tidy()?;
        eprintln!("{name}: {rate:.0} POSTs a second");
        // Only one server runs at a time, because the other would continue to call the dead endpoint.
        let take = |site: &Site| {
            let server = site.serve()?;
            let run = self.relay(site, &server, sink)?.steady(rate)?;
            server.stop()?;
            Ok(run)
        };
        let turns = Turns::take(self.rounds, || take(&behind), || take(free))?;

        let figure = format!("{name}: POST to arrival at a tenth of the load, p99");
        self.report.state(&figure, millis_of_p99(&turns.b), "ms", P99_MILLIS_MAX);
        let waiting = thousands(sizes.backlog);
        let times: [(&str, Time); 2] = [("p50", |run| run.p50), ("p99", |run| run.p99)];
        for (which, time) in times {
            let figure = format!("{name}: the same beside {waiting} to a dead endpoint, {which}");
            let (measured, usual) = (median_time(&turns.a, time), median_time(&turns.b, time));
            self.report.compare_times(&figure, measured, usual, turns.times(time), SLOWER_MAX);
        }
        self.detail(&format!("{name}: a tenth of that load"), &turns.b);
        self.detail(&format!("{name}: the same beside {waiting} to a dead endpoint"), &turns.a);
        Ok(())
    }

    fn relay<'s>(&self, site: &Site, server: &Server, sink: &'s Sink) -> Result<Relay<'s>> {
        let key = site.accounts[0].key.clone();
        let request: Request = Arc::new(move |number, out| {
            http::write_post(CONTACTS, &key, &people::newcomer(number).json(), out);
        });
        Ok(Relay { load: self.load, target: site.target(server)?, request, sink })
    }
}

/// The number of the newcomer in a body.
fn told_of(body: &[u8]) -> Option<u64> {
    let start = http::find(body, people::PHONE_MARK)? + people::PHONE_MARK.len();
    let digits = std::str::from_utf8(body.get(start..start + PHONE_DIGITS)?).ok()?;
    Some(people::newcomer_by(digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newcomer_is_known_by_what_is_told() {
        assert_eq!(told_of(people::newcomer(77).json().as_bytes()), Some(77));
        assert_eq!(told_of(b"{}"), None);
    }
}
