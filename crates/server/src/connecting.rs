//! Connections in the making: what is random about them, what the sandbox makes up, and how commands reach channels.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_inbox::connections::{Bridge, Channel, NewConnection, Page, Settings, WhatsApp};
use frontdesk_kernel::ids::AccountId;
use frontdesk_outbound::{Client, Reach};
use frontdesk_platform::Services;
use frontdesk_platform::sealing::Keyring;

use crate::installation::Places;

/// A connection that is described and belongs to nobody yet.
#[derive(Clone)]
pub(crate) struct Described {
    pub(crate) channel: Channel,
    pub(crate) address: Option<String>,
    pub(crate) sandbox: bool,
    pub(crate) settings: Settings,
}

impl Described {
    pub(crate) fn of(&self, name: &str, account: AccountId) -> NewConnection {
        NewConnection {
            account,
            channel: self.channel,
            name: name.to_owned(),
            address: self.address.clone(),
            sandbox: self.sandbox,
            settings: self.settings.clone(),
        }
    }
}

/// What a command reaches channels with.
pub(crate) fn services(secrets: Keyring, places: Places) -> Services {
    Services {
        secrets,
        outbound: Client::new(Reach::Public),
        vendors: Client::new(Reach::Anywhere),
        base_url: places.base_url,
        local_url: places.local_url,
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
pub(crate) fn sandbox(channel: Channel) -> Described {
    let (access_token, app_secret, verify_token) = (secret(), secret(), secret());
    // Numbers that begin with 1 555 01 belong to nobody.
    let number = || format!("+1555010{:04}", rand::random::<u16>() % 10_000);
    let (settings, address) = match channel {
        Channel::Whatsapp => {
            let settings = WhatsApp {
                phone_number_id: number_id(),
                waba_id: number_id(),
                access_token,
                app_secret,
                verify_token,
                graph_url: None,
                messages_per_second: None,
            };
            (Settings::WhatsApp(settings), Some(number()))
        }
        Channel::Messenger | Channel::Instagram => {
            let page_id = number_id();
            let settings =
                Page { page_id: page_id.clone(), access_token, app_secret, verify_token, graph_url: None };
            (Settings::Page(settings), Some(page_id))
        }
        Channel::PersonalWhatsapp => {
            let session = format!("sandbox-{}", number_id());
            let settings =
                Bridge { bridge_url: None, bridge_key: access_token, session, webhook_key: app_secret };
            (Settings::Bridge(settings), Some(number()))
        }
        Channel::WebChat => (Settings::WebChat, None),
    };
    Described { channel, address, sandbox: channel != Channel::WebChat, settings }
}
