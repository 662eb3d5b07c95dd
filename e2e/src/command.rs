//! The `frontdesk` program as a person runs it.

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::binary;

/// What a command printed and how it ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Outcome {
    /// Demands success.
    #[track_caller]
    pub fn expect_success(self) -> Self {
        assert_eq!(self.code, Some(0), "the command failed: {}{}", self.out, self.err);
        self
    }

    /// Demands failure, and returns what it said about it.
    #[track_caller]
    pub fn expect_failure(self) -> String {
        assert!(matches!(self.code, Some(1..=100)), "no orderly failure: {self:?}");
        assert!(!self.err.contains("panicked"), "it fell over: {}", self.err);
        assert!(self.err.trim().len() > 10, "it failed without a word: {self:?}");
        self.err
    }

    /// The one JSON value it printed.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("not JSON ({error}): {}", self.out))
    }
}

/// The program, run in this directory and with none of the surrounding configuration.
pub(crate) fn frontdesk(dir: &Path) -> Command {
    frontdesk_at(binary::frontdesk(), dir)
}

/// Another version of the program, run in the same way.
pub(crate) fn frontdesk_at(program: &Path, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(dir).stdin(Stdio::null());
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FRONTDESK_")) {
        command.env_remove(name);
    }
    command
}

/// Runs it to its end.
pub(crate) fn run(mut command: Command) -> Outcome {
    let output = command.output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Outcome { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs it to its end at a terminal, which `script` makes.
pub(crate) fn run_at_terminal(command: &Command, typed: &str) -> Outcome {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let quoted: Vec<String> = words.map(|word| format!("'{}'", word.to_str().expect("text"))).collect();
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &quoted.join(" "), "/dev/null"]);
    terminal.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    for (name, _) in command.get_envs().filter(|(_, value)| value.is_none()) {
        terminal.env_remove(name);
    }
    if let Some(dir) = command.get_current_dir() {
        terminal.current_dir(dir);
    }
    let terminal = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut terminal = terminal.expect("script runs");
    terminal.stdin.take().expect("a pipe").write_all(typed.as_bytes()).expect("typed");
    let output = terminal.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Outcome { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}
