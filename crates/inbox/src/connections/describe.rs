//! New connections, including the sandbox's generated ones.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_kernel::ids::AccountId;

use super::{Bridge, Channel, Credentials, NewConnection, Page, WebChat, WhatsApp};

/// A source of random bytes.
pub type Chance = fn() -> [u8; 32];

const SECRET_BYTES: usize = 24;
/// Meta's ids have fifteen digits.
const IDS: u64 = 100_000_000_000_000;
/// Numbers that begin with +1 555 010 are fictitious.
const NUMBERS: u64 = 10_000;

/// A new connection without an account.
#[derive(Clone, Debug)]
pub struct ConnectionDraft {
    pub channel: Channel,
    pub address: Option<String>,
    pub sandbox: bool,
    pub credentials: Credentials,
}

impl ConnectionDraft {
    /// The connection of an account. Its default name is its channel and address.
    pub fn of(&self, name: Option<&str>, account: AccountId) -> NewConnection {
        let name = match (name, &self.address) {
            (Some(name), _) => name.to_owned(),
            (None, Some(address)) => format!("{} {address}", self.channel),
            (None, None) => self.channel.to_string(),
        };
        NewConnection {
            account,
            channel: self.channel,
            name,
            address: self.address.clone(),
            sandbox: self.sandbox,
            credentials: self.credentials.clone(),
        }
    }
}

/// A random secret.
pub fn secret(chance: Chance) -> String {
    URL_SAFE_NO_PAD.encode(&chance()[..SECRET_BYTES])
}

fn below(chance: Chance, end: u64) -> u64 {
    let random = chance();
    let number = random[..8].iter().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    number % end
}

fn number_id(chance: Chance) -> String {
    format!("1{:014}", below(chance, IDS))
}

/// A connection to the sandbox with generated credentials.
pub fn sandbox(channel: Channel, chance: Chance) -> ConnectionDraft {
    let (access_token, app_secret, verify_token) = (secret(chance), secret(chance), secret(chance));
    let number = || format!("+1555010{:04}", below(chance, NUMBERS));
    let (credentials, address) = match channel {
        Channel::Whatsapp => {
            let credentials = WhatsApp {
                phone_number_id: number_id(chance),
                waba_id: number_id(chance),
                access_token,
                app_secret,
                verify_token,
                graph_url: None,
                messages_per_second: None,
            };
            (Credentials::WhatsApp(credentials), Some(number()))
        }
        Channel::Messenger | Channel::Instagram => {
            let page_id = number_id(chance);
            let credentials =
                Page { page_id: page_id.clone(), access_token, app_secret, verify_token, graph_url: None };
            (Credentials::Page(credentials), Some(page_id))
        }
        Channel::PersonalWhatsapp => {
            let session = format!("sandbox-{}", number_id(chance));
            let credentials =
                Bridge { bridge_url: None, bridge_key: access_token, session, webhook_key: app_secret };
            (Credentials::Bridge(credentials), Some(number()))
        }
        Channel::WebChat => (Credentials::WebChat(WebChat::default()), None),
    };
    ConnectionDraft { channel, address, sandbox: channel != Channel::WebChat, credentials }
}
