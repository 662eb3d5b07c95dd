//! The real server, started as a process and spoken to over HTTP, on every engine.
//!
//! A test is a plain function that takes an [`App`] (a server of its own on an empty database), and
//! is listed under the engines it runs on:
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
//! A test that starts its server differently takes the [`Engine`] instead, and calls
//! [`App::start`] itself. A function that is listed nowhere is dead code, which the lints refuse.
//!
//! Nothing is shared between tests and nothing is skipped: without PostgreSQL the tests on it fail,
//! saying how to run them (`make test`). Processes, databases and files are gone when the test is.

mod app;
mod at_once;
mod binary;
mod client;
mod command;
mod database;
mod engine;
mod minute;
mod model_provider;
mod response;
mod scratch;
mod server;
mod sink;
mod unsure;
mod until;
mod vendors;
mod wire;

pub use app::{Account, App, Key, Start, Tenant};
pub use at_once::at_once;
pub use client::Client;
pub use command::Outcome;
pub use database::{redis_over_tls, tls_file};
pub use engine::{Engine, Given};
pub use frontdesk_sandbox::Connection;
pub use minute::Clocked;
pub use model_provider::ModelProvider;
pub use response::{Budget, Response};
pub use server::Server;
pub use sink::{Received, Reply, Sink};
pub use unsure::Unsure;
pub use until::{PATIENCE, came_true, came_true_within};
pub use vendors::{Vendors, graph_url, nowhere, signed_by_meta};
pub use wire::Wire;

/// Runs each named test on SQLite and on PostgreSQL.
#[macro_export]
macro_rules! on_every_engine {
    ($($(#[$attribute:meta])* $test:ident),+ $(,)?) => {
        $crate::tests_on! { { sqlite: Sqlite, postgres: Postgres, } $([$(#[$attribute])*] $test,)+ }
    };
}

/// Runs each named test on SQLite, on PostgreSQL, and on PostgreSQL with Redis: for what is counted.
#[macro_export]
macro_rules! on_every_store {
    ($($(#[$attribute:meta])* $test:ident),+ $(,)?) => {
        $crate::tests_on! {
            { sqlite: Sqlite, postgres: Postgres, redis: PostgresRedis, } $([$(#[$attribute])*] $test,)+
        }
    };
}

/// Runs each named test on PostgreSQL, without Redis and with it: for what several servers share.
#[macro_export]
macro_rules! on_shared_stores {
    ($($(#[$attribute:meta])* $test:ident),+ $(,)?) => {
        $crate::tests_on! { { postgres: Postgres, redis: PostgresRedis, } $([$(#[$attribute])*] $test,)+ }
    };
}

/// Makes a module of each test, with one `#[test]` for each engine.
#[doc(hidden)]
#[macro_export]
macro_rules! tests_on {
    ($engines:tt) => {};
    ($engines:tt $attributes:tt $test:ident, $($rest:tt)*) => {
        mod $test {
            $crate::test_on! { $engines $attributes $test }
        }
        $crate::tests_on! { $engines $($rest)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! test_on {
    ({} $attributes:tt $test:ident) => {};
    ({ $name:ident: $engine:ident, $($rest:tt)* } [$($attribute:tt)*] $test:ident) => {
        #[test]
        $($attribute)*
        fn $name() {
            super::$test($crate::Given::given($crate::Engine::$engine));
        }
        $crate::test_on! { { $($rest)* } [$($attribute)*] $test }
    };
}
