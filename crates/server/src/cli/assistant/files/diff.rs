//! `frontdesk assistant diff`: what a push would change.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::api::{Api, ServerArgs};
use super::content::Content;
use super::directory::{Directory, Files};
use super::format;
use super::lock::Lock;
use super::remote::{self, Remote};
use crate::cli::print;
use crate::error::{Error, Result};
use crate::installation::{Installation, runtime};

/// Larger comparisons than this many pairs of lines are not made line by line.
const PAIRS_MAX: usize = 4_000_000;

#[derive(Args)]
pub(in crate::cli) struct Diff {
    /// The directory with the assistant's files
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    server: ServerArgs,
    /// The assistant's id or name, if the directory was not pulled from this account
    #[arg(long, value_name = "ASSISTANT")]
    assistant: Option<String>,
    /// Exit with 1 if there is a difference
    #[arg(long)]
    check: bool,
}

/// A file that differs, as lines that begin with `-` for what is on the server and `+` for what the file says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct FileChange {
    pub(super) path: String,
    /// `added`, `removed` or `changed`.
    change: &'static str,
    lines: Vec<String>,
}

impl Diff {
    pub(in crate::cli) fn run(self, installation: &Installation) -> Result<ExitCode> {
        let directory = Directory::new(&self.directory);
        let mut local = format::read(&directory.read()?)?;
        let lock = Lock::read(&directory)?;
        let api = Api::of(&self.server)?;
        let changes = runtime()?.block_on(async {
            let account = remote::account(&api).await?;
            let id = match (&self.assistant, lock.entry(&account)) {
                (Some(named), _) => remote::find(&api, named).await?,
                (None, Some(entry)) => entry.assistant_id.clone(),
                (None, None) => return between(&mut local, None),
            };
            let mut remote = Remote::get(&api, &id, &account, &lock).await?;
            between(&mut local, Some(&mut remote.content))
        })?;
        print::output(installation.json, &json!({ "changes": changes }), || shown(&changes))?;
        Ok(if self.check && !changes.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// What a push would change. Finds out which parts of both are the same.
pub(super) fn between(local: &mut Content, remote: Option<&mut Content>) -> Result<Vec<FileChange>> {
    let before = match remote {
        Some(remote) => {
            local.align(remote);
            format::write(remote)?
        }
        None => Files::new(),
    };
    Ok(of_files(&before, &format::write(local)?))
}

fn of_files(before: &Files, after: &Files) -> Vec<FileChange> {
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changes = paths.into_iter().filter_map(|path| {
        let (old, new) = (before.get(path), after.get(path));
        let change = match (old, new) {
            (Some(old), Some(new)) if old == new => return None,
            (Some(_), Some(_)) => "changed",
            (None, _) => "added",
            (_, None) => "removed",
        };
        let text = |text: Option<&String>| text.map(String::as_str).unwrap_or_default().to_owned();
        let lines = of_lines(&text(old), &text(new));
        Some(FileChange { path: path.clone(), change, lines })
    });
    changes.collect()
}

/// The lines that differ.
fn of_lines(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same..], &new[same..]);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - same], &new[..new.len() - same]);
    let gone = |line: &&str| format!("- {}", print::printable(line));
    let come = |line: &&str| format!("+ {}", print::printable(line));
    if (old.len() + 1).saturating_mul(new.len() + 1) > PAIRS_MAX {
        return old.iter().map(gone).chain(new.iter().map(come)).collect();
    }
    // How many lines both have in common from here on.
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(gone(&old[i]));
            i += 1;
        } else {
            lines.push(come(&new[j]));
            j += 1;
        }
    }
    lines
}

/// The changes for a person.
pub(super) fn shown(changes: &[FileChange]) -> String {
    if changes.is_empty() {
        return "There is no difference.".to_owned();
    }
    let files = changes.iter().map(|change| {
        let lines: Vec<String> = change.lines.iter().map(|line| format!("\n    {line}")).collect();
        format!("{} {}{}", change.change, change.path, lines.concat())
    });
    files.collect::<Vec<_>>().join("\n")
}

/// The files that changed, in one line.
pub(super) fn listed(paths: &[String]) -> Error {
    Error::Invalid(format!(
        "these files were changed here, and a pull would overwrite that: {}. Push them, or put them away, or pull with \
         --overwrite",
        paths.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_both_have_are_left_out() {
        assert_eq!(of_lines("a\nb\nc\nd", "a\nx\nc\nd\ne"), ["- b", "+ x", "+ e"]);
        assert_eq!(of_lines("", "a"), ["+ a"]);
        assert_eq!(of_lines("a\n", "a"), [""; 0]);
        assert_eq!(of_lines("a\u{1b}[2J", ""), ["- a\u{fffd}[2J"]);
    }

    #[test]
    fn a_huge_comparison_ends() {
        let (old, new) = ("x\ny\n".repeat(50_000), "y\nz\n".repeat(50_000));
        assert_eq!(of_lines(&old, &new).len(), 200_000);
    }
}
