//! The command line.
//!
//! Every command works on the database that its options name, whether a server runs on it or not. It prints
//! short text for people, or one JSON value with `--json`.

mod account;
mod account_arg;
mod assistant;
mod backup;
mod booking_source;
mod broadcast;
mod channel;
mod copy;
mod doctor;
mod export;
mod failure;
mod form;
mod health;
mod import;
mod init;
mod key;
mod login;
mod mail;
mod media;
mod member;
mod packaging;
mod print;
mod progress;
mod prompt;
mod restore;
mod resume_sending;
mod run;
mod secret;
mod servers;
mod values;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub(crate) use failure::{report, report_usage, wants_json};

use crate::config::ServeArgs;
use crate::error::Result;
use crate::installation::Installation;
use crate::{document, routes, serve};

/// Customer messaging and CRM as a JSON API
#[derive(Parser)]
#[command(name = "frontdesk", version, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    installation: Installation,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server
    Serve(ServeArgs),
    /// Create the first account, its owner and a key, and the database if there is none yet
    Init(init::Command),
    /// Create and manage accounts
    #[command(subcommand)]
    Account(account::Command),
    /// Manage the people of an account
    #[command(subcommand)]
    Member(member::Command),
    /// Manage how people sign in
    #[command(subcommand)]
    Login(login::Command),
    /// See whether mails go out
    #[command(subcommand)]
    Mail(mail::Command),
    /// Create and manage API keys
    #[command(subcommand)]
    Key(key::Command),
    /// Connect and manage channels
    #[command(subcommand)]
    Channel(channel::Command),
    /// Send one message to many people
    #[command(subcommand)]
    Broadcast(broadcast::Command),
    /// List assistants, and switch them on and off
    #[command(subcommand)]
    Assistant(assistant::Command),
    /// Start and follow the runs of assistants
    #[command(subcommand)]
    Run(run::Command),
    /// Create and manage the forms of websites
    #[command(subcommand)]
    Form(form::Command),
    /// Connect and manage calendars
    #[command(subcommand)]
    BookingSource(booking_source::Command),
    /// Write everything that an account owns, or everything about one contact, to a ZIP archive
    Export(export::Command),
    /// Bring contacts, conversations and deals from another system or from a file
    #[command(subcommand)]
    Import(import::Command),
    /// List the servers of this installation: version, role, load, leases and clock
    Servers(servers::Command),
    /// Manage the key that secrets are sealed under
    #[command(subcommand)]
    Secret(secret::Command),
    /// Write everything into one compressed file, while servers run
    Backup(backup::Command),
    /// Make a new database from a backup
    Restore(restore::Command),
    /// Move everything into another database: from SQLite to PostgreSQL, back, or within one of them
    Copy(copy::Command),
    /// Show where files are, and move them
    #[command(subcommand)]
    Media(media::Command),
    /// Let work go on that waits since a restore
    ResumeSending(resume_sending::Command),
    /// Print the OpenAPI document of the API
    Openapi {
        /// Print the document of the dashboard's own routes instead
        #[arg(long)]
        dashboard: bool,
    },
    /// Check the configuration, the database and everything else that the server needs
    Doctor(doctor::Command),
    /// Ask the server on this machine whether it is ready; exits with 1 if it is not
    Health(health::Command),
    /// Print the script that completes commands in a shell
    Completions(packaging::Completions),
    /// Write the man pages, one for each command
    Man(packaging::Man),
}

impl Cli {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let installation = &self.installation;
        match self.command {
            Command::Serve(args) => serve::run(&args, installation)?,
            Command::Init(command) => command.run(installation)?,
            Command::Account(command) => command.run(installation)?,
            Command::Member(command) => command.run(installation)?,
            Command::Login(command) => command.run(installation)?,
            Command::Mail(command) => command.run(installation)?,
            Command::Key(command) => command.run(installation)?,
            Command::Channel(command) => command.run(installation)?,
            Command::Broadcast(command) => command.run(installation)?,
            Command::Assistant(command) => command.run(installation)?,
            Command::Run(command) => command.run(installation)?,
            Command::Form(command) => command.run(installation)?,
            Command::BookingSource(command) => command.run(installation)?,
            Command::Export(command) => command.run(installation)?,
            Command::Import(command) => command.run(installation)?,
            Command::Servers(servers::Command) => servers::run(installation)?,
            Command::Secret(command) => command.run(installation)?,
            Command::Backup(command) => command.run(installation)?,
            Command::Restore(command) => command.run(installation)?,
            Command::Copy(command) => command.run(installation)?,
            Command::Media(command) => command.run(installation)?,
            Command::ResumeSending(command) => command.run(installation)?,
            Command::Openapi { dashboard: true } => print::json(&frontdesk_app::document())?,
            Command::Openapi { dashboard: false } => print::json(&document::build(&routes::table()))?,
            Command::Doctor(command) => return command.run(installation),
            Command::Health(command) => command.run(installation)?,
            Command::Completions(command) => command.run()?,
            Command::Man(command) => command.run()?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::installation::GLOBAL_OPTIONS;
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_well_formed() {
        Cli::command().debug_assert();
    }

    /// Every command of the tree, with its whole name.
    fn commands() -> Vec<(String, clap::Command)> {
        fn walk(name: &str, command: &clap::Command, found: &mut Vec<(String, clap::Command)>) {
            found.push((name.to_owned(), command.clone()));
            for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
                walk(&format!("{name} {}", sub.get_name()), sub, found);
            }
        }
        let mut root = Cli::command();
        root.build();
        let mut found = Vec::new();
        walk("frontdesk", &root, &mut found);
        assert!(found.len() > 25, "the walk found {} commands", found.len());
        found
    }

    #[test]
    fn every_command_and_every_option_is_described() {
        for (name, command) in commands() {
            assert!(command.get_about().is_some(), "{name} has no description");
            for arg in command.get_arguments() {
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(!help.trim().is_empty(), "{} of {name} has no description", arg.get_id());
            }
        }
    }

    #[test]
    fn a_commands_own_options_come_before_the_global_ones() {
        for (name, mut command) in commands() {
            let help = command.render_help().to_string();
            let Some((own, global)) = help.split_once(&format!("{GLOBAL_OPTIONS}:")) else {
                panic!("{name} does not show the global options: {help}");
            };
            for option in ["--database", "--redis", "--json"] {
                let line = format!("      {option}");
                assert!(global.contains(&line) && !own.contains(&line), "{option} of {name}: {help}");
            }
            for arg in command.get_arguments().filter(|arg| !arg.is_global_set() && !arg.is_hide_set()) {
                if let Some(long) = arg.get_long() {
                    assert!(own.contains(&format!("--{long}")), "--{long} of {name}: {help}");
                }
            }
        }
    }

    #[test]
    fn the_help_of_a_key_lists_every_scope() {
        let (_, mut create) =
            commands().into_iter().find(|(name, _)| name == "frontdesk key create").expect("key create");
        let help = create.render_help().to_string();
        for scope in frontdesk_kernel::scope::Scope::ALL {
            assert!(help.contains(scope.name()), "{} is not listed: {help}", scope.name());
        }
    }

    #[test]
    fn global_options_stand_before_or_after_the_command() {
        for args in [
            &["frontdesk", "--database", "sqlite:x.db", "--json", "account", "list"][..],
            &["frontdesk", "account", "--json", "list", "--database", "sqlite:x.db"][..],
        ] {
            let cli = Cli::parse_from(args);
            assert!(cli.installation.json);
            assert_eq!(format!("{:?}", cli.installation.database().unwrap()), "sqlite:x.db");
        }
    }
}
