//! A service under test: its data, its server, its command line.

use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use frontdesk_kernel::scope::Scopes;
use serde_json::Value;

use crate::base::Base;
use crate::caller::CallerAddress;
use crate::client::Client;
use crate::command::{self, Outcome};
use crate::engine::{Engine, Given};
use crate::installation::{Demo, Installation, Start};
use crate::pool;
use crate::response::text_of;
use crate::server::Server;
use crate::setup::{self, Account, Key, RATE_LIMIT};
use crate::stores::{PostgresServer, RedisServer};
use crate::wire::Wire;

/// A server that nobody else calls. Tests before this one may have used it, in other accounts: see [`crate`].
#[derive(Debug)]
pub struct App {
    /// None while it is dropped.
    installation: Option<Installation>,
    caller: CallerAddress,
    /// Whether another test may use the server afterwards.
    may_be_used_again: AtomicBool,
}

/// An account with a key that may do everything, and a client that uses it.
#[derive(Clone, Debug)]
pub struct Tenant {
    pub account: Account,
    pub key: Key,
    pub client: Client,
}

impl Start {
    /// A running server: one that tests before this one have used, or a new one.
    #[track_caller]
    pub fn ready(self) -> App {
        let is_shared = self.is_shared();
        let used = if is_shared { pool::take(&self) } else { None };
        let installation = used.unwrap_or_else(|| {
            self.database.create_migrated(self.dir.path());
            let new = self.installation();
            new.launch(&[]);
            new
        });
        let caller = if is_shared { CallerAddress::unused() } else { CallerAddress::Usual };
        App { installation: Some(installation), caller, may_be_used_again: AtomicBool::new(is_shared) }
    }

    /// The data and the command line, with no server running yet.
    pub fn unstarted(mut self) -> App {
        self.demo = Demo::Usual;
        self.database.create_empty();
        App {
            installation: Some(self.installation()),
            caller: CallerAddress::Usual,
            may_be_used_again: AtomicBool::new(false),
        }
    }
}

impl Given for App {
    fn given(engine: Engine) -> Self {
        Self::start(engine).ready()
    }
}

impl App {
    pub fn start(engine: Engine) -> Start {
        Start::new(engine)
    }

    /// A PostgreSQL and a Redis that the test runs itself.
    pub fn on(postgres: &PostgresServer, redis: &RedisServer) -> Start {
        Start::new(Engine::PostgresRedis).on(postgres, Some(redis))
    }

    fn installation(&self) -> &Installation {
        self.installation.as_ref().expect("it is there until the app is dropped")
    }

    fn start_options(&self) -> &Start {
        &self.installation().start
    }

    fn server(&self) -> MutexGuard<'_, Option<Server>> {
        self.installation().server()
    }

    /// Keeps other tests from this server: what happens to it now is not undone.
    fn keep(&self) -> &Installation {
        self.may_be_used_again.store(false, Ordering::Relaxed);
        self.installation()
    }

    pub fn engine(&self) -> Engine {
        self.start_options().engine
    }

    /// `http://127.0.0.1:PORT`
    pub fn base(&self) -> String {
        self.installation().base.get()
    }

    /// `sqlite:PATH` or `postgres://…`
    pub fn database(&self) -> &str {
        self.keep().start.database()
    }

    /// Leaves no byte free on the app's small disk.
    pub fn fill_disk(&self) {
        self.keep().start.dir.fill();
    }

    /// Frees what [`Self::fill_disk`] took.
    pub fn free_disk(&self) {
        self.start_options().dir.empty();
    }

    /// A bare connection to the server.
    pub fn wire(&self) -> Wire {
        Wire::open(&self.base(), self.caller)
    }

    /// A caller without a key.
    pub fn anonymous(&self) -> Client {
        Client::new(self.installation().base.clone(), self.caller)
    }

    /// A caller with this key.
    pub fn client(&self, key: &Key) -> Client {
        self.anonymous().with_key(&key.secret)
    }

    /// An account with a key of every scope.
    #[track_caller]
    pub fn tenant(&self) -> Tenant {
        let (account, key) = if self.tells_servers() {
            let account = self.account();
            let key = self.key_with(&account, &["--all-scopes"]);
            (account, key)
        } else {
            setup::account_with_key(self.start_options().database())
        };
        let client = self.client(&key);
        Tenant { account, key, client }
    }

    /// An account whose budget no test meets by accident.
    #[track_caller]
    pub fn account(&self) -> Account {
        if self.tells_servers() {
            return self.account_with(&["--rate-limit", &RATE_LIMIT.to_string()]);
        }
        setup::account(self.start_options().database())
    }

    /// Whether a change of accounts and keys is told to the servers over Redis, which a command does.
    fn tells_servers(&self) -> bool {
        self.engine() == Engine::PostgresRedis
    }

    /// An account made with these options.
    #[track_caller]
    pub fn account_with(&self, options: &[&str]) -> Account {
        let made = self.cli(&[&["account", "create", "--name", "Acme"], options].concat());
        Account { id: text_of(&made["account_id"]), owner: text_of(&made["owner_user_id"]) }
    }

    /// A key with these scopes, separated by commas.
    #[track_caller]
    pub fn key(&self, account: &Account, scopes: &str) -> Key {
        if self.tells_servers() {
            return self.key_with(account, &["--scopes", scopes]);
        }
        let scopes = Scopes::parse(scopes).expect("scopes, separated by commas");
        setup::key(self.start_options().database(), account, scopes)
    }

    /// A key made with these options.
    #[track_caller]
    pub fn key_with(&self, account: &Account, options: &[&str]) -> Key {
        let made =
            self.cli(&[&["key", "create", "--account", &account.id, "--name", "Test"], options].concat());
        Key { id: text_of(&made["id"]), secret: text_of(&made["key"]) }
    }

    /// Runs a command that must succeed, and returns the JSON that it prints.
    #[track_caller]
    pub fn cli(&self, args: &[&str]) -> Value {
        self.run(&[args, &["--json"]].concat()).expect_success().json()
    }

    /// Runs a command on this app's database.
    pub fn run(&self, args: &[&str]) -> Outcome {
        self.run_bare(&[args, &["--database", self.start_options().database()]].concat())
    }

    /// Runs a command with these arguments and no others.
    pub fn run_bare(&self, args: &[&str]) -> Outcome {
        if args.first() == Some(&"secret") {
            self.keep();
        }
        let mut command = self.start_options().command();
        command.args(args);
        command::run(command)
    }

    /// Runs a command on this app's database at a terminal, at which these lines are typed. `out` has all that it shows.
    pub fn run_at_terminal(&self, args: &[&str], typed: &str) -> Outcome {
        let mut command = self.start_options().command();
        command.args(args).args(["--database", self.start_options().database()]);
        command::run_at_terminal(&command, typed)
    }

    /// Starts the server on the same data, after asking the one that runs, if any, to end.
    #[track_caller]
    pub fn restart(&self) {
        self.restart_with(&[]);
    }

    /// Does the same with these variables in place of those of the same names, until the next start.
    #[track_caller]
    pub fn restart_with(&self, environment: &[(&str, &str)]) {
        self.keep().launch(environment);
    }

    /// Another server on the same data.
    #[track_caller]
    pub fn second_server(&self) -> Server {
        self.try_second_server().unwrap_or_else(|why| panic!("the second server did not start: {why}"))
    }

    /// Another server on the same data, or what it printed before it ended.
    pub fn try_second_server(&self) -> Result<Server, String> {
        self.try_second_server_with(&[])
    }

    /// Another server on the same data, with these variables in place of those of the same names.
    #[track_caller]
    pub fn second_server_with(&self, environment: &[(&str, &str)]) -> Server {
        let launched = self.try_second_server_with(environment);
        launched.unwrap_or_else(|why| panic!("the second server did not start: {why}"))
    }

    /// Another server with these variables in place of those of the same names, or what it printed before it ended.
    pub fn try_second_server_with(&self, environment: &[(&str, &str)]) -> Result<Server, String> {
        self.keep().start.launch(Base::default(), environment)
    }

    /// Lets servers and commands that are started from now on run another version of the program, or again the one that was built.
    pub fn run_program(&self, program: Option<&Path>) {
        self.keep().start.run_program(program);
    }

    /// Starts a command on this app's database and returns its process.
    pub fn begin(&self, args: &[&str]) -> Child {
        let start = &self.keep().start;
        let mut command = start.command();
        command.args(args).args(["--database", start.database()]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs")
    }

    /// Runs a command on this app's database, with these variables in place of those of the same names.
    pub fn run_with(&self, environment: &[(&str, &str)], args: &[&str]) -> Outcome {
        let start = &self.keep().start;
        let mut command = start.command();
        command.envs(environment.iter().copied()).args(args).args(["--database", start.database()]);
        command::run(command)
    }

    /// Ends the server as a power cut would.
    pub fn kill(&self) {
        if let Some(server) = &*self.keep().server() {
            server.kill();
        }
    }

    /// Stops the server where it is (SIGSTOP), until [`Self::resume`].
    pub fn suspend(&self) {
        self.keep().server().as_ref().expect("a server that was started").suspend();
    }

    /// Lets a suspended server go on.
    pub fn resume(&self) {
        self.server().as_ref().expect("a server that was started").resume();
    }

    /// Asks the server to end (SIGTERM) and does not wait.
    pub fn terminate(&self) {
        self.keep().server().as_ref().expect("a server that was started").terminate();
    }

    /// Waits until the server has ended.
    #[track_caller]
    pub fn ended(&self) -> ExitStatus {
        self.keep().server().as_ref().expect("a server that was started").ended()
    }

    pub fn is_running(&self) -> bool {
        self.installation().is_running()
    }

    /// Asks the server to end (SIGTERM) and waits until it has.
    #[track_caller]
    pub fn stop(&self) -> ExitStatus {
        self.keep().server().as_ref().expect("a server that was started").stop()
    }

    /// Moves the clock of a stopped server, which goes by it when it is started again.
    #[track_caller]
    pub fn let_time_pass(&self, seconds: u32) {
        let installation = self.keep();
        assert!(!installation.is_running(), "the server is stopped first");
        setup::move_clock(installation.start.database(), i64::from(seconds) * 1000);
    }

    /// What the server has written to its standard output since it was last started.
    pub fn printed(&self) -> String {
        self.server().as_ref().map(Server::printed).unwrap_or_default()
    }

    /// What the server has logged since it was last started, or since the test has it.
    pub fn logs(&self) -> String {
        self.server().as_ref().map(Server::logs).unwrap_or_default()
    }

    /// The memory that the server's process has, in bytes.
    #[track_caller]
    pub fn memory_bytes(&self) -> usize {
        self.server().as_ref().expect("a server that was started").memory_bytes()
    }
}

impl Drop for App {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("--- the server on {:?} logged:\n{}", self.engine(), self.logs());
        } else if self.may_be_used_again.load(Ordering::Relaxed)
            && let Some(installation) = self.installation.take()
        {
            pool::give_back(installation);
        }
    }
}
