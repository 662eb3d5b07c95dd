//! An installation to be measured: a database with ten accounts and their contacts.
//!
//! Accounts, keys, tags and fields are created as a person creates them, by the command line and the API. Contacts are
//! written directly into the tables, with the product's own ids and search text, while no server runs.

mod backlog;
mod database;
mod newcomer;
mod postgres;
mod seed;
mod sqlite;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use frontdesk_crm::contacts::ContactField;
use frontdesk_crm::custom_fields::FieldId;
use frontdesk_crm::tags::TagId;
use frontdesk_inbox::connections::ConnectionId;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::webhooks::EndpointId;
use serde_json::{Value, json};

pub(crate) use backlog::WAITING;
pub(crate) use database::{Database, Scratch};
pub(crate) use newcomer::Newcomer;
pub(crate) use sqlite::{open as open_sqlite, open_index as open_sqlite_index};

use crate::error::Result;
use crate::http;
use crate::load::Target;
use crate::options::Engine;
use crate::report::thousands;
use crate::server::{Program, Server};

pub(crate) const ACCOUNTS: usize = 10;
const TAGS: usize = 20;
/// How often to check whether the index has caught up.
const INDEX_LOOKED_AT: Duration = Duration::from_millis(100);
/// Higher than any run reaches.
const RATE_LIMIT: &str = "1000000000";
const FIELDS: [(&str, &str); 3] = [("City", "text"), ("Customer since", "date"), ("Seats", "number")];

/// An account, with a key that has every scope.
pub(crate) struct Account {
    pub(crate) id: AccountId,
    pub(crate) num: i64,
    pub(crate) key: String,
    tags: Vec<TagId>,
    fields: Vec<(FieldId, &'static str)>,
}

impl Account {
    /// The account's fields as a new contact has them.
    pub(crate) fn blank_fields(&self) -> Vec<ContactField> {
        let blank =
            |(id, name): &(FieldId, &str)| ContactField { field_id: *id, name: (*name).into(), value: None };
        self.fields.iter().map(blank).collect()
    }
}

/// A WhatsApp number, and the secret that signs its webhooks.
pub(crate) struct Number<'n> {
    pub(crate) id: &'n str,
    pub(crate) waba_id: &'n str,
    pub(crate) secret: &'n str,
}

pub(crate) struct Site {
    program: Program,
    pub(crate) dir: PathBuf,
    pub(crate) database: Database,
    pub(crate) accounts: Vec<Account>,
    /// Contacts of each account when the run begins.
    pub(crate) each: u64,
}

impl Site {
    /// Builds an installation with this many contacts, over all accounts.
    pub(crate) fn build(program: &Program, engine: Engine, scratch: &Scratch, contacts: u64) -> Result<Self> {
        let dir = scratch.subdirectory()?;
        let database = Database::create(engine, &dir)?;
        let each = contacts / ACCOUNTS as u64;
        let mut site = Self { program: program.clone(), dir, database, accounts: Vec::new(), each };
        for number in 0..ACCOUNTS {
            let account = site.open_account(number)?;
            site.accounts.push(account);
        }
        site.define()?;
        let started = Instant::now();
        eprintln!("{}: writing {} contacts", engine.name(), thousands(contacts));
        match engine {
            Engine::Sqlite => {
                sqlite::fill(&mut site)?;
                site.index()?;
            }
            Engine::Postgres => postgres::fill(&mut site)?,
        }
        eprintln!("{}: written in {:.0} s", engine.name(), started.elapsed().as_secs_f64());
        Ok(site)
    }

    /// Starts the server on this installation.
    pub(crate) fn serve(&self) -> Result<Server> {
        self.serve_with(&[])
    }

    /// Starts the server with additional environment variables.
    pub(crate) fn serve_with(&self, environment: &[(&str, &str)]) -> Result<Server> {
        self.program.serve(&self.dir, &self.database.url, environment)
    }

    pub(crate) fn target(&self, server: &Server) -> Result<Target> {
        Ok(Target { address: server.address, pid: server.pid(), cluster: self.database.cluster()? })
    }

    /// Contacts of all accounts when the run begins.
    pub(crate) fn contacts(&self) -> u64 {
        self.each * ACCOUNTS as u64
    }

    /// A GET with each account's key.
    pub(crate) fn gets(&self, path: &str) -> Vec<Vec<u8>> {
        self.accounts.iter().map(|account| http::get(path, &account.key)).collect()
    }

    /// Connects a WhatsApp number to the first account and returns the connection's id. Its Graph API is at the given
    /// address. Its rate limit, which the vendor asks for, is too high to be reached.
    pub(crate) fn connect(&self, number: &Number<'_>, graph: SocketAddr) -> Result<ConnectionId> {
        self.connect_with(number, graph, RATE_LIMIT)
    }

    /// Connects a number that sends at most this many messages a second.
    pub(crate) fn connect_paced(
        &self,
        number: &Number<'_>,
        graph: SocketAddr,
        per_second: f64,
    ) -> Result<ConnectionId> {
        self.connect_with(number, graph, &per_second.to_string())
    }

    /// Disconnects a number.
    pub(crate) fn disconnect(&self, connection: &str) -> Result<()> {
        self.program.command(&self.dir, &self.database.url, &["channel", "disconnect", connection])?;
        Ok(())
    }

    fn connect_with(&self, number: &Number<'_>, graph: SocketAddr, per_second: &str) -> Result<ConnectionId> {
        let (account, graph) = (self.accounts[0].id.to_string(), format!("http://{graph}"));
        let mut args = vec!["channel", "connect", "--account", &account, "--channel", "whatsapp"];
        args.extend(["--phone-number-id", number.id, "--waba-id", number.waba_id]);
        args.extend(["--access-token", "bench", "--verify-token", "bench", "--app-secret", number.secret]);
        args.extend(["--graph-url", &graph, "--messages-per-second", per_second]);
        let made = self.program.command(&self.dir, &self.database.url, &args)?;
        match made["warning"].as_str() {
            Some(warning) => Err(warning.into()),
            None => Ok(text(&made, "connection_id")?.parse()?),
        }
    }

    /// Adds a member to the first account and returns the token of the link that sets their password. A server must
    /// have run before.
    pub(crate) fn invite(&self, email: &str) -> Result<String> {
        let run = |args: &[&str]| self.program.command(&self.dir, &self.database.url, args);
        let account = self.accounts[0].id.to_string();
        let mut args = vec!["member", "add", "--account", &account, "--name", "Member"];
        args.extend(["--email", email, "--role", "agent"]);
        let made = run(&args)?;
        let link = run(&["member", "invite", text(&made, "user_id")?])?;
        let (_, token) = text(&link, "url")?.split_once("#token=").ok_or("a link without a token")?;
        Ok(token.to_owned())
    }

    /// Adds an endpoint to the first account, subscribes it to one event type, and returns its id.
    pub(crate) fn subscribe(
        &self,
        server: &Server,
        address: SocketAddr,
        event_type: &str,
    ) -> Result<EndpointId> {
        let body = json!({ "url": format!("http://{address}/"), "event_types": [event_type] });
        let made = server.create("/api/v1/webhooks", &self.accounts[0].key, &body)?;
        Ok(text(&made, "id")?.parse()?)
    }

    /// Writes events of the first account, each with an overdue delivery to that endpoint.
    pub(crate) fn fall_behind(&self, endpoint: EndpointId, deliveries: u64) -> Result<()> {
        eprintln!("{}: writing {} deliveries", self.database.engine.name(), thousands(deliveries));
        backlog::fill(self, endpoint, deliveries)
    }

    /// Runs the database's maintenance now, so that it does not start by itself later.
    pub(crate) fn tidy(&self) -> Result<()> {
        match self.database.engine {
            Engine::Sqlite => Ok(()),
            Engine::Postgres => postgres::tidy(&mut self.database.client()?),
        }
    }

    fn open_account(&self, number: usize) -> Result<Account> {
        let run = |args: &[&str]| self.program.command(&self.dir, &self.database.url, args);
        let name = format!("Account {number}");
        // Creating the first account also creates the database.
        let made = match number {
            0 => run(&["init", "--account", &name])?,
            _ => run(&["account", "create", "--name", &name])?,
        };
        let id = text(&made, "account_id")?;
        run(&["account", "set", id, "--rate-limit", RATE_LIMIT])?;
        let made = run(&["key", "create", "--account", id, "--name", "Bench", "--all-scopes"])?;
        let key = text(&made, "key")?.to_owned();
        Ok(Account { id: id.parse()?, num: 0, key, tags: Vec::new(), fields: Vec::new() })
    }

    /// Creates each account's tags and fields.
    fn define(&mut self) -> Result<()> {
        let server = self.serve()?;
        for account in &mut self.accounts {
            for tag in 0..TAGS {
                let body = json!({ "name": format!("Tag {tag:02}"), "color": "#2563eb" });
                let made = server.create("/api/v1/tags", &account.key, &body)?;
                account.tags.push(text(&made, "id")?.parse()?);
            }
            for (name, kind) in FIELDS {
                let body = json!({ "name": name, "type": kind });
                let made = server.create("/api/v1/custom-fields", &account.key, &body)?;
                account.fields.push((text(&made, "id")?.parse()?, name));
            }
        }
        server.stop()
    }

    /// Runs the server until it has written the contacts into its index.
    fn index(&self) -> Result<()> {
        let (server, file) = (self.serve()?, self.database.file()?);
        while !sqlite::is_indexed(file)? {
            thread::sleep(INDEX_LOOKED_AT);
        }
        server.stop()
    }

    /// Copies an SQLite database whose server has been stopped.
    pub(crate) fn copy_file(&self, name: &str) -> Result<PathBuf> {
        let copy = self.dir.join(name);
        sqlite::copy(self.database.file()?, &copy)?;
        Ok(copy)
    }
}

fn text<'v>(value: &'v Value, name: &str) -> Result<&'v str> {
    value[name].as_str().ok_or_else(|| format!("no {name} in {value}").into())
}

/// Waits until a file is on disk, so that no later measurement includes that time.
fn settle(file: &Path) -> Result<()> {
    Ok(fs::File::open(file)?.sync_all()?)
}
