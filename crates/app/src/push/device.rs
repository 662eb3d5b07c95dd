//! Devices: the browsers in which members want notifications.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Ids, Text, Timestamp};
use frontdesk_platform::sealed_column;
use frontdesk_platform::sealing::{Keyring, SealedColumn};
use frontdesk_platform::sign_in::ActiveSession;
use frontdesk_platform::sign_in::sessions::{self, SessionId};
use frontdesk_platform::webhooks::HookUrl;
use frontdesk_web::{Failure, Given, Items, Problems, choice, input, resource};
use ring::rand::SystemRandom;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::DEVICES_MAX;
use super::encryption::{AUTH_BYTES, BrowserKeys, PUBLIC_KEY_BYTES, is_public_key};
use super::sql::{
    CHANGE_DEVICE, CHOICES, COUNT_OTHERS, OF_MEMBER, PUT_DEVICE, REMOVE_DEVICE, TAKE_FROM_OTHERS,
};
use crate::caller::Outcome;

/// Characters of a key in base64, with room for padding.
const KEY_CHARS_MAX: usize = 100;
/// Characters of a language's code.
const LANGUAGE_CHARS_MAX: usize = 20;
const LANGUAGE_DEFAULT: &str = "en";
/// Maximum characters of a browser's name that are stored.
const USER_AGENT_CHARS_MAX: usize = 300;
const KINDS: usize = PushKind::ALL.len();

/// The address and the keys of a device. Its session is the row that they are bound to.
pub(super) const TARGET: SealedColumn = sealed_column!("push_devices", "session_id", "target", Uuid);

/// Marks the id of a device.
pub enum DeviceRow {}
pub type DeviceId = Id<DeviceRow>;

choice! {
    /// What a device may be told about.
    pub enum PushKind {
        /// A colleague's note mentions the member.
        Mentions => "mentions",
        /// A conversation is assigned to the member.
        Assignments => "assignments",
        /// A customer writes in a conversation that is assigned to the member.
        Messages => "messages",
        /// A customer writes in a conversation that is assigned to nobody, or an assistant hands one over to nobody in particular.
        Unassigned => "unassigned",
        /// An assistant waits for an approval or an answer that the member may give.
        Asks => "asks",
    }
}

/// What a new device is told about.
const KINDS_DEFAULT: [PushKind; 4] =
    [PushKind::Mentions, PushKind::Assignments, PushKind::Messages, PushKind::Asks];

input! {
    /// A browser that wants notifications, as its `PushSubscription` describes it.
    pub struct NewPushDevice {
        /// The address of its push service. Must be https, on the public internet.
        pub endpoint: HookUrl,
        /// The browser's public key in base64url.
        pub p256dh: Text<KEY_CHARS_MAX>,
        /// The browser's authentication secret in base64url.
        pub auth: Text<KEY_CHARS_MAX>,
        /// What it is told about; left out, everything but conversations that are assigned to nobody, or what was chosen before.
        pub kinds: Option<Items<PushKind, KINDS>>,
        /// Whether notifications have the words of a message; left out, they do not, or as was chosen before.
        pub with_text: Option<bool>,
        /// The language of the notifications, such as `en`.
        pub language: Option<Text<LANGUAGE_CHARS_MAX>>,
    }
}

input! {
    /// What to change of a device.
    pub struct PushDevicePatch {
        pub kinds: Given<Items<PushKind, KINDS>>,
        pub with_text: Given<bool>,
    }
}

resource! {
    /// A browser in which the member gets notifications.
    pub struct PushDevice {
        pub id: DeviceId,
        /// Whether it is the one that asks.
        pub current: bool,
        pub kinds: Vec<PushKind>,
        /// Whether notifications have the words of a message.
        pub with_text: bool,
        pub user_agent: String,
        /// When its push service last took a notification.
        pub last_success_at: Option<Timestamp>,
        /// Notifications in a row that its push service has refused.
        pub failures: i64,
        pub created_at: Timestamp,
    }
}

/// Where a device is reached, as it is sealed.
#[derive(Serialize, Deserialize)]
pub(super) struct Target {
    pub(super) endpoint: String,
    p256dh: String,
    auth: String,
}

impl Target {
    /// The target of a new device; otherwise what is wrong with its keys.
    pub(super) fn new(new: &NewPushDevice) -> Result<Self, Problems> {
        let target = Self {
            endpoint: new.endpoint.as_str().to_owned(),
            p256dh: new.p256dh.as_str().trim_end_matches('=').to_owned(),
            auth: new.auth.as_str().trim_end_matches('=').to_owned(),
        };
        let mut problems = Problems::new();
        match decode::<PUBLIC_KEY_BYTES>(&target.p256dh) {
            Some(key) if is_public_key(&key, &SystemRandom::new()) => {}
            _ => problems.add("p256dh", "must be an uncompressed public key of P-256 in base64url"),
        }
        if decode::<AUTH_BYTES>(&target.auth).is_none() {
            problems.add("auth", "must be 16 bytes in base64url");
        }
        if problems.is_empty() { Ok(target) } else { Err(problems) }
    }

    pub(super) fn open(keys: &Keyring, account: AccountId, session: SessionId, sealed: &str) -> Option<Self> {
        serde_json::from_str(&keys.open(&TARGET.at(account, session.to_string()), sealed)?).ok()
    }

    pub(super) fn keys(&self) -> Option<BrowserKeys> {
        Some(BrowserKeys { public_key: decode(&self.p256dh)?, auth: decode(&self.auth)? })
    }

    fn fingerprint(&self) -> Vec<u8> {
        let parts = [&self.endpoint, &self.p256dh, &self.auth].map(String::as_str);
        Sha256::digest(parts.join("\n")).to_vec()
    }
}

fn decode<const BYTES: usize>(text: &str) -> Option<[u8; BYTES]> {
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

pub(super) fn read_kinds(text: &str) -> Vec<PushKind> {
    text.split(',').filter_map(|word| word.parse().ok()).collect()
}

fn write_kinds(kinds: &[PushKind]) -> String {
    let chosen = PushKind::ALL.iter().filter(|kind| kinds.contains(kind)).map(|kind| kind.as_str());
    chosen.collect::<Vec<_>>().join(",")
}

/// The devices of a member whose sessions are valid.
pub(super) fn list(
    tx: &mut ReadTx<'_>,
    session: &ActiveSession,
    now: Timestamp,
) -> db::Result<Vec<PushDevice>> {
    let (used_after, made_after) = sessions::bounds(now);
    tx.query(OF_MEMBER, &[&session.account, &used_after, &made_after, &session.user], |row| {
        let id: DeviceId = row.next()?;
        Ok(PushDevice {
            id,
            current: row.next::<SessionId>()? == session.id,
            kinds: read_kinds(&row.next::<String>()?),
            with_text: row.next()?,
            user_agent: row.next()?,
            last_success_at: row.next()?,
            failures: row.next()?,
            created_at: id.created_at(),
        })
    })
}

/// Registers the browser of a session, or changes where it is reached.
pub(super) fn subscribe(
    tx: &mut Tx<'_>,
    (ids, keys): (&Ids, &Keyring),
    session: &ActiveSession,
    (new, target): (&NewPushDevice, &Target),
    user_agent: &str,
    now: Timestamp,
) -> Outcome<()> {
    let (used_after, made_after) = sessions::bounds(now);
    let (account, user) = (session.account, session.user);
    let known: &[&dyn db::Param] = &[&account, &used_after, &made_after, &user, &session.id];
    if tx.find(COUNT_OTHERS, known, db::only::<i64>)?.unwrap_or(0) >= DEVICES_MAX {
        let message = format!(
            "You get notifications on {DEVICES_MAX} devices already, which is the most. Remove one of them first."
        );
        return Err(Failure::unprocessable("too_many_devices", message).into());
    }
    let before = tx.find(CHOICES, &[&account, &session.id, &user], |row| {
        Ok((row.next::<String>()?, row.next::<bool>()?, row.next::<String>()?))
    })?;
    let (kinds, with_text, language) =
        before.unwrap_or_else(|| (write_kinds(&KINDS_DEFAULT), false, LANGUAGE_DEFAULT.to_owned()));
    let kinds = new.kinds.as_ref().map_or(kinds, |given| write_kinds(&given.0));
    let with_text = new.with_text.unwrap_or(with_text);
    let language = new.language.as_ref().map_or(language, ToString::to_string);
    let fingerprint = target.fingerprint();
    let text = serde_json::to_string(target).map_err(|_| db::Error::Decode("push target"))?;
    let sealed = keys.seal(&TARGET.at(account, session.id.to_string()), &text);
    let user_agent: String = user_agent.chars().take(USER_AGENT_CHARS_MAX).collect();
    let _any_number = tx.execute(TAKE_FROM_OTHERS, &[&fingerprint, &account, &session.id])?;
    let id: DeviceId = ids.next(now);
    let params: &[&dyn db::Param] = &[
        &account,
        &id,
        &user,
        &session.id,
        &fingerprint,
        &sealed,
        &kinds,
        &with_text,
        &language,
        &user_agent,
    ];
    Ok(tx.execute(PUT_DEVICE, params)?.exactly(1)?)
}

/// False if the member has no such device.
pub(super) fn change(
    tx: &mut Tx<'_>,
    session: &ActiveSession,
    id: DeviceId,
    patch: &PushDevicePatch,
) -> db::Result<bool> {
    let kinds = match &patch.kinds {
        Given::Value(kinds) => Some(write_kinds(&kinds.0)),
        Given::Absent => None,
    };
    let with_text = match patch.with_text {
        Given::Value(with_text) => Some(with_text),
        Given::Absent => None,
    };
    let params: &[&dyn db::Param] = &[&session.account, &session.user, &id, &kinds, &with_text];
    Ok(tx.execute(CHANGE_DEVICE, params)?.any())
}

/// False if the member has no such device.
pub(super) fn remove(tx: &mut Tx<'_>, session: &ActiveSession, id: DeviceId) -> db::Result<bool> {
    Ok(tx.execute(REMOVE_DEVICE, &[&session.account, &session.user, &id])?.any())
}
