//! PostgreSQL servers of a test's own: a primary and a streaming standby, which it may kill, suspend, pause and promote.
//!
//! The programs are those that `scripts/services` uses. PostgreSQL refuses to run as root, so root starts it as the user
//! `postgres`.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::reaper;
use crate::scratch::Scratch;
use crate::until::came_true_within;

const DATABASE: &str = "frontdesk";
const USER: &str = "postgres";
/// The name under which the primary knows its standby.
const STANDBY: &str = "standby";
const BINARIES: &str = "/usr/lib/postgresql";
/// How long a server may take to start, to stop or to be promoted, in seconds.
const SECONDS_MAX: &str = "60";
const SETTINGS: &str = "listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 120
shared_buffers = '32MB'
wal_keep_size = '512MB'
wal_receiver_status_interval = '100ms'
wal_retrieve_retry_interval = '100ms'
log_min_messages = warning
fsync = off
full_page_writes = off
";

/// A primary and its standby. Both are gone when it is dropped.
#[derive(Debug)]
pub struct PostgresPair {
    pub primary: PairedPostgres,
    pub standby: PairedPostgres,
    _directory: Scratch,
}

/// A PostgreSQL server.
#[derive(Debug)]
pub struct PairedPostgres {
    data: PathBuf,
    port: u16,
}

impl PostgresPair {
    /// Starts both. The database has no tables yet.
    pub fn start() -> Self {
        let directory = Scratch::new();
        reaper::remove_with_us(directory.path());
        if let Some((user, group)) = user() {
            chown(directory.path(), Some(user), Some(group)).expect("a directory of the user postgres");
        }
        let primary = PairedPostgres { data: directory.path().join("primary"), port: free_port() };
        let data = primary.data.display().to_string();
        run(
            "initdb",
            &["-D", &data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
        );
        primary.configure(SETTINGS);
        primary.configure(&format!("port = {}\n", primary.port));
        primary.start();
        primary.execute_on(USER, &format!("CREATE DATABASE {DATABASE}"));
        let standby = primary.new_standby(directory.path().join("standby"));
        Self { primary, standby, _directory: directory }
    }

    /// A URL with both hosts, the primary first.
    pub fn url(&self) -> String {
        format!(
            "postgres://{USER}@127.0.0.1:{},127.0.0.1:{}/{DATABASE}?sslmode=disable",
            self.primary.port, self.standby.port
        )
    }

    /// Has every commit wait for the standby.
    pub fn make_synchronous(&self) {
        self.primary.set("synchronous_standby_names", STANDBY);
        let waits = || {
            let states = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
            self.primary.client().query(states, &[]).is_ok_and(|rows| !rows.is_empty())
        };
        assert!(came_true_within(Duration::from_secs(30), waits), "the standby is not synchronous");
    }
}

impl PairedPostgres {
    pub fn url(&self) -> String {
        format!("postgres://{USER}@127.0.0.1:{}/{DATABASE}?sslmode=disable", self.port)
    }

    /// A session in the test's own database.
    pub fn client(&self) -> postgres::Client {
        postgres::Client::connect(&self.url(), postgres::NoTls).expect("the server takes connections")
    }

    pub fn execute(&self, statement: &str) {
        self.execute_on(DATABASE, statement);
    }

    fn execute_on(&self, database: &str, statement: &str) {
        let url = format!("postgres://{USER}@127.0.0.1:{}/{database}?sslmode=disable", self.port);
        let mut client =
            postgres::Client::connect(&url, postgres::NoTls).expect("the server takes connections");
        client.batch_execute(statement).expect("a statement");
    }

    /// Changes a setting while it runs.
    pub fn set(&self, name: &str, value: &str) {
        self.execute(&format!("ALTER SYSTEM SET {name} = '{value}'"));
        self.execute("SELECT pg_reload_conf()");
    }

    /// Makes a standby of this server and starts it.
    fn new_standby(&self, data: PathBuf) -> Self {
        let standby = Self { data, port: free_port() };
        let from = format!("host=127.0.0.1 port={} user={USER} application_name={STANDBY}", self.port);
        let data = standby.data.display().to_string();
        run("pg_basebackup", &["-D", &data, "-d", &from, "-X", "stream", "-c", "fast", "-R", "--no-sync"]);
        // The last line counts.
        standby.configure(&format!("port = {}\nhot_standby_feedback = off\n", standby.port));
        standby.start();
        standby
    }

    fn configure(&self, settings: &str) {
        let path = self.data.join("postgresql.auto.conf");
        let before = fs::read_to_string(&path).unwrap_or_default();
        // Written in place, so that it still belongs to the user postgres.
        fs::write(&path, before + settings).expect("its settings");
    }

    pub fn start(&self) {
        let (data, log) = (self.data.display().to_string(), self.data.with_extension("log"));
        run("pg_ctl", &["-D", &data, "-l", &log.display().to_string(), "-w", "-t", SECONDS_MAX, "start"]);
        reaper::end_with_us(self.process(), &self.data);
    }

    /// Kills all of its processes, as a power cut would.
    pub fn kill(&self) {
        self.signal("KILL");
        assert!(came_true_within(Duration::from_secs(30), || !self.is_reachable()), "it lives on");
        // No process of this number is there any more, and another one may get it.
        let _ = fs::remove_file(self.data.join("postmaster.pid"));
    }

    /// Stops all of its processes where they are, until [`Self::resume`].
    pub fn suspend(&self) {
        self.signal("STOP");
    }

    pub fn resume(&self) {
        self.signal("CONT");
    }

    /// Makes a standby the primary. When this returns, it accepts writes.
    pub fn promote(&self) {
        run("pg_ctl", &["-D", &self.data.display().to_string(), "-w", "-t", SECONDS_MAX, "promote"]);
    }

    /// A standby goes on receiving, and shows nothing of it until [`Self::resume_replay`].
    pub fn pause_replay(&self) {
        self.execute("SELECT pg_wal_replay_pause()");
        let is_paused = || {
            let state = self.client().query_one("SELECT pg_get_wal_replay_pause_state()", &[]);
            state.is_ok_and(|row| row.get::<_, String>(0) == "paused")
        };
        assert!(came_true_within(Duration::from_secs(30), is_paused), "it still replays");
    }

    pub fn resume_replay(&self) {
        self.execute("SELECT pg_wal_replay_resume()");
    }

    fn is_reachable(&self) -> bool {
        TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }

    /// The number of its first process.
    fn process(&self) -> u32 {
        let file = fs::read_to_string(self.data.join("postmaster.pid")).expect("it runs");
        file.lines().next().and_then(|line| line.parse().ok()).expect("the number of a process")
    }

    fn signal(&self, name: &str) {
        signal_all(self.process(), name);
    }
}

impl Drop for PairedPostgres {
    fn drop(&mut self) {
        if self.data.join("postmaster.pid").exists() {
            self.signal("KILL");
        }
    }
}

/// Sends a signal to a process and all that it has started.
pub(crate) fn signal_all(first: u32, name: &str) {
    // The first one before the others: it would react to their end.
    let mut command = Command::new("kill");
    command.arg(format!("-{name}")).arg(first.to_string());
    command.args(children(first).iter().map(ToString::to_string));
    // One of the children may have ended meanwhile.
    let _ = command.output().expect("kill runs");
}

/// The processes that a process has started.
fn children(of: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |number: &u32| {
        let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
        parent.is_some_and(|parent| parent.trim() == of.to_string())
    };
    numbers.filter(is_child).collect()
}

/// Below the range that outgoing connections get their ports from: a server that is killed starts again at its port.
fn free_port() -> u16 {
    loop {
        let port = 12_000 + rand::random::<u16>() % 8_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Runs a program of PostgreSQL, as the user postgres if this is root.
fn run(program: &str, arguments: &[&str]) {
    let program = binaries().join(program);
    let mut command = match user() {
        Some((user, group)) => {
            let mut command = Command::new("setpriv");
            command.args([&format!("--reuid={user}"), &format!("--regid={group}"), "--clear-groups", "--"]);
            command.arg(&program);
            command
        }
        None => Command::new(&program),
    };
    // Where that user may be. The output goes to a file: a server that is started would hold a pipe open.
    command.args(arguments).current_dir("/");
    let said = Scratch::new();
    let file =
        || fs::File::options().create(true).append(true).open(said.path().join("said")).expect("a file");
    let status = command.stdout(file()).stderr(file()).status();
    let status = status.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let text = fs::read_to_string(said.path().join("said")).unwrap_or_default();
    assert!(status.success(), "{} failed: {text}", program.display());
}

/// The newest server in Debian's place, then whatever the PATH has.
fn binaries() -> PathBuf {
    let entries = fs::read_dir(BINARIES).into_iter().flatten().flatten();
    let version = |path: &Path| path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
    let found = entries
        .map(|entry| entry.path())
        .filter(|path| path.join("bin/initdb").exists())
        .max_by_key(|path| version(path));
    found.map(|path| path.join("bin")).unwrap_or_default()
}

/// The user and the group that PostgreSQL runs as; none if it is this one.
fn user() -> Option<(u32, u32)> {
    let number = |arguments: &[&str]| {
        let output = Command::new("id").args(arguments).output().expect("id runs");
        String::from_utf8_lossy(&output.stdout).trim().parse::<u32>().expect("a number")
    };
    (number(&["-u"]) == 0).then(|| (number(&["-u", USER]), number(&["-g", USER])))
}
