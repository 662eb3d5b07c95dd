//! The credentials of a connection, by channel, and the adapter that is built from them.

use frontdesk_channels::graph::{DEFAULT_GRAPH_URL, DEFAULT_VERSION, GraphCredentials};
use frontdesk_channels::{Adapter, messenger, personal_whatsapp, whatsapp};
use frontdesk_kernel::Secret;
use frontdesk_platform::Services;
use serde::{Deserialize, Serialize};

use super::{Channel, StoredConnection};

/// How to reach a channel, and the secrets that authenticate us. Stored encrypted.
// Debug shows nothing: every field may be secret.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Credentials {
    WhatsApp(WhatsApp),
    Page(Page),
    Bridge(Bridge),
    WebChat(WebChat),
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials(…)")
    }
}

/// A number of WhatsApp's Cloud API.
#[derive(Clone, Serialize, Deserialize)]
pub struct WhatsApp {
    pub phone_number_id: String,
    pub waba_id: String,
    pub access_token: String,
    pub app_secret: String,
    pub verify_token: String,
    pub graph_url: Option<String>,
    /// Messages per second that the number may send; none for the vendor's default limit.
    #[serde(default)]
    pub messages_per_second: Option<u32>,
}

/// A page of Messenger or an account of Instagram.
#[derive(Clone, Serialize, Deserialize)]
pub struct Page {
    pub page_id: String,
    pub access_token: String,
    pub app_secret: String,
    pub verify_token: String,
    pub graph_url: Option<String>,
}

/// A linked device behind a bridge.
#[derive(Clone, Serialize, Deserialize)]
pub struct Bridge {
    pub bridge_url: Option<String>,
    pub bridge_key: String,
    pub session: String,
    pub webhook_key: String,
}

/// A widget for websites.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct WebChat {
    /// Signs the ids of a website's users. None until somebody asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity_secret: Option<String>,
}

/// The simulators' paths, under the address of the installation's own server.
const SANDBOX_GRAPH: &str = "/sandbox/graph";
const SANDBOX_BRIDGE: &str = "/sandbox/bridge";

impl Credentials {
    pub(super) fn adapter(
        &self,
        channel: Channel,
        sandbox: bool,
        services: &Services,
    ) -> Option<Box<dyn Adapter>> {
        match self {
            Self::WhatsApp(_) => Some(Box::new(self.whatsapp_at(sandbox, services)?)),
            Self::Page(page) => {
                let Page { page_id, access_token, app_secret, verify_token, graph_url } = page.clone();
                let graph = graph([access_token, app_secret, verify_token], graph_url, sandbox, services);
                Some(Box::new(match channel {
                    Channel::Instagram => messenger::Page::instagram(page_id, graph),
                    _ => messenger::Page::messenger(page_id, graph),
                }))
            }
            Self::Bridge(_) => Some(Box::new(self.bridge_at(sandbox, services)?)),
            Self::WebChat(_) => None,
        }
    }

    /// The Cloud API client of this connection, if it is a WhatsApp one.
    pub fn whatsapp(&self, connection: &StoredConnection, services: &Services) -> Option<whatsapp::WhatsApp> {
        self.whatsapp_at(connection.sandbox, services)
    }

    fn whatsapp_at(&self, sandbox: bool, services: &Services) -> Option<whatsapp::WhatsApp> {
        let Self::WhatsApp(number) = self else { return None };
        let WhatsApp { phone_number_id, waba_id, access_token, app_secret, verify_token, graph_url, .. } =
            number.clone();
        let graph = graph([access_token, app_secret, verify_token], graph_url, sandbox, services);
        Some(whatsapp::WhatsApp::new(phone_number_id, waba_id, graph))
    }

    /// The secret that signs the ids of a website's users, if it is a web chat and has one.
    pub fn identity_secret(&self) -> Option<&str> {
        match self {
            Self::WebChat(chat) => chat.identity_secret.as_deref(),
            _ => None,
        }
    }

    /// The bridge client of this connection, if it is behind a bridge.
    pub fn bridge(
        &self,
        connection: &StoredConnection,
        services: &Services,
    ) -> Option<personal_whatsapp::Bridge> {
        self.bridge_at(connection.sandbox, services)
    }

    fn bridge_at(&self, sandbox: bool, services: &Services) -> Option<personal_whatsapp::Bridge> {
        let Self::Bridge(bridge) = self else { return None };
        let url = match &bridge.bridge_url {
            Some(url) if !sandbox => url.clone(),
            _ => format!("{}{SANDBOX_BRIDGE}", services.local_url),
        };
        Some(personal_whatsapp::Bridge::new(personal_whatsapp::Credentials {
            bridge_url: url,
            key: Secret::new(&bridge.bridge_key),
            session: bridge.session.clone(),
            webhook_key: Secret::new(&bridge.webhook_key),
        }))
    }
}

pub(super) fn graph(
    secrets: [String; 3],
    url: Option<String>,
    sandbox: bool,
    services: &Services,
) -> GraphCredentials {
    let [access_token, app_secret, verify_token] = secrets.map(Secret::new);
    let graph_url = match url {
        Some(url) => url,
        None if sandbox => format!("{}{SANDBOX_GRAPH}", services.local_url),
        None => DEFAULT_GRAPH_URL.to_owned(),
    };
    let version = DEFAULT_VERSION.to_owned();
    GraphCredentials { graph_url, version, access_token, app_secret, verify_token }
}
