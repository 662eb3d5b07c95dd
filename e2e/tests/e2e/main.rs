//! What the contract promises, asked of the real server.

mod addresses;
mod auth;
mod bodies;
mod budgets;
mod cli;
mod cli_keys;
mod http;
mod limits;
mod rough;
mod serving;
