//! A PostgreSQL and a Redis of a test's own, which it stops and starts again.
//!
//! An acknowledged commit survives a crash of PostgreSQL here, but not one of the machine.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use crate::reaper;
use crate::scratch::Scratch;
use crate::until::came_true;

/// Debian's place for the programs of PostgreSQL, which are not on the PATH.
const DEBIAN: &str = "/usr/lib/postgresql";
/// The user that runs it if the tests run as root, which PostgreSQL refuses to.
const USER: &str = "postgres";

/// A PostgreSQL, gone when dropped.
#[derive(Debug)]
pub struct OwnPostgres {
    data: PathBuf,
    port: u16,
    // Removed last.
    _scratch: Scratch,
}

impl OwnPostgres {
    /// Makes one and starts it.
    pub fn start() -> Self {
        let scratch = Scratch::new();
        let data = scratch.path().join("data");
        fs::create_dir(&data).expect("a directory");
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).expect("its permissions");
        if is_root() {
            let owned = Command::new("chown").arg(USER).arg(scratch.path()).arg(&data).status();
            assert!(owned.expect("chown runs").success(), "there is no user {USER}");
        }
        let port = free_port();
        let postgres = Self { data, port, _scratch: scratch };
        postgres.run(
            "initdb",
            &["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
        );
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = ''\nmax_connections = 200\n\
             fsync = off\nfull_page_writes = off\nlog_min_messages = warning\n"
        );
        fs::write(postgres.data.join("postgresql.auto.conf"), settings).expect("its settings");
        postgres.start_again();
        postgres
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }

    /// Stops it as a crash would: nothing is finished, and the next start recovers.
    pub fn crash(&self) {
        self.run("pg_ctl", &["--mode=immediate", "--wait", "stop"]);
    }

    /// Starts it and waits until it takes connections.
    pub fn start_again(&self) {
        let log = format!("--log={}", self.data.join("log").display());
        self.run("pg_ctl", &[&log, "--wait", "--timeout=60", "start"]);
        let process = fs::read_to_string(self.data.join("postmaster.pid")).expect("its process");
        let process = process.lines().next().and_then(|line| line.parse().ok()).expect("a number");
        reaper::end_with_us(process, &self.data);
    }

    fn run(&self, program: &str, args: &[&str]) {
        let ended = self.command(program).args(args).output().expect("a program of PostgreSQL runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        let log = fs::read_to_string(self.data.join("log")).unwrap_or_default();
        assert!(ended.status.success(), "{program}: {said}\n{log}");
    }

    fn command(&self, program: &str) -> Command {
        let program = programs().join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            let user = [format!("--reuid={USER}"), format!("--regid={USER}"), "--clear-groups".to_owned()];
            command.args(user).arg("--").arg(program);
            command
        } else {
            Command::new(program)
        };
        command.arg("--pgdata").arg(&self.data).current_dir(&self.data);
        // What it leaves running must not hold a pipe of ours.
        let said = self.data.with_file_name("said");
        let out = File::options().append(true).create(true).open(said).expect("a file");
        command.stdin(Stdio::null()).stdout(out);
        command
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        // It may have been stopped by the test.
        let _ = self.command("pg_ctl").args(["--mode=immediate", "stop"]).output();
    }
}

/// A Redis, gone when dropped. What it has counted is lost when it stops.
#[derive(Debug)]
pub struct OwnRedis {
    port: u16,
    process: Mutex<Child>,
    scratch: Scratch,
}

impl OwnRedis {
    /// Starts one.
    pub fn start() -> Self {
        let (port, scratch) = (free_port(), Scratch::new());
        let process = Mutex::new(redis(port, scratch.path()));
        Self { port, process, scratch }
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Ends it as a crash would.
    pub fn crash(&self) {
        let mut process = self.process.lock().expect("no test panics meanwhile");
        process.kill().expect("it runs");
        process.wait().expect("it ends");
    }

    /// Starts it and waits until it takes connections.
    pub fn start_again(&self) {
        *self.process.lock().expect("no test panics meanwhile") = redis(self.port, self.scratch.path());
    }
}

impl Drop for OwnRedis {
    fn drop(&mut self) {
        if let Ok(process) = self.process.get_mut() {
            // It may have been ended by the test.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

fn redis(port: u16, directory: &Path) -> Child {
    let mut command = Command::new("redis-server");
    command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--appendonly", "no"]);
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let process = command.spawn().expect("redis-server runs");
    reaper::end_with_us(process.id(), directory);
    assert!(came_true(|| TcpStream::connect(("127.0.0.1", port)).is_ok()), "Redis does not start");
    process
}

/// Another process may take it before it is used, which is unlikely.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}

fn is_root() -> bool {
    let said = Command::new("id").arg("-u").output().expect("id runs").stdout;
    String::from_utf8_lossy(&said).trim() == "0"
}

/// The directory of the newest PostgreSQL; empty if its programs are on the PATH.
fn programs() -> PathBuf {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().filter_map(Result::ok);
    let newest = versions
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path().join("bin")))
        })
        .filter(|(_, programs)| programs.join("initdb").exists())
        .max_by_key(|(version, _)| *version);
    newest.map(|(_, programs)| programs).unwrap_or_default()
}
