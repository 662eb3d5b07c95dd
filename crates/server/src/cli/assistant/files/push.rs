//! `frontdesk assistant push`: makes an assistant what its files say.
//!
//! The server carries a push out as a whole or not at all, and refuses it if the assistant is not at the revision whose
//! difference was shown. A push that was killed before it could write the lock finds nothing to change the next time, also
//! when the server was still at work on it.

use std::path::PathBuf;

use clap::Args;
use http::Method;
use serde_json::{Value, json};

use super::api::{Api, CallError, ServerArgs};
use super::content::Content;
use super::diff::{self, FileChange};
use super::directory::{Directory, Files};
use super::format;
use super::lock::Lock;
use super::remote::{self, Remote};
use crate::cli::{print, prompt};
use crate::error::{Error, Result};
use crate::installation::{Installation, runtime};

#[derive(Args)]
pub(in crate::cli) struct Push {
    /// The directory with the assistant's files
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    server: ServerArgs,
    /// The id or name of the assistant to take over, if the directory was not pulled from this account
    #[arg(long, value_name = "ASSISTANT")]
    assistant: Option<String>,
    /// Push even if the assistant was changed since the last pull or push; the difference shows what is lost
    #[arg(long)]
    overwrite: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// A push that has read its files.
struct Pushing {
    directory: Directory,
    files: Files,
    lock: Lock,
    account: String,
}

impl Push {
    pub(in crate::cli) fn run(self, installation: &Installation) -> Result<()> {
        let directory = Directory::new(&self.directory);
        let files = directory.read()?;
        let mut local = format::read(&files)?;
        let lock = Lock::read(&directory)?;
        let api = Api::of(&self.server)?;
        runtime()?.block_on(async {
            let account = remote::account(&api).await?;
            let pushing = Pushing { directory, files, lock, account };
            let remote = self.which(&api, &pushing, &local).await?;
            self.push(&api, pushing, &mut local, remote, installation.json).await
        })
    }

    /// The assistant that the files are about, if it is there already.
    async fn which(&self, api: &Api, pushing: &Pushing, local: &Content) -> Result<Option<Remote>> {
        let Pushing { lock, account, .. } = pushing;
        let get = async |id: String| Remote::get(api, &id, account, lock).await.map(Some);
        let known = lock.entry(account).map(|entry| entry.assistant_id.clone());
        match (&self.assistant, known) {
            (None, Some(known)) => get(known).await,
            (Some(named), known) => {
                let found = remote::find(api, named).await?;
                match known.filter(|known| *known != found) {
                    Some(known) => Err(Error::Invalid(format!(
                        "this directory has the assistant {known}, not {found}. Leave --assistant out"
                    ))),
                    None => get(found).await,
                }
            }
            (None, None) => {
                let name = local.settings.get("name").and_then(Value::as_str).unwrap_or_default();
                let Some(same) = remote::with_name(api, name).await?.into_iter().next() else {
                    return Ok(None);
                };
                let remote = Remote::get(api, &same, account, lock).await?;
                if diff::between(&mut local.clone(), Some(&mut remote.content.clone()))?.is_empty() {
                    // It is what these files say, so an earlier push has made it and could not write the lock.
                    return Ok(Some(remote));
                }
                Err(Error::Invalid(format!(
                    "this account has an assistant called {:?} already, and frontdesk.lock does not say that it is this one. To take \
                     it over, add --assistant {same}. For another assistant, change the name",
                    print::printable(name)
                )))
            }
        }
    }

    async fn push(
        &self,
        api: &Api,
        pushing: Pushing,
        local: &mut Content,
        mut remote: Option<Remote>,
        as_json: bool,
    ) -> Result<()> {
        let changes = diff::between(local, remote.as_mut().map(|remote| &mut remote.content))?;
        if let Some(remote) = remote.as_ref().filter(|_| changes.is_empty()) {
            return pushing.nothing_to_do(remote, as_json);
        }
        if !as_json {
            print::line(&diff::shown(&changes))?;
        }
        self.agree(&pushing, remote.as_ref(), &changes)?;
        let Some(written) = send(api, local, remote.as_ref()).await? else {
            return pushing.after_another(api, local, remote.as_ref(), as_json).await;
        };
        let definition = &written["definition"];
        let mut after = Remote::of(definition, &pushing.account, &pushing.lock)?;
        local.align(&mut after.content);
        pushing.record(local, &after.id, &after.revision)?;
        let addresses = addresses(local, &written);
        let done = json!({
            "assistant_id": after.id, "revision": after.revision, "changes": changes, "webhook_urls": addresses,
        });
        print::output(as_json, &done, || {
            let lines = addresses.iter().map(|(name, url)| {
                format!("\nThe address of triggers/{name}.toml, which is shown only now: {url}")
            });
            format!("The assistant {} is what the files say.{}", after.id, lines.collect::<String>())
        })
    }

    /// Refuses a push that would overwrite somebody's change, and asks whether to go on.
    fn agree(&self, pushing: &Pushing, remote: Option<&Remote>, changes: &[FileChange]) -> Result<()> {
        let entry = pushing.lock.entry(&pushing.account);
        if let (Some(remote), Some(entry)) = (remote, entry)
            && remote.revision != entry.revision
            && !self.overwrite
        {
            return Err(Error::Invalid(
                "the assistant was changed on the server since the last pull or push. Pull first: commit your files, run \
                 `frontdesk assistant pull --overwrite`, and merge. Or push with --overwrite to replace what is there"
                    .to_owned(),
            ));
        }
        let is_changed =
            |name: &&String| changes.iter().any(|one| one.path == format!("instructions/{name}.md"));
        let shared = remote.iter().flat_map(|remote| &remote.shared).filter(is_changed);
        for name in shared {
            prompt::tell(&format!(
                "Other assistants follow instructions/{name}.md too. It changes for them as well."
            ));
        }
        if self.yes {
            return Ok(());
        }
        if !prompt::is_possible() {
            return Err(Error::Invalid("nobody can be asked here. Add --yes to push".to_owned()));
        }
        let answer: Option<String> =
            prompt::ask("Push this? (y/N)").map_err(Error::doing("ask whether to push"))?;
        match answer.as_deref().map(str::to_lowercase).as_deref() {
            Some("y" | "yes") => Ok(()),
            _ => Err(Error::Invalid("nothing was pushed".to_owned())),
        }
    }
}

impl Pushing {
    /// Ends a push of an assistant that is already what the files say.
    fn nothing_to_do(self, remote: &Remote, as_json: bool) -> Result<()> {
        let done = json!({ "assistant_id": remote.id, "revision": remote.revision, "changes": [] });
        self.record(&remote.content, &remote.id, &remote.revision)?;
        print::output(as_json, &done, || "There is nothing to change.".to_owned())
    }

    /// Ends a push that was refused because of another. That may have been of the same files, by a command that was killed.
    async fn after_another(
        self,
        api: &Api,
        local: &mut Content,
        before: Option<&Remote>,
        as_json: bool,
    ) -> Result<()> {
        if let Some(before) = before {
            let mut remote = Remote::get(api, &before.id, &self.account, &self.lock).await?;
            if diff::between(local, Some(&mut remote.content))?.is_empty() {
                return self.nothing_to_do(&remote, as_json);
            }
        }
        Err(Error::Invalid(
            "somebody has changed the assistant just now, so nothing was pushed. Pull, and push again"
                .to_owned(),
        ))
    }

    /// Writes the lock: the files are this assistant at this revision.
    fn record(mut self, content: &Content, id: &str, revision: &str) -> Result<()> {
        self.lock.record(&self.account, content.entry(id, revision), &self.files);
        self.lock.write(&self.directory)
    }
}

/// What the server has written, or `None` if the assistant was changed meanwhile.
async fn send(api: &Api, local: &Content, remote: Option<&Remote>) -> Result<Option<Value>> {
    let body = local.body();
    let sent = match remote {
        Some(remote) => {
            let body = json!({ "expected_revision": remote.revision, "definition": body });
            api.call(Method::PUT, &format!("/assistants/{}/definition", remote.id), Some(&body)).await
        }
        None => api.call(Method::POST, "/assistants/definition", Some(&body)).await,
    };
    match sent {
        Ok(written) => Ok(Some(written["data"].clone())),
        Err(CallError::Refused(refusal)) if refusal.reason == "changed_meanwhile" => Ok(None),
        Err(CallError::Refused(refusal)) => Err(refusal.told(|path| local.place(path))),
        Err(CallError::Failed(error)) => Err(error),
    }
}

/// The addresses of new webhook triggers, by the names of their files.
fn addresses(local: &Content, written: &Value) -> Vec<(String, String)> {
    let urls = written["webhook_urls"].as_array().into_iter().flatten();
    let named = urls.filter_map(|issued| {
        let id = issued["trigger_id"].as_str()?;
        let part = local.triggers.iter().find(|part| part.id.as_deref() == Some(id))?;
        Some((part.name.clone(), issued["webhook_url"].as_str()?.to_owned()))
    });
    named.collect()
}
