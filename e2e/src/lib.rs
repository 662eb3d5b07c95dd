//! The real server, started as a process and spoken to over HTTP, on every engine.
//!
//! A test is a plain function that takes an [`App`], a running server, and is listed under the engines it runs on:
//!
//! ```no_run
//! use frontdesk_e2e::{App, on_every_engine};
//! use serde_json::json;
//!
//! # fn main() {}
//! on_every_engine! {
//!     a_contact_reads_back,
//! }
//!
//! fn a_contact_reads_back(app: App) {
//!     let client = app.tenant().client;
//!     let made = client.post("/contacts", json!({ "name": "Ada" })).expect(201);
//!     let id = made.data()["id"].as_str().unwrap();
//!     assert_eq!(client.get(&format!("/contacts/{id}")).expect(200).data(), made.data());
//!     client.get("/contacts/nothing").expect(404).error("not_found");
//! }
//! ```
//!
//! Tests use a server one after the other, because starting one takes longer than most tests. A test has its server for
//! itself while it runs, and makes an account of its own; the accounts of earlier tests are suspended. So it may stop the
//! server, move its clock and read its log, but it must not count what belongs to no account. A test that does, or that
//! must call from 127.0.0.1, is listed as `alone` and gets a server that no test has used, on an empty database. One that is
//! listed as `demo` gets the same, with the Demo account that a first start makes:
//!
//! ```ignore
//! on_every_engine! {
//!     a_contact_reads_back,
//!     alone a_metric_counts_every_contact,
//!     demo the_first_start_prints_a_key,
//! }
//! ```
//!
//! A test that starts its server differently takes the [`Engine`] instead, and calls [`App::start`] itself. A server with
//! other variables or options is never used again. A function that is listed nowhere is dead code, which the lints refuse.
//!
//! Nothing is skipped: without PostgreSQL the tests on it fail, saying how to run them (`make test`). Processes and files are
//! gone when the last test is, also if the tests are killed.

mod app;
mod at_once;
mod base;
mod binary;
mod caller;
mod client;
mod collector;
mod command;
mod database;
mod engine;
mod installation;
mod minute;
mod model_provider;
mod pool;
mod postgres_pair;
mod reaper;
mod response;
mod scratch;
mod server;
mod setup;
#[doc(hidden)]
pub mod sharing;
mod sink;
mod smtp;
mod stopwatch;
mod stores;
mod unsure;
mod until;
mod vendors;
mod wire;

pub use app::{App, Tenant};
pub use at_once::at_once;
pub use binary::frontdesk as server_binary;
pub use caller::read_some;
pub use client::Client;
pub use collector::{Collector, ExportedSpan};
pub use command::Outcome;
pub use database::{redis_over_tls, tls_file};
pub use engine::{Engine, Given};
pub use frontdesk_sandbox::Connection;
pub use installation::Start;
pub use minute::Clocked;
pub use model_provider::ModelProvider;
pub use postgres_pair::{PairedPostgres, PostgresPair};
pub use response::{Budget, Response};
pub use scratch::Scratch;
pub use server::Server;
pub use setup::{Account, Key};
pub use sink::{Received, Reply, Sink};
pub use smtp::{Mail, SMTP_PASSWORD, SmtpAct, SmtpServer, SmtpStep};
pub use stopwatch::Stopwatch;
pub use stores::{PostgresServer, RedisServer, Stop, free_port};
pub use unsure::Unsure;
pub use until::{PATIENCE, came_true, came_true_within};
pub use vendors::{Vendors, graph_url, nowhere, signed_by_meta};
pub use wire::Wire;

/// Runs each named test on SQLite and on PostgreSQL.
#[macro_export]
macro_rules! on_every_engine {
    ($($(#[$attribute:meta])* $($word:ident)+),+ $(,)?) => {
        $crate::tests_on! { { sqlite: Sqlite, postgres: Postgres, } $([$(#[$attribute])*] $($word)+,)+ }
    };
}

/// Runs each named test on SQLite alone: for what does not depend on the database.
#[macro_export]
macro_rules! on_sqlite {
    ($($(#[$attribute:meta])* $($word:ident)+),+ $(,)?) => {
        $crate::tests_on! { { sqlite: Sqlite, } $([$(#[$attribute])*] $($word)+,)+ }
    };
}

/// Runs each named test on SQLite, on PostgreSQL, and on PostgreSQL with Redis: for what is counted.
#[macro_export]
macro_rules! on_every_store {
    ($($(#[$attribute:meta])* $($word:ident)+),+ $(,)?) => {
        $crate::tests_on! {
            { sqlite: Sqlite, postgres: Postgres, redis: PostgresRedis, } $([$(#[$attribute])*] $($word)+,)+
        }
    };
}

/// Runs each named test on PostgreSQL, without Redis and with it: for what several servers share.
#[macro_export]
macro_rules! on_shared_stores {
    ($($(#[$attribute:meta])* $($word:ident)+),+ $(,)?) => {
        $crate::tests_on! { { postgres: Postgres, redis: PostgresRedis, } $([$(#[$attribute])*] $($word)+,)+ }
    };
}

/// Makes a module of each test, with one `#[test]` for each engine.
#[doc(hidden)]
#[macro_export]
macro_rules! tests_on {
    ($engines:tt) => {};
    ($engines:tt $attributes:tt alone $test:ident, $($rest:tt)*) => {
        mod $test {
            $crate::test_on! { $engines $attributes alone $test }
        }
        $crate::tests_on! { $engines $($rest)* }
    };
    ($engines:tt $attributes:tt demo $test:ident, $($rest:tt)*) => {
        mod $test {
            $crate::test_on! { $engines $attributes demo $test }
        }
        $crate::tests_on! { $engines $($rest)* }
    };
    ($engines:tt $attributes:tt $test:ident, $($rest:tt)*) => {
        mod $test {
            $crate::test_on! { $engines $attributes shared $test }
        }
        $crate::tests_on! { $engines $($rest)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! test_on {
    ({} $attributes:tt $how:ident $test:ident) => {};
    ({ $name:ident: $engine:ident, $($rest:tt)* } [$($attribute:tt)*] $how:ident $test:ident) => {
        #[test]
        $($attribute)*
        fn $name() {
            $crate::sharing::$how();
            super::$test($crate::Given::given($crate::Engine::$engine));
        }
        $crate::test_on! { { $($rest)* } [$($attribute)*] $how $test }
    };
}
