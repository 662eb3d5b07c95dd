//! `frontdesk assistant pull`: brings an assistant into a directory.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::api::{Api, ServerArgs};
use super::diff;
use super::directory::{Directory, Files};
use super::format;
use super::lock::Lock;
use super::remote::{self, Remote};
use crate::cli::print;
use crate::error::{Error, Result};
use crate::installation::{Installation, runtime};

#[derive(Args)]
pub(in crate::cli) struct Pull {
    /// The directory for the assistant's files
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    server: ServerArgs,
    /// The assistant's id or name; needed for the first pull
    #[arg(long, value_name = "ASSISTANT")]
    assistant: Option<String>,
    /// Overwrite files that were changed here
    #[arg(long)]
    overwrite: bool,
}

impl Pull {
    pub(in crate::cli) fn run(self, installation: &Installation) -> Result<()> {
        let directory = Directory::new(&self.directory);
        let mut lock = Lock::read(&directory)?;
        let api = Api::of(&self.server)?;
        let (account, remote) = runtime()?.block_on(async {
            let account = remote::account(&api).await?;
            let id = self.which(&api, &lock, &account).await?;
            let remote = Remote::get(&api, &id, &account, &lock).await?;
            Ok::<_, Error>((account, remote))
        })?;
        let there = directory.read()?;
        let wanted = format::write(&remote.content)?;
        // A file that says the same already keeps its comments.
        let said = format::read(&there).and_then(|content| format::write(&content)).unwrap_or_default();
        let is_same = |path: &str| said.contains_key(path) && said.get(path) == wanted.get(path);
        let known = lock.paths().filter(|path| !there.contains_key(*path));
        let paths = there.keys().chain(wanted.keys()).chain(known).collect::<std::collections::BTreeSet<_>>();
        let changed: Vec<String> = paths.into_iter().filter(|path| !is_same(path)).cloned().collect();
        let is_edited = |path: &&String| {
            there
                .get(*path)
                .is_some_and(|text| !lock.is_unchanged(path, text) && wanted.get(*path) != Some(text))
        };
        let edited: Vec<String> = changed.iter().filter(is_edited).cloned().collect();
        if !edited.is_empty() && !self.overwrite {
            return Err(diff::listed(&edited));
        }
        for path in &changed {
            match wanted.get(path) {
                Some(text) => directory.write(path, text)?,
                None => directory.remove(path)?,
            }
        }
        let files: Files = directory.read()?;
        lock.record(&account, remote.content.entry(&remote.id, &remote.revision), &files);
        lock.write(&directory)?;
        let pulled = json!({ "assistant_id": remote.id, "revision": remote.revision, "changed": changed });
        print::output(installation.json, &pulled, || match changed.len() {
            0 => "The files are as the assistant is.".to_owned(),
            count => format!("{count} files were written: {}", changed.join(", ")),
        })
    }

    /// The id of the assistant to pull.
    async fn which(&self, api: &Api, lock: &Lock, account: &str) -> Result<String> {
        let known = lock.entry(account).map(|entry| entry.assistant_id.clone());
        match (&self.assistant, known) {
            (None, Some(known)) => Ok(known),
            (Some(named), known) => {
                let found = remote::find(api, named).await?;
                if let Some(known) = known.filter(|known| *known != found) {
                    return Err(Error::Invalid(format!(
                        "this directory has the assistant {known}. Pull {found} into another one"
                    )));
                }
                Ok(found)
            }
            (None, None) => Err(Error::Invalid(
                "this directory does not say which assistant it has in this account. Add --assistant NAME"
                    .to_owned(),
            )),
        }
    }
}
