//! Reports a failed command on standard error, as text or, with `--json`, as JSON.
//!
//! Standard output contains only results, so a reader never has to distinguish results from errors. The exit
//! code is 1 if a command failed and 2 if its arguments were wrong.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::error::Error;

const FAILED: u8 = 1;
const WRONG_ARGUMENTS: u8 = 2;

/// Whether `--json` is among the arguments, even if the others are wrong.
pub(crate) fn wants_json(args: impl IntoIterator<Item = OsString>) -> bool {
    args.into_iter().take_while(|arg| arg != "--").any(|arg| arg == "--json")
}

/// Reports the error of a command.
pub(crate) fn report(error: &Error, as_json: bool) -> ExitCode {
    let (text, next) = (error.to_string(), error.next_step());
    say(&match (as_json, next) {
        (true, next) => {
            let mut failed = told("failed", &text, None);
            if let Some(next) = next {
                failed["error"]["try"] = json!(next);
            }
            failed.to_string()
        }
        (false, Some(next)) => format!("error: {text}. Try: {next}"),
        (false, None) => format!("error: {text}"),
    });
    ExitCode::from(FAILED)
}

/// Reports invalid arguments, or prints the help or the version if requested.
pub(crate) fn report_usage(error: &clap::Error, as_json: bool) -> ExitCode {
    if !error.use_stderr() {
        // The reader, such as `head`, may have closed the pipe.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if as_json {
        say(&usage(&error.render().to_string()).to_string());
    } else {
        let _ = error.print();
    }
    ExitCode::from(WRONG_ARGUMENTS)
}

/// Splits the text for people: the problem, the usage, and where to read more.
fn usage(text: &str) -> Value {
    let (problem, rest) = text.split_once("\n\nUsage: ").unwrap_or((text, ""));
    if !problem.starts_with("error: ") {
        // No command was given, so clap prints the whole help.
        return told("usage", "a command is missing; `frontdesk --help` lists them", None);
    }
    let problem = problem.trim_start_matches("error: ").split("\n\nFor more information").next();
    let words: Vec<&str> = problem.unwrap_or_default().split_whitespace().collect();
    let usage = rest.split("\n\n").next().map(str::trim).filter(|usage| !usage.is_empty());
    told("usage", &words.join(" "), usage)
}

fn told(code: &str, message: &str, usage: Option<&str>) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if let Some(usage) = usage {
        error["usage"] = json!(usage);
    }
    json!({ "error": error })
}

/// Standard error may be closed or on a full disk; the exit code reports the failure in any case.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    fn refused(args: &[&str]) -> Value {
        let error = Cli::try_parse_from(args).err().expect("a mistake");
        usage(&error.render().to_string())["error"].clone()
    }

    #[test]
    fn usage_errors_are_one_line_with_the_usage() {
        let error = refused(&["frontdesk", "member", "add", "--name", "Ann"]);
        assert_eq!(error["code"], "usage");
        let message = error["message"].as_str().unwrap();
        assert_eq!(message, "the following required arguments were not provided: --email <EMAIL>");
        assert!(error["usage"].as_str().unwrap().starts_with("frontdesk member add"), "{error}");
        let message = refused(&["frontdesk", "dance"])["message"].to_string();
        assert!(message.contains("dance") && !message.contains("For more"), "{message}");
        let message = refused(&["frontdesk", "account", "set", "x"])["message"].to_string();
        assert!(message.contains("must be an id") && !message.contains("For more"), "{message}");
        let message = refused(&["frontdesk"])["message"].to_string();
        assert!(message.contains("--help"), "{message}");
    }

    #[test]
    fn the_json_flag_works_at_any_position() {
        let wants = |args: &[&str]| wants_json(args.iter().map(OsString::from));
        assert!(wants(&["frontdesk", "--json", "dance"]) && wants(&["frontdesk", "key", "list", "--json"]));
        assert!(!wants(&["frontdesk", "key", "list"]) && !wants(&["frontdesk", "--", "--json"]));
    }
}
