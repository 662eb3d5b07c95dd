//! The load program: it measures a real server over loopback and compares each figure with a ceiling from the same run.
//!
//! The speed of machines varies from one to the next and from one minute to the next. The share of it that the server
//! achieves varies little. So every figure is a ratio. The other side is something that does the same work without the
//! server (a bare handler that responds with the same bytes, or a loop that does only the inserts), or the same data in
//! another size. The two sides of a comparison take turns.

mod bare;
mod clock;
mod costs;
mod dashboard;
mod error;
mod figures;
mod histogram;
mod http;
mod inbox;
mod load;
mod options;
mod people;
mod pgbench;
mod process;
mod raw;
mod relay;
mod report;
mod run;
mod runs;
mod server;
mod servers;
mod site;
mod statements;
mod triggers;
mod webhooks;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::error::Result;
use crate::figures::{Bench, RAW_FILE};
use crate::options::{Cli, Command, Engine, Figure, Options};
use crate::report::Report;
use crate::server::Program;
use crate::site::{Scratch, Site};

const DOCUMENT: &str = "docs/PERFORMANCE.md";

fn main() -> ExitCode {
    let Cli { options, command } = Cli::parse();
    let outcome = match command {
        Some(Command::Bare(args)) => bare::serve(&args),
        None => measure(&options),
    };
    outcome.map_or_else(
        |error| {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn measure(options: &Options) -> Result<()> {
    let program = Program::find(options.binary.as_deref())?;
    let scratch = Scratch::new()?;
    let mut report = Report::default();
    let mut bench = Bench { load: options.load(), rounds: options.rounds(), report: &mut report };
    for engine in options.engines() {
        measure_usual(&program, &scratch, engine, options, &mut bench)?;
        measure_growth(&program, &scratch, engine, options, &mut bench)?;
    }
    if options.wants(Figure::Webhooks) || options.wants(Figure::Backlog) {
        webhooks::measure(&program, &scratch, options, &mut bench)?;
    }
    if options.wants(Figure::Inbox) {
        inbox::measure(&program, &scratch, options, &mut bench)?;
    }
    if options.wants(Figure::Broadcasts) {
        inbox::broadcasts::measure(&program, &scratch, options, &mut bench)?;
    }
    if options.wants(Figure::Dashboard) {
        dashboard::measure(&program, &scratch, options, &mut bench)?;
    }
    if options.wants(Figure::Runs) {
        runs::measure(&program, &scratch, options, &mut bench)?;
    }
    if options.wants(Figure::Triggers) {
        triggers::measure(&program, &scratch, options, &mut bench)?;
    }
    // It says how costs are spread, and has no place in the other results.
    if options.names(Figure::Servers) {
        servers::measure(&program, &scratch, options, &mut bench)?;
    }
    println!("{}", report.to_text());
    if let Some(file) = &options.json {
        fs::write(file, format!("{:#}\n", report.to_json()))?;
    }
    if options.write {
        report.write_into(Path::new(DOCUMENT), &options.load(), options.rounds())?;
    }
    Ok(())
}

/// Measures an installation of the usual size. Creating contacts comes last, because it changes the size.
fn measure_usual(
    program: &Program,
    scratch: &Scratch,
    engine: Engine,
    options: &Options,
    bench: &mut Bench<'_>,
) -> Result<()> {
    let [start, get, post] = [Figure::Start, Figure::Get, Figure::Post].map(|figure| options.wants(figure));
    if !(start || get || post) {
        return Ok(());
    }
    let site = Site::build(program, engine, scratch, options.sizes().usual)?;
    if start {
        bench.start(&site)?;
    }
    if post && engine == Engine::Sqlite {
        site.copy_file(RAW_FILE)?;
    }
    let server = site.serve()?;
    if get {
        bench.get(&site, &server)?;
    }
    if post {
        bench.post(&site, &server)?;
    }
    server.stop()
}

/// Measures a small and a large installation.
fn measure_growth(
    program: &Program,
    scratch: &Scratch,
    engine: Engine,
    options: &Options,
    bench: &mut Bench<'_>,
) -> Result<()> {
    let [pages, growth, q] = [Figure::Pages, Figure::Growth, Figure::Q].map(|figure| options.wants(figure));
    if !(pages || growth || q) {
        return Ok(());
    }
    let many = Site::build(program, engine, scratch, options.sizes().many)?;
    let many_server = many.serve()?;
    if pages {
        bench.pages(&many, &many_server)?;
    }
    if growth || q {
        let few = Site::build(program, engine, scratch, options.sizes().few)?;
        let few_server = few.serve()?;
        let (few, many) = ((&few, &few_server), (&many, &many_server));
        if growth {
            bench.growth(few, many)?;
        }
        if q {
            bench.search(few, many)?;
        }
    }
    Ok(())
}
