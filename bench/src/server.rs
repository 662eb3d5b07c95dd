//! The programs under load, each in its own process.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use serde_json::Value;
use tokio::runtime;

use crate::error::Result;
use crate::http::{self, Connection};

const STOP_PATIENCE: Duration = Duration::from_mins(1);

/// The `frontdesk` program that is measured.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
}

impl Program {
    /// The program that was named, or the one in this program's directory.
    pub(crate) fn find(named: Option<&Path>) -> Result<Self> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => env::current_exe()?.with_file_name("frontdesk"),
        };
        if !path.is_file() {
            return Err("the frontdesk program is not there: cargo build --release --bin frontdesk".into());
        }
        Ok(Self { path: path.canonicalize()? })
    }

    /// Runs a command that prints JSON.
    pub(crate) fn command(&self, dir: &Path, database: &str, args: &[&str]) -> Result<Value> {
        let output = self.bare(dir).args(args).args(["--json", "--database", database]).output()?;
        if !output.status.success() {
            return Err(format!("{args:?} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Starts the server on a free port.
    pub(crate) fn serve(&self, dir: &Path, database: &str, environment: &[(&str, &str)]) -> Result<Server> {
        let mut command = self.bare(dir);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--database", database])
            .env("FRONTDESK_LOG", "warn")
            // This program is the endpoint of webhooks.
            .env("FRONTDESK_ALLOW_PRIVATE_TARGETS", "true")
            .envs(environment.iter().copied());
        Server::start(command, &dir.join("server.log"))
    }

    /// The program without any configuration from this process's environment.
    fn bare(&self, dir: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(dir).stdin(Stdio::null());
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FRONTDESK_")) {
            command.env_remove(name);
        }
        command
    }
}

/// A process that serves. Dropping this kills it.
pub(crate) struct Server {
    child: Child,
    /// Kept open, so that the process can continue to print.
    _printed: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a process and waits until it prints the address that it listens on.
    pub(crate) fn start(mut command: Command, log: &Path) -> Result<Self> {
        let mut child = command.stdout(Stdio::piped()).stderr(File::create(log)?).spawn()?;
        let mut printed = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        let mut line = String::new();
        while printed.read_line(&mut line)? > 0 {
            if let Some((_, address)) = line.split_once("listening on http://") {
                let address = address.trim().parse()?;
                return Ok(Self { child, _printed: printed, address });
            }
            line.clear();
        }
        let status = child.wait()?;
        Err(format!("the server ended ({status}): {}", std::fs::read_to_string(log)?).into())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends one request over a new connection and returns the response's head and body. A response that is not a 2xx
    /// is an error.
    pub(crate) fn ask(&self, request: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        runtime.block_on(async {
            let mut connection = Connection::open(self.address).await?;
            let response = connection.exchange(request).await?;
            if !(200..300).contains(&response.status) {
                let body = String::from_utf8_lossy(response.body);
                return Err(format!("{} {body}", response.status).into());
            }
            Ok((response.head.to_vec(), response.body.to_vec()))
        })
    }

    /// Creates an object over the API and returns it.
    pub(crate) fn create(&self, path: &str, key: &str, body: &Value) -> Result<Value> {
        let mut request = Vec::new();
        http::write_post(path, key, &body.to_string(), &mut request);
        let (_, body) = self.ask(&request)?;
        Ok(serde_json::from_slice::<Value>(&body)?["data"].take())
    }

    /// Asks the process to end and waits until it has.
    pub(crate) fn stop(mut self) -> Result<()> {
        Command::new("sh").args(["-c", "kill -TERM $0", &self.pid().to_string()]).status()?;
        let deadline = Instant::now() + STOP_PATIENCE;
        while Instant::now() < deadline {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(5));
        }
        Err("the server does not end".into())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended by itself, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
