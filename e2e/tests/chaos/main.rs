//! Three servers, a PostgreSQL and a Redis under mixed load, while they are killed and started again.
//!
//! Every write that was acknowledged is noted in memory. When the faults are over and all queues are empty, everything is
//! compared: what is stored, what the channel and the receivers of webhooks got, and what was counted.
//!
//! ```text
//! make chaos                                    ten minutes
//! make chaos ARGS="--minutes=60 --seed=7"       longer, with the faults and the load of a seed
//! cargo test --workspace --test chaos      a minute, as a part of `make test`
//! ```
//!
//! docs/faults.md says what is promised and how it is checked.

mod caller;
mod checks;
mod cluster;
mod dice;
mod drain;
mod faults;
mod ledger;
mod load;
mod options;
mod outside;
mod report;
mod sabotage;
mod scene;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use crate::cluster::Cluster;
use crate::dice::Dice;
use crate::ledger::Ledger;
use crate::options::{Asked, Options};
use crate::outside::Outside;
use crate::report::Report;
use crate::scene::Scene;

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)) {
        Ok(Asked::Run(options)) if run(&options) => ExitCode::SUCCESS,
        Ok(Asked::Run(_)) => ExitCode::FAILURE,
        Ok(Asked::Nothing) => ExitCode::SUCCESS,
        Err(mistake) => {
            eprintln!("{mistake}");
            ExitCode::from(2)
        }
    }
}

/// True if every promise was kept.
fn run(options: &Options) -> bool {
    println!(
        "\n{} s of faults with the seed {} (ARGS=--seed={} repeats their order)",
        options.length.as_secs(),
        options.seed,
        options.seed
    );
    let dice = Dice::new(options.seed);
    let outside = Outside::start(&dice);
    let cluster = Cluster::start(&outside);
    let scene = Scene::set(&cluster, &outside, options.length);
    let ledger = Ledger::default();
    let (over, ended) = (AtomicBool::new(false), AtomicBool::new(false));
    let began = Instant::now();
    let mut report = Report::default();
    thread::scope(|scope| {
        // The channel reports until everything has been checked.
        let reporter = scope.spawn(|| load::reports(&scene, &ended));
        let _end_on_panic = Raise(&ended);
        thread::scope(|scope| {
            let _over_on_panic = Raise(&over);
            load::start(scope, &scene, &ledger, &dice, &over);
            report.faults = faults::strike(&cluster, options.length, &dice);
        });
        report.beats = scene.pulse.beats();
        cluster.start_all();
        report.length = began.elapsed();
        let wait = Instant::now();
        drain::until_nothing_waits(&scene, &mut report);
        report.drained = wait.elapsed();
        load::budget::quiet_minute(&scene, &ledger, options.is_sabotaged);
        cluster.harvest_logs();
        let broken = if options.is_sabotaged { sabotage::plant(&scene) } else { Vec::new() };
        checks::all(&scene, &ledger, &mut report);
        report.expect(&broken);
        ended.store(true, Ordering::Relaxed);
        reporter.join().expect("the reports");
    });
    report.print(&cluster, options.seed)
}

/// Raises a flag when it is dropped, however its owner ends.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
