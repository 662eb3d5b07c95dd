//! Accounts there, and what they become here.

use frontdesk_db::{self as db, Store};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Country, Ids, Patch};
use frontdesk_platform::accounts::{self, AccountError, AccountSettings};
use frontdesk_platform::imports::ImportedKind;

use super::people::Person;
use super::source::{Source, micros};
use crate::clock;
use crate::error::{Error, Result};

const ACCOUNTS: &str =
    concat!("SELECT CAST(id AS bigint), name::text, ", micros!("created_at"), " FROM accounts ORDER BY id");
const KIND: &str = "account";
const NAME_CHARS_MAX: usize = 200;

/// An account there.
#[derive(Clone, Debug)]
pub(crate) struct TheirAccount {
    pub(crate) id: i64,
    pub(crate) name: String,
    created: i64,
}

impl TheirAccount {
    pub(crate) fn all(source: &mut Source) -> Result<Vec<Self>> {
        source
            .query(ACCOUNTS, &[], |row| Ok(Self { id: row.next()?, name: row.next()?, created: row.next()? }))
    }

    /// Names the account of the installation. Its number alone would not: every installation has an account 1.
    pub(crate) fn source_name(&self) -> String {
        format!("chatwoot {} {}", self.id, self.created)
    }

    fn mark(&self, account: AccountId) -> ImportedKind {
        ImportedKind { account, source: self.source_name(), kind: KIND }
    }

    /// The account here that this one was brought into.
    pub(crate) async fn known(&self, store: &Store) -> Result<Option<AccountId>> {
        let theirs = self.clone();
        Ok(store
            .scan(move |tx| {
                for account in accounts::list(tx)? {
                    if theirs.mark(account.id).find(tx, theirs.id)?.is_some() {
                        return Ok::<_, db::Error>(Some(account.id));
                    }
                }
                Ok(None)
            })
            .await?)
    }

    /// The account here, which is created in the country unless it is given or was brought before.
    pub(crate) async fn place(
        &self,
        store: &Store,
        source: &mut Source,
        given: Option<AccountId>,
        country: Option<Country>,
    ) -> Result<AccountId> {
        if let Some(known) = self.known(store).await? {
            return match given.filter(|given| *given != known) {
                Some(_) => Err(Error::Invalid(format!(
                    "Chatwoot's account {} was brought into {known} before; leave --account out, or name that one",
                    self.id
                ))),
                None => Ok(known),
            };
        }
        let owner = Person::all(source, self.id)?.into_iter().find(|person| person.is_administrator);
        let (theirs, name) = (self.clone(), name_of(&self.name, "Account"));
        let email = owner.and_then(|owner| owner.email()).map_or(Patch::Keep, Patch::Set);
        let placed = store.write(move |tx| {
            let (now, ids) = (clock::now(), Ids::new());
            let account = if let Some(account) = given {
                accounts::find(tx, account)?.ok_or(AccountError::NoAccount(account))?.id
            } else {
                let settings = AccountSettings {
                    name: Some(name.clone()),
                    owner_email: email.clone(),
                    country: country.map_or(Patch::Keep, Patch::Set),
                    ..AccountSettings::default()
                };
                accounts::create(tx, &ids, &settings, now)?.account
            };
            theirs.mark(account).note(tx, theirs.id, account.uuid())?;
            Ok::<_, AccountError>(account)
        });
        Ok(placed.await?)
    }
}

/// A name that can be stored.
pub(super) fn name_of(name: &str, without: &str) -> String {
    let kept: String = name.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    if frontdesk_kernel::text::is_blank(&kept) { without.to_owned() } else { kept.trim().to_owned() }
}
