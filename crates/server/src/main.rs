//! The `frontdesk` program: the server, and the commands that manage an installation beside it.
//!
//! What goes wrong is told in one sentence on the standard error; the exit code is 1 then, and 2 when the command
//! itself was not understood. The standard output holds answers alone.

/// A page of contacts is hundreds of small pieces of memory; this allocator hands them out in half the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod cli;
mod clock;
mod config;
mod connecting;
mod doctor;
mod error;
mod examples;
mod first_account;
mod installation;
mod redis;
mod routes;
mod secret_key;
mod serve;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    cli::Cli::parse().run().unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}
