//! Connections in the making: what is random about them, what the sandbox makes up, and how commands reach channels.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_inbox::connections::{Bridge, Channel, Credentials, NewConnection, Page, WhatsApp};
use frontdesk_kernel::ids::AccountId;
use frontdesk_outbound::{Client, Reach};
use frontdesk_platform::Services;
use frontdesk_platform::sealing::Keyring;

use crate::installation::ServerUrls;

/// A connection that is described and belongs to nobody yet.
#[derive(Clone)]
pub(crate) struct ConnectionDraft {
    pub(crate) channel: Channel,
    pub(crate) address: Option<String>,
    pub(crate) sandbox: bool,
    pub(crate) credentials: Credentials,
}

impl ConnectionDraft {
    pub(crate) fn of(&self, name: &str, account: AccountId) -> NewConnection {
        NewConnection {
            account,
            channel: self.channel,
            name: name.to_owned(),
            address: self.address.clone(),
            sandbox: self.sandbox,
            credentials: self.credentials.clone(),
        }
    }
}

/// What a command reaches channels with.
pub(crate) fn services(secrets: Keyring, urls: ServerUrls) -> Services {
    Services {
        secrets,
        outbound: Client::new(Reach::Public),
        vendors: Client::new(Reach::Anywhere),
        base_url: urls.base_url,
        local_url: urls.local_url,
    }
}

/// Text that cannot be guessed.
pub(crate) fn secret() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 24]>())
}

/// An id such as Meta gives out.
fn number_id() -> String {
    format!("1{:014}", rand::random::<u64>() % 100_000_000_000_000)
}

/// A connection to the stand-ins, with everything made up.
pub(crate) fn sandbox(channel: Channel) -> ConnectionDraft {
    let (access_token, app_secret, verify_token) = (secret(), secret(), secret());
    // Numbers that begin with 1 555 01 belong to nobody.
    let number = || format!("+1555010{:04}", rand::random::<u16>() % 10_000);
    let (credentials, address) = match channel {
        Channel::Whatsapp => {
            let credentials = WhatsApp {
                phone_number_id: number_id(),
                waba_id: number_id(),
                access_token,
                app_secret,
                verify_token,
                graph_url: None,
                messages_per_second: None,
            };
            (Credentials::WhatsApp(credentials), Some(number()))
        }
        Channel::Messenger | Channel::Instagram => {
            let page_id = number_id();
            let credentials =
                Page { page_id: page_id.clone(), access_token, app_secret, verify_token, graph_url: None };
            (Credentials::Page(credentials), Some(page_id))
        }
        Channel::PersonalWhatsapp => {
            let session = format!("sandbox-{}", number_id());
            let credentials =
                Bridge { bridge_url: None, bridge_key: access_token, session, webhook_key: app_secret };
            (Credentials::Bridge(credentials), Some(number()))
        }
        Channel::WebChat => (Credentials::WebChat, None),
    };
    ConnectionDraft { channel, address, sandbox: channel != Channel::WebChat, credentials }
}
