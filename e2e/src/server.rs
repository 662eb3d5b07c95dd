//! One server process.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::base::Base;
use crate::caller::CallerAddress;
use crate::reaper;
use crate::until::PATIENCE;
use crate::wire::Wire;

const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A running `frontdesk serve`, killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Mutex<Child>,
    base: Base,
    printed: PathBuf,
    log: PathBuf,
    /// Where the log of the test that has the server begins.
    log_begins: AtomicUsize,
}

impl Server {
    /// Starts it and waits until it says where it listens; what it printed, if it ends before.
    pub(crate) fn launch(mut command: Command, dir: &Path, base: Base) -> Result<Self, String> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let printed = dir.join(format!("server-{number:04}.out"));
        let log = dir.join(format!("server-{number:04}.err"));
        let create = |path: &Path| File::create(path).expect("a file for its output");
        let child = command.stdout(create(&printed)).stderr(create(&log)).spawn().expect("the program runs");
        reaper::end_with_us(child.id(), dir);
        let server = Self { child: Mutex::new(child), base, printed, log, log_begins: AtomicUsize::new(0) };
        server.wait_until_ready().map(|()| server)
    }

    fn wait_until_ready(&self) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(url) = listening_on(&self.printed()) {
                self.base.set(url);
                return Ok(());
            }
            let ended = self.child().try_wait().expect("its status");
            if ended.is_some() || Instant::now() > deadline {
                let how = ended.map_or("not ready in time".to_owned(), |status| status.to_string());
                return Err(format!("{how}\n{}{}", self.printed(), self.logs()));
            }
            sleep(LOOK_AGAIN);
        }
    }

    /// `http://127.0.0.1:PORT`
    pub fn base(&self) -> String {
        self.base.get()
    }

    /// A bare connection to the server.
    pub fn wire(&self) -> Wire {
        Wire::open(&self.base(), CallerAddress::Usual)
    }

    /// The memory that its process has, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let id = self.child().id();
        let status = fs::read_to_string(format!("/proc/{id}/status")).expect("the status of the process");
        let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = kibibytes.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
        kibibytes.expect("its resident memory") << 10
    }

    pub(crate) fn address(&self) -> Base {
        self.base.clone()
    }

    /// What it has written to its standard output.
    pub fn printed(&self) -> String {
        fs::read_to_string(&self.printed).unwrap_or_default()
    }

    /// What it has logged.
    pub fn logs(&self) -> String {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        log.get(self.log_begins.load(Ordering::Relaxed)..).unwrap_or_default().to_owned()
    }

    /// Forgets what it has logged so far.
    pub(crate) fn begin_log(&self) {
        let length = fs::metadata(&self.log).map_or(0, |log| log.len());
        self.log_begins.store(length as usize, Ordering::Relaxed);
    }

    pub fn is_running(&self) -> bool {
        self.child().try_wait().is_ok_and(|ended| ended.is_none())
    }

    /// Ends it as a power cut would: no handler of its own runs.
    pub fn kill(&self) {
        let mut child = self.child();
        // It may have ended by itself, which is as good.
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Stops it where it is (SIGSTOP), until [`Self::resume`].
    pub fn suspend(&self) {
        self.signal("STOP");
    }

    /// Lets it go on (SIGCONT).
    pub fn resume(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let process = self.child().id().to_string();
        let asked = Command::new("sh").args(["-c", &format!("kill -{name} $0")]).arg(process).status();
        assert!(asked.expect("sh runs").success(), "SIG{name} was not sent");
    }

    /// Asks it to end (SIGTERM) and does not wait.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Asks it to end (SIGTERM) and waits until it has.
    pub fn stop(&self) -> ExitStatus {
        if let Some(status) = self.child().try_wait().expect("its status") {
            return status;
        }
        self.terminate();
        self.ended()
    }

    /// Waits until it has ended.
    pub fn ended(&self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child().try_wait().expect("its status") {
                return status;
            }
            sleep(LOOK_AGAIN);
        }
        panic!("it is still there after {PATIENCE:?}");
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Finds `listening on http://…` in a whole line.
fn listening_on(printed: &str) -> Option<String> {
    let (_, after) = printed.split_once("listening on http://")?;
    let (url, _) = after.split_once('\n')?;
    Some(format!("http://{}", url.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_a_whole_line() {
        let printed = "Demo key: frontdesk_live_x\nlistening on http://127.0.0.1:4123\nready\n";
        assert_eq!(listening_on(printed).as_deref(), Some("http://127.0.0.1:4123"));
        assert_eq!(listening_on("listening on http://127.0.0.1:41"), None);
        assert_eq!(listening_on("starting\n"), None);
    }
}
