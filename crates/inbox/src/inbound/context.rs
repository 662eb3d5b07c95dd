//! What storing needs in addition to the transaction, and the opt-out words.

use std::sync::Arc;

use frontdesk_crm::contacts;
use frontdesk_db::{self as db, Tx};
use frontdesk_platform::{By, Error as PlatformError};

use crate::connections::StoredConnection;
use crate::media::Links;

/// The words with which customers opt out of broadcasts, and in again.
#[derive(Clone, Debug)]
pub struct OptOutWords {
    pub stop: Vec<String>,
    pub start: Vec<String>,
}

impl Default for OptOutWords {
    fn default() -> Self {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self { stop: list(&["stop", "unsubscribe"]), start: list(&["start", "unstop"]) }
    }
}

impl OptOutWords {
    /// Whether a text is exactly one of the words: `Some(true)` to stop, `Some(false)` to start.
    pub(super) fn meaning(&self, text: &str) -> Option<bool> {
        let said = text.trim().trim_end_matches(['.', '!']).to_lowercase();
        let among = |words: &[String]| words.iter().any(|word| word.to_lowercase() == said);
        if among(&self.stop) {
            Some(true)
        } else if among(&self.start) {
            Some(false)
        } else {
            None
        }
    }
}

/// What storing needs in addition to the transaction.
pub(super) struct Context {
    pub(super) connection: StoredConnection,
    pub(super) links: Links,
    pub(super) words: Arc<OptOutWords>,
}

/// Opts a contact out of broadcasts, or in again.
pub(super) fn prefer(
    tx: &mut Tx<'_>,
    by: &By,
    contact: contacts::ContactId,
    stop: bool,
    source: &str,
) -> db::Result<()> {
    let outcome =
        if stop { contacts::opt_out(tx, by, contact, source) } else { contacts::opt_in(tx, by, contact) };
    match outcome {
        Err(contacts::ContactError::Platform(PlatformError::Store(error))) => Err(error),
        // The contact is deleted.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_bare_word_opts_out() {
        let words = OptOutWords::default();
        assert_eq!(words.meaning(" Stop! "), Some(true));
        assert_eq!(words.meaning("START"), Some(false));
        assert_eq!(words.meaning("please stop calling"), None);
        assert_eq!(words.meaning(""), None);
    }
}
