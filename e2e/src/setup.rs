//! Accounts and keys for tests, made in this process: running a command for each would take longer than many a test.
//!
//! The database is opened beside the server, as a command does it.

use std::time::SystemTime;

use frontdesk_crm::pipelines;
use frontdesk_db::{self as db, Options, Store, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::scope::Scopes;
use frontdesk_kernel::{Ids, Patch, Timestamp};
use frontdesk_platform::accounts::{self, AccountError, AccountSettings};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::keys::{self, CreateKey, Expiry, KeyError};
use frontdesk_platform::settings;

const ACCOUNT_NAME: &str = "Acme";
const KEY_NAME: &str = "Test";
const KEY_DAYS: i64 = 90;
/// Enough that no test meets it by accident.
pub(crate) const RATE_LIMIT: i64 = 1_000_000;
/// Where a server stores how far its clock was moved.
const CLOCK_OFFSET: &str = "sandbox_clock_offset_millis";

/// Whoever signs in with an address is looked for in every account.
const FREE_EMAILS: &str = "UPDATE members SET email_key = NULL, login_id = NULL WHERE email_key IS NOT NULL";
const FORGET_FAILURES: &str = "DELETE FROM sign_in_failures";

/// An account made for a test.
#[derive(Clone, Debug)]
pub struct Account {
    pub id: String,
    pub owner: String,
}

/// An API key made for a test.
#[derive(Clone, Debug)]
pub struct Key {
    pub id: String,
    pub secret: String,
}

/// An account whose budget no test meets by accident.
pub(crate) fn account(database: &str) -> Account {
    on(database, create_account).expect("an account")
}

/// A key of an account.
pub(crate) fn key(database: &str, account: &Account, scopes: Scopes) -> Key {
    let account = account.id.parse().expect("the id of an account");
    on(database, move |tx| create_key(tx, account, scopes)).expect("a key")
}

/// An account, and a key with every scope.
pub(crate) fn account_with_key(database: &str) -> (Account, Key) {
    let made = on(database, |tx| {
        let account = create_account(tx)?;
        let id = account.id.parse().expect("the id of an account");
        Ok::<_, SetupError>((account, create_key(tx, id, Scopes::all())?))
    });
    made.expect("an account and a key")
}

/// Suspends every account, so that no work is left, and frees the email addresses of their members: how far the server's clock was moved, in milliseconds.
pub(crate) fn leave(database: &str) -> Result<i64, String> {
    let left = on(database, |tx| {
        for account in accounts::list(tx)? {
            if account.suspended_at.is_none() {
                accounts::suspend(tx, account.id, true, now())?;
            }
        }
        tx.execute(FREE_EMAILS, &[])?.any();
        tx.execute(FORGET_FAILURES, &[])?.any();
        clock_offset(tx)
    });
    left.map_err(|error| format!("{error:?}"))
}

/// Moves the clock of a server that does not run.
pub(crate) fn move_clock(database: &str, millis: i64) {
    let moved = on(database, move |tx| {
        let offset = clock_offset(tx)? + millis;
        Ok(settings::put(tx, CLOCK_OFFSET, &offset.to_string())?)
    });
    moved.expect("a moved clock");
}

fn clock_offset(tx: &mut Tx<'_>) -> Result<i64, SetupError> {
    let offset = settings::get(tx, CLOCK_OFFSET)?;
    Ok(offset.and_then(|text| text.parse().ok()).unwrap_or(0))
}

#[derive(Debug)]
enum SetupError {
    Store(#[expect(dead_code, reason = "shown when a test fails")] db::Error),
    Account(#[expect(dead_code, reason = "shown when a test fails")] AccountError),
    Key(#[expect(dead_code, reason = "shown when a test fails")] KeyError),
}

impl From<db::Error> for SetupError {
    fn from(error: db::Error) -> Self {
        Self::Store(error)
    }
}

impl From<AccountError> for SetupError {
    fn from(error: AccountError) -> Self {
        Self::Account(error)
    }
}

impl From<KeyError> for SetupError {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

fn create_account(tx: &mut Tx<'_>) -> Result<Account, SetupError> {
    // A new account has nothing that listens to its events.
    let recorder = Recorder::new(Ids::new(), Vec::new()).into();
    let settings = AccountSettings {
        name: Some(ACCOUNT_NAME.to_owned()),
        rate_limit: Patch::Set(RATE_LIMIT),
        ..AccountSettings::default()
    };
    let made = accounts::create(tx, &Ids::new(), &settings, now())?;
    pipelines::ensure_default(tx, made.account, now(), &recorder)?;
    Ok(Account { id: made.account.to_string(), owner: made.owner.to_string() })
}

fn create_key(tx: &mut Tx<'_>, account: AccountId, scopes: Scopes) -> Result<Key, SetupError> {
    let wanted = CreateKey {
        account,
        name: KEY_NAME.to_owned(),
        scopes,
        member: None,
        expiry: Expiry::Days(KEY_DAYS),
        allowlist: Vec::new(),
        rate_limit: None,
        unattended: false,
    };
    let made = keys::create(tx, &Ids::new(), &rand::random(), &wanted, now())?;
    Ok(Key { id: made.id.to_string(), secret: made.key.reveal().to_owned() })
}

/// Makes one change.
fn on<T: Send + 'static>(
    database: &str,
    change: impl Fn(&mut Tx<'_>) -> Result<T, SetupError> + Send + 'static,
) -> Result<T, SetupError> {
    let url = database.parse().expect("a URL of a database");
    let store = Store::open(&Options { pool: 1, create: false, ..Options::new(url) })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let changed = runtime.block_on(store.write(change));
    store.close();
    changed
}

#[expect(clippy::disallowed_methods, reason = "accounts are made at the real time, as commands make them")]
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a clock past 1970");
    Timestamp::from_millis(since.as_millis() as i64)
}
