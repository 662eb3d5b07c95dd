//! The first account of an installation: created by `frontdesk init`, or by the first start as the Demo
//! account.

use std::sync::Arc;

use frontdesk_crm::pipelines;
use frontdesk_db::Tx;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::scope::Scopes;
use frontdesk_platform::accounts::{self, AccountSettings};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::keys::{self, CreateKey, Expiry, NewKey};

use crate::error::Error;

/// Held while the first account is created, so that only one of several processes creates it.
const LOCK: &str = "first account";

pub(crate) struct FirstAccount {
    pub(crate) account: AccountId,
    pub(crate) owner: UserId,
    pub(crate) key: NewKey,
}

/// Creates the account, its owner, its pipeline and a key with every scope. None if there already is an
/// account.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    recorder: &Arc<Recorder>,
    random: &[u8; 32],
    settings: &AccountSettings,
    (key_name, expiry): (&str, Expiry),
    now: Timestamp,
) -> Result<Option<FirstAccount>, Error> {
    tx.lock(LOCK.to_owned())?;
    if accounts::any(tx)? {
        return Ok(None);
    }
    let made = accounts::create(tx, recorder.ids(), settings, now)?;
    pipelines::ensure_default(tx, made.account, now, recorder)?;
    let wanted = CreateKey {
        account: made.account,
        name: key_name.to_owned(),
        scopes: Scopes::all(),
        member: None,
        expiry,
        allowlist: Vec::new(),
        rate_limit: None,
        unattended: false,
    };
    let key = keys::create(tx, recorder.ids(), random, &wanted, now)?;
    Ok(Some(FirstAccount { account: made.account, owner: made.owner, key }))
}
