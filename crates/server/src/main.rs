//! The `frontdesk` program: the server, and the commands that manage an installation.
//!
//! Results go to standard output and errors to standard error, as text or, with `--json`, as JSON. The exit
//! code is 1 if a command failed and 2 if its arguments were wrong.

/// A page of contacts makes hundreds of small allocations; this allocator takes half the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod account_deletion;
mod backup;
mod cli;
mod clock;
mod config;
mod connection_draft;
mod copy;
mod cors;
mod doctor;
mod document;
mod error;
mod examples;
mod first_account;
mod import;
mod installation;
mod media_files;
mod redis;
mod retention;
mod routes;
mod secret_key;
mod serve;
mod store_options;
mod switch;
mod trace_config;
mod watching;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let as_json = cli::wants_json(std::env::args_os());
    match cli::Cli::try_parse() {
        Ok(command) => command.run().unwrap_or_else(|error| cli::report(&error, as_json)),
        Err(error) => cli::report_usage(&error, as_json),
    }
}
