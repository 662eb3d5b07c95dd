//! The Model Context Protocol, at `/mcp`: what a program with a model sees and does in an account.
//!
//! Every tool calls operations of the API as the request's key, so scopes, validation, idempotency, events and attribution
//! are those of the API, and nothing is changed in another way. What a customer would see waits for a person first
//! (`approval`). Text that people wrote is returned as marked data (`marked`), and no
//! response is longer than [`TOKENS_MAX`].
//!
//! The protocol itself is `rmcp`'s. Requests are independent of each other: there are no sessions, so any server answers any
//! request.

mod api;
mod approval;
mod at_once;
mod budget;
mod cursor;
mod handler;
mod marked;
mod pages;
mod prompts;
mod resources;
mod server;
mod tools;

pub use budget::TOKENS_MAX;
pub use server::{McpServer, units};

/// Where the protocol is served.
pub const PATH: &str = "/mcp";
