//! A PostgreSQL and a Redis of a test's own, which it may stop and start again.
//!
//! PostgreSQL flushes what it commits, as in production. Both have a port and a directory of their own, and are gone when
//! they are dropped or when the test's process ends.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, fs};

use crate::postgres_pair::signal_all;
use crate::reaper;
use crate::scratch::Scratch;
use crate::until::came_true;

/// Where Debian keeps the versions of PostgreSQL.
const DEBIAN: &str = "/usr/lib/postgresql";
/// Who runs PostgreSQL and Redis if the tests run as root: PostgreSQL refuses to.
const USERS: [&str; 2] = ["postgres", "nobody"];
/// Ports below those that outgoing connections get.
const PORTS: std::ops::Range<u16> = 20_000..32_000;
const START_SECONDS: &str = "120";

/// How PostgreSQL is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Without a checkpoint, as a crash of it: the next start recovers what was committed.
    Crash,
    /// Transactions are aborted and connections closed, as an operator does it.
    Orderly,
}

/// A PostgreSQL server.
#[derive(Debug)]
pub struct PostgresServer {
    programs: PathBuf,
    user: Option<String>,
    port: u16,
    data: PathBuf,
    _scratch: Scratch,
}

impl PostgresServer {
    /// Makes an empty cluster and starts it.
    #[track_caller]
    pub fn start() -> Self {
        let scratch = Scratch::new();
        let user = other_user();
        let data = own_directory(scratch.path(), "postgres", user.as_deref());
        let programs = postgres_programs().expect("PostgreSQL is installed: see scripts/services");
        let server = Self { programs, user, port: free_port(), data, _scratch: scratch };
        let data = server.data.to_str().expect("a path of text");
        let made = server.run(
            "initdb",
            &["--pgdata", data, "--username=postgres", "--auth=trust"],
            &["--encoding=UTF8", "--locale=C.UTF-8"],
        );
        assert!(made, "initdb failed");
        server.start_again();
        server
    }

    /// `postgres://…`, of a database without tables.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }

    #[track_caller]
    pub fn stop(&self, how: Stop) {
        assert!(self.stopped(how), "PostgreSQL did not stop");
    }

    /// Starts it on the same data and port, and waits until it has recovered.
    #[track_caller]
    pub fn start_again(&self) {
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories= -c max_connections=100 -c log_min_messages=warning",
            self.port
        );
        let log = self.data.join("server.log");
        let log = log.to_str().expect("a path of text");
        let started =
            self.control(&["--log", log, "--timeout", START_SECONDS, "--options", &options, "start"]);
        assert!(started, "PostgreSQL did not start: {}", fs::read_to_string(log).unwrap_or_default());
        if let Some(process) = self.process() {
            reaper::end_with_us(process, &self.data);
        }
    }

    /// Stops all of its processes where they are (SIGSTOP), until [`Self::resume`]. Connections stay open, and new ones are
    /// accepted by the machine: nobody responds.
    pub fn suspend(&self) {
        signal_all(self.process().expect("it runs"), "STOP");
    }

    /// Lets them go on (SIGCONT).
    pub fn resume(&self) {
        if let Some(process) = self.process() {
            signal_all(process, "CONT");
        }
    }

    fn stopped(&self, how: Stop) -> bool {
        let mode = match how {
            Stop::Crash => "--mode=immediate",
            Stop::Orderly => "--mode=fast",
        };
        self.control(&[mode, "--timeout", START_SECONDS, "stop"])
    }

    fn process(&self) -> Option<u32> {
        let file = fs::read_to_string(self.data.join("postmaster.pid")).ok()?;
        file.lines().next()?.trim().parse().ok()
    }

    fn control(&self, arguments: &[&str]) -> bool {
        let data = self.data.to_str().expect("a path of text");
        self.run("pg_ctl", &["--pgdata", data, "--wait"], arguments)
    }

    fn run(&self, program: &str, first: &[&str], then: &[&str]) -> bool {
        let mut command = as_user(self.user.as_deref(), &self.programs.join(program));
        command.args(first).args(then).current_dir(&self.data);
        let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        ended.expect("it runs").success()
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // It would wait for processes that are suspended.
        self.resume();
        // It may be stopped already, which is as good.
        let _ = self.stopped(Stop::Crash);
    }
}

/// A Redis server that keeps nothing on a disk.
#[derive(Debug)]
pub struct RedisServer {
    port: u16,
    user: Option<String>,
    directory: PathBuf,
    child: Mutex<Option<Child>>,
    _scratch: Scratch,
}

impl RedisServer {
    #[track_caller]
    pub fn start() -> Self {
        let scratch = Scratch::new();
        let user = other_user();
        let directory = own_directory(scratch.path(), "redis", user.as_deref());
        let server = Self { port: free_port(), user, directory, child: Mutex::default(), _scratch: scratch };
        server.start_again();
        server
    }

    /// `redis://…`
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// Ends it as a crash would. What it counted is gone.
    pub fn kill(&self) {
        if let Some(mut child) = self.child().take() {
            // It may have ended by itself, which is as good.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts it on the same port, empty.
    #[track_caller]
    pub fn start_again(&self) {
        let mut command = as_user(self.user.as_deref(), Path::new("redis-server"));
        command.args(["--bind", "127.0.0.1", "--port", &self.port.to_string()]);
        command.args(["--save", "", "--appendonly", "no"]).current_dir(&self.directory);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.expect("redis-server is installed: see scripts/services");
        reaper::end_with_us(child.id(), &self.directory);
        *self.child() = Some(child);
        assert!(came_true(|| self.responds_to(b"PING\r\n", b"+PONG\r\n")), "Redis did not start");
    }

    /// Stops it where it is (SIGSTOP), until [`Self::resume`].
    pub fn suspend(&self) {
        signal_all(self.process(), "STOP");
    }

    /// Lets it go on (SIGCONT).
    pub fn resume(&self) {
        signal_all(self.process(), "CONT");
    }

    /// Has it forget everything that it counts.
    #[track_caller]
    pub fn forget(&self) {
        assert!(self.responds_to(b"FLUSHALL\r\n", b"+OK\r\n"), "Redis does not forget");
    }

    fn process(&self) -> u32 {
        self.child().as_ref().expect("it runs").id()
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn responds_to(&self, command: &[u8], expected: &[u8]) -> bool {
        let mut response = vec![0; expected.len()];
        TcpStream::connect(("127.0.0.1", self.port)).is_ok_and(|mut stream| {
            stream.write_all(command).is_ok()
                && stream.read_exact(&mut response).is_ok()
                && response == expected
        })
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A port of 127.0.0.1 on which nobody listens, and which no outgoing connection gets. So a server that is started again
/// finds it free.
pub fn free_port() -> u16 {
    loop {
        let port = rand::random_range(PORTS);
        if TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], port))).is_ok() {
            return port;
        }
    }
}

/// The newest version in Debian's place, then whatever the PATH has.
fn postgres_programs() -> Option<PathBuf> {
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<f64>().ok();
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten().map(|entry| entry.path());
    let installed = versions.filter(|path| path.join("bin/initdb").exists());
    let newest = installed.max_by(|one, other| version(one).partial_cmp(&version(other)).expect("numbers"));
    newest.map(|path| path.join("bin")).or_else(|| {
        env::split_paths(&env::var_os("PATH")?).find(|directory| directory.join("initdb").exists())
    })
}

/// Another user for the stores, if this process is root.
fn other_user() -> Option<String> {
    let is_root = fs::metadata("/proc/self").expect("this process").uid() == 0;
    let exists =
        |user: &&&str| Command::new("id").args(["-u", user]).output().is_ok_and(|id| id.status.success());
    is_root.then(|| (*USERS.iter().find(exists).expect("a user beside root")).to_owned())
}

/// A directory that this user owns, in one that everybody may pass through.
fn own_directory(scratch: &Path, name: &str, user: Option<&str>) -> PathBuf {
    let directory = scratch.join(name);
    fs::create_dir(&directory).expect("a directory");
    if let Some(user) = user {
        let run = |program: &str, argument: &str, path: &Path| {
            let done = Command::new(program).arg(argument).arg(path).status();
            assert!(done.expect("it runs").success(), "{program} {argument} failed");
        };
        run("chmod", "711", scratch);
        run("chmod", "700", &directory);
        run("chown", user, &directory);
    }
    directory.canonicalize().expect("it was made")
}

fn as_user(user: Option<&str>, program: &Path) -> Command {
    let Some(user) = user else { return Command::new(program) };
    let mut command = Command::new("setpriv");
    command.args(["--reuid", user, "--clear-groups"]);
    let group = Command::new("id").args(["-g", user]).output().expect("id runs");
    command.args(["--regid", String::from_utf8_lossy(&group.stdout).trim(), "--"]).arg(program);
    command
}
