//! The command-line options.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::bare::BareArgs;
use crate::load::Load;

/// Measures the server under load and compares each figure with its ceiling
#[derive(Parser)]
#[command(name = "frontdesk-bench", args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve one fixed response: the ceiling of reads
    Bare(BareArgs),
}

#[derive(Args)]
pub(crate) struct Options {
    /// Measure only this; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<Figure>,
    /// Measure only this engine
    #[arg(long)]
    engine: Option<Engine>,
    /// Few contacts and short runs, to check that everything works; the figures mean nothing
    #[arg(long)]
    quick: bool,
    /// Connections that send the load
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1000), value_name = "N")]
    connections: u16,
    /// Seconds to measure each run for, after a second of warm-up
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=600), value_name = "N")]
    seconds: Option<u16>,
    /// Rounds: how often the two sides of a comparison take turns
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=100), value_name = "N")]
    rounds: Option<u16>,
    /// Also write the results to a file as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Also write the results into docs/PERFORMANCE.md; requires a whole run
    #[arg(long, conflicts_with_all = ["only", "engine", "quick"])]
    pub(crate) write: bool,
    /// The program to measure, if not the one in this program's directory
    #[arg(long, value_name = "FILE")]
    pub(crate) binary: Option<PathBuf>,
}

/// The figures that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Figure {
    /// Time from start to first response, and memory when idle
    Start,
    /// A page of contacts, against a bare handler
    Get,
    /// Creating contacts, against a raw group-commit loop or pgbench
    Post,
    /// The last page of a long list against the first
    Pages,
    /// A page of contacts, with few contacts and with many
    Growth,
    /// A search, with few contacts and with many
    Q,
    /// Contacts created and delivered by webhook, against pgbench
    Webhooks,
    /// The same at a tenth of the rate, with and without a backlog to a dead endpoint; also runs `webhooks`
    Backlog,
    /// Messages received and handed over, against a raw group-commit loop or pgbench
    Inbox,
    /// Broadcast recipients added and handed over, against a raw group-commit loop or pgbench
    Broadcasts,
    /// Dashboard streams, and the requests that open a conversation
    Dashboard,
    /// Assistant runs: the engine's time per tick, waiting runs, and many runs at once
    Runs,
    /// How fast due triggers fire, and the cost of triggers that are not due
    Triggers,
    /// One, two and three servers on PostgreSQL and Redis, and the cost of an operation by part; only when named
    Servers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// The amounts of data that are measured.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    /// Contacts of all accounts together, for reading a page and for creating contacts.
    pub(crate) usual: u64,
    pub(crate) few: u64,
    pub(crate) many: u64,
    /// Deliveries that a run waits for.
    pub(crate) deliveries: u64,
    /// Deliveries that wait for a dead endpoint.
    pub(crate) backlog: u64,
    /// Customers who send and receive messages.
    pub(crate) customers: u64,
    /// Messages that a run hands over.
    pub(crate) messages: u64,
    /// Recipients of a broadcast.
    pub(crate) recipients: u64,
    /// Conversations of the account whose members use the dashboard.
    pub(crate) conversations: u64,
    /// Runs that wait for a person.
    pub(crate) waiting_runs: u64,
    /// Triggers that are due in one minute, and triggers that are not due.
    pub(crate) triggers_due: u64,
    pub(crate) triggers_idle: u64,
}

impl Options {
    pub(crate) fn wants(&self, figure: Figure) -> bool {
        self.only.is_empty() || self.only.contains(&figure)
    }

    /// Whether a figure is asked for by its name.
    pub(crate) fn names(&self, figure: Figure) -> bool {
        self.only.contains(&figure)
    }

    pub(crate) fn engines(&self) -> Vec<Engine> {
        self.engine.map_or_else(|| vec![Engine::Sqlite, Engine::Postgres], |engine| vec![engine])
    }

    pub(crate) fn sizes(&self) -> Sizes {
        if self.quick {
            Sizes {
                usual: 2_000,
                few: 1_000,
                many: 10_000,
                deliveries: 1_000,
                backlog: 10_000,
                customers: 100,
                messages: 500,
                recipients: 2_000,
                conversations: 100,
                waiting_runs: 200,
                triggers_due: 1_000,
                triggers_idle: 10_000,
            }
        } else {
            Sizes {
                usual: 100_000,
                few: 10_000,
                many: 1_000_000,
                deliveries: 20_000,
                backlog: 1_000_000,
                customers: 1_000,
                messages: 10_000,
                recipients: 100_000,
                conversations: 10_000,
                waiting_runs: 10_000,
                triggers_due: 100_000,
                triggers_idle: 1_000_000,
            }
        }
    }

    pub(crate) fn load(&self) -> Load {
        let seconds = self.seconds.unwrap_or(if self.quick { 1 } else { 5 });
        Load {
            connections: self.connections.into(),
            warm_up: if self.quick { Duration::from_millis(300) } else { Duration::from_secs(1) },
            measured: Duration::from_secs(seconds.into()),
        }
    }

    pub(crate) fn rounds(&self) -> usize {
        self.rounds.map_or(if self.quick { 2 } else { 5 }, usize::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn options(args: &[&str]) -> Options {
        Cli::parse_from([&["bench"], args].concat()).options
    }

    #[test]
    fn the_options_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_part_can_be_asked_for() {
        let options = options(&["--only", "q", "--only", "get", "--engine", "postgres", "--quick"]);
        assert!(options.wants(Figure::Q) && options.wants(Figure::Get) && !options.wants(Figure::Post));
        assert!(options.names(Figure::Q) && !self::options(&[]).names(Figure::Servers));
        assert_eq!(options.engines(), [Engine::Postgres]);
        assert_eq!((options.load().measured.as_secs(), options.rounds()), (1, 2));
    }

    #[test]
    fn only_a_whole_run_is_written_down() {
        assert!(options(&["--write"]).write);
        for part in ["--quick", "--only=q", "--engine=sqlite"] {
            assert!(Cli::try_parse_from(["bench", "--write", part]).is_err(), "{part}");
        }
    }
}
