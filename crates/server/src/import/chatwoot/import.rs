//! One account's import, and what all of its steps share.

use std::collections::HashMap;
use std::sync::Arc;

use frontdesk_crm::contacts::{ContactError, ContactTag};
use frontdesk_crm::custom_fields::CustomField;
use frontdesk_db::Tx;
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Country, Timestamp};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::imports::ImportedKind;
use frontdesk_platform::{By, Error as PlatformError, ServerContext};
use sha2::{Digest, Sha256};

use super::account::TheirAccount;
use super::channel::Inbox;
use super::files::FileDirectory;
use super::source::Source;
use crate::clock;
use crate::error::{Error, Result};
use crate::import::Tally;

/// What the caller has chosen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Where the files are.
    pub(crate) files: Option<FileDirectory>,
    /// Whether new contacts are events.
    pub(crate) tells: bool,
    /// Whether files are then moved out of the database.
    pub(crate) moves: bool,
}

/// Is told how many rows were looked at.
pub(crate) type Progress<'p> = &'p mut dyn FnMut(u64);

/// The import of one account.
pub(crate) struct Import<'i> {
    pub(super) source: &'i mut Source,
    pub(super) server: &'i ServerContext,
    pub(super) options: Options,
    pub(super) theirs: TheirAccount,
    pub(super) account: AccountId,
    pub(super) country: Option<Country>,
    pub(super) tally: Tally,
    silent: Arc<Recorder>,
    /// The members here, by their numbers there.
    pub(super) members: HashMap<i64, UserId>,
    pub(super) inboxes: HashMap<i64, Inbox>,
    /// By the keys of attributes there.
    pub(super) fields: HashMap<String, CustomField>,
    /// By their names in lower case.
    pub(super) tags: HashMap<String, ContactTag>,
    /// Made from the source's name; a part of every message's id.
    pub(super) origin: u64,
}

impl<'i> Import<'i> {
    pub(crate) fn new(
        source: &'i mut Source,
        server: &'i ServerContext,
        options: Options,
        theirs: TheirAccount,
        (account, country): (AccountId, Option<Country>),
    ) -> Self {
        let hash = Sha256::digest(theirs.source_name().as_bytes());
        let origin = hash.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        Self {
            source,
            server,
            options,
            theirs,
            account,
            country,
            tally: Tally::default(),
            silent: Arc::new(Recorder::of_the_past()),
            members: HashMap::new(),
            inboxes: HashMap::new(),
            fields: HashMap::new(),
            tags: HashMap::new(),
            origin,
        }
    }

    /// Which rows of a kind were brought.
    pub(super) fn kind(&self, kind: &'static str) -> ImportedKind {
        ImportedKind { account: self.account, source: self.theirs.source_name(), kind }
    }

    /// A silent write now.
    pub(super) fn by_now(&self) -> By {
        By::system(self.account, clock::now(), &self.silent)
    }

    /// A silent write at the time at which a row was made there. A clock that was ahead makes no row of the future.
    pub(super) fn by_at(&self, micros: i64) -> By {
        By::system(self.account, moment(micros), &self.silent)
    }

    /// A write of something that is an event, if the caller has chosen that.
    pub(super) fn by_telling(&self, micros: i64) -> By {
        if self.options.tells {
            By::system(self.account, clock::now(), &self.server.recorder)
        } else {
            self.by_at(micros)
        }
    }

    pub(super) fn count(&mut self, kind: &'static str, outcome: Outcome) {
        match outcome {
            Outcome::Brought => self.tally.brought(kind, 1),
            Outcome::Joined => self.tally.joined(kind, 1),
            Outcome::ThereBefore => self.tally.there_before(kind, 1),
        }
    }

    pub(super) async fn write<T: Send + 'static>(
        &self,
        operation: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.server.store.write(operation).await
    }
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Brought,
    Joined,
    ThereBefore,
}

/// The time of a row, at most now.
pub(super) fn moment(micros: i64) -> Timestamp {
    Timestamp::from_millis(micros.div_euclid(1_000).max(0)).min(clock::now())
}

/// The errors of operations, as the command tells them.
pub(super) fn told(error: impl Into<OperationError>) -> Error {
    match error.into() {
        OperationError::Contact(ContactError::LimitReached { limit }) => Error::Invalid(format!(
            "the account may have {limit} contacts, and has as many: raise it with `frontdesk account set --contact-limit`, \
             and run this again"
        )),
        OperationError::Contact(ContactError::Platform(PlatformError::Store(error)))
        | OperationError::Platform(PlatformError::Store(error)) => Error::Store(error),
        error => Error::Invalid(error.to_string()),
    }
}

/// An error of an operation that an import calls.
#[derive(Debug, thiserror::Error)]
pub(super) enum OperationError {
    #[error(transparent)]
    Contact(#[from] ContactError),
    #[error(transparent)]
    Platform(#[from] PlatformError),
}
