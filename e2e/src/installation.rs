//! A server with its data, and how it is started.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::Base;
use crate::command;
use crate::database::Database;
use crate::engine::Engine;
use crate::scratch::Scratch;
use crate::server::Server;
use crate::sharing::{self, Sharing};
use crate::stores::{PostgresServer, RedisServer};

/// With no other variable than these, and no option, tests use a server one after the other.
const SHARED_WITH: [&str; 2] = [MOVABLE_CLOCK, "FRONTDESK_ALLOW_PRIVATE_TARGETS"];
const MOVABLE_CLOCK: &str = "FRONTDESK_SANDBOX_CLOCK";

/// Where a server listens, unless it chooses a port itself.
const LISTEN: &str = "FRONTDESK_LISTEN";

/// Connections to PostgreSQL: enough to be in each other's way. The default of 24 would cost a test more than the rest of it,
/// because a new connection knows no statement yet.
const POOL: &str = "4";

/// A server and its data. Everything is gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Installation {
    // In this order: what uses the data ends before the data goes.
    server: Mutex<Option<Server>>,
    pub(crate) base: Base,
    pub(crate) start: Start,
}

impl Installation {
    pub(crate) fn server(&self) -> MutexGuard<'_, Option<Server>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.server().as_ref().is_some_and(Server::is_running)
    }

    /// Starts the server, after asking the one that runs, if any, to end.
    #[track_caller]
    pub(crate) fn launch(&self, environment: &[(&str, &str)]) {
        let mut server = self.server();
        if let Some(running) = server.take() {
            running.stop();
        }
        let launched = self.start.launch(self.base.clone(), environment);
        *server = Some(launched.unwrap_or_else(|why| panic!("the server did not start: {why}")));
    }

    /// Forgets what the server has logged so far.
    pub(crate) fn begin_log(&self) {
        if let Some(server) = &*self.server() {
            server.begin_log();
        }
    }
}

/// How to start an [`crate::App`]: environment and options of its processes.
#[derive(Debug)]
pub struct Start {
    pub(crate) engine: Engine,
    environment: Vec<(String, String)>,
    options: Vec<String>,
    alone: bool,
    /// Another version of the program.
    program: Mutex<Option<PathBuf>>,
    pub(crate) demo: Demo,
    pub(crate) database: Database,
    pub(crate) dir: Scratch,
}

/// Whether a first start makes a Demo account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demo {
    /// As the options say.
    Usual,
    Never,
}

impl Start {
    pub(crate) fn new(engine: Engine) -> Self {
        let dir = Scratch::new();
        let database = Database::new(engine, dir.path());
        let sharing = sharing::of_this_test();
        Self {
            engine,
            environment: Vec::new(),
            options: Vec::new(),
            alone: sharing != Sharing::Shared,
            program: Mutex::default(),
            demo: if sharing == Sharing::Demo { Demo::Usual } else { Demo::Never },
            database,
            dir,
        }
    }

    /// Starts a server that no test has used, on an empty database, also if the test is not listed as `alone`.
    pub fn alone(mut self) -> Self {
        self.alone = true;
        self
    }

    /// Whether tests may use the server one after the other.
    pub(crate) fn is_shared(&self) -> bool {
        let is_usual = |(name, _): &(String, String)| SHARED_WITH.contains(&name.as_str());
        !self.alone && self.options.is_empty() && self.environment.iter().all(is_usual)
    }

    /// Whether a server that was started so is what the other asks for.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let sorted = |start: &Self| {
            let mut variables = start.environment.clone();
            variables.sort();
            variables
        };
        self.engine == other.engine && sorted(self) == sorted(other)
    }

    /// Sets a variable for the server and for the commands.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Lets the server's clock be moved.
    pub fn movable_clock(self) -> Self {
        self.env(MOVABLE_CLOCK, "true")
    }

    /// Adds options to `frontdesk serve`.
    pub fn args(mut self, options: &[&str]) -> Self {
        self.demo = Demo::Usual;
        self.options.extend(options.iter().map(ToString::to_string));
        self
    }

    /// Keeps the SQLite database and the server's log on a disk of their own.
    pub fn small_disk(mut self, mebibytes: u32) -> Self {
        self.alone = true;
        self.dir.shrink(mebibytes);
        self
    }

    /// Reaches PostgreSQL over TLS and checks its certificate.
    pub fn over_tls(mut self) -> Self {
        self.alone = true;
        self.database.encrypt();
        self
    }

    /// Keeps the data on a PostgreSQL server of the test's own, in a database without tables.
    pub fn on_database(mut self, url: &str) -> Self {
        self.alone = true;
        self.database = Database::at(url);
        self
    }

    /// Keeps the data in a PostgreSQL of the test's own, and counts in a Redis of its own if there is one. Nothing creates
    /// the tables but the server.
    pub fn on(mut self, postgres: &PostgresServer, redis: Option<&RedisServer>) -> Self {
        self.alone = true;
        self.database = Database::own(postgres.url(), redis.map(RedisServer::url));
        self
    }

    /// `sqlite:PATH` or `postgres://…`
    pub fn database(&self) -> &str {
        &self.database.url
    }

    pub(crate) fn installation(self) -> Installation {
        Installation { server: Mutex::default(), base: Base::default(), start: self }
    }

    /// Starts a server, with these variables in place of those of the same names.
    pub(crate) fn launch(&self, base: Base, environment: &[(&str, &str)]) -> Result<Server, String> {
        let mut command = self.command();
        command.envs(environment.iter().copied());
        command.args(["serve", "--database", &self.database.url]);
        let is_told = environment.iter().any(|(name, _)| *name == LISTEN);
        if !is_told && !self.options.iter().any(|option| option == "--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        if let Some(redis) = &self.database.redis {
            command.args(["--redis", redis]);
        }
        if self.demo == Demo::Never {
            command.arg("--no-demo");
        }
        command.args(&self.options);
        Server::launch(command, self.dir.path(), base)
    }

    /// What servers and commands run from now on: another version of the program, or the one that was built.
    pub(crate) fn run_program(&self, program: Option<&Path>) {
        *self.program() = program.map(Path::to_owned);
    }

    fn program(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.program.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn command(&self) -> std::process::Command {
        let mut command = match &*self.program() {
            Some(program) => command::frontdesk_at(program, self.dir.path()),
            None => command::frontdesk(self.dir.path()),
        };
        command.env("FRONTDESK_DATABASE_POOL", POOL);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}
