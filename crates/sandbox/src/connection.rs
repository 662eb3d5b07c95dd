//! The installation's connections, with the data that a vendor has.

use std::pin::Pin;

use serde_json::{Value, json};

/// A connection that uses the sandbox.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// The installation's id of it.
    pub id: String,
    /// `whatsapp`, `messenger`, `instagram` or `personal_whatsapp`.
    pub channel: String,
    pub name: String,
    pub account_name: String,
    /// Whether the installation has disconnected it, and why.
    pub is_disconnected: bool,
    pub disconnected_reason: Option<String>,
    /// The target of the vendor's webhooks, over plain HTTP.
    pub webhook_url: String,
    /// The number that customers write to, in digits.
    pub number: Option<String>,
    /// WhatsApp's id of that number.
    pub phone_number_id: Option<String>,
    /// WhatsApp's id of the business account that holds the templates.
    pub waba_id: Option<String>,
    /// The page, for Messenger, or the account, for Instagram.
    pub page_id: Option<String>,
    /// The bridge's session, for a personal WhatsApp.
    pub session: Option<String>,
    pub access_token: String,
    /// Signs webhooks: the app's secret at Meta, the hook's key at the bridge.
    pub app_secret: String,
    /// The bridge's API key.
    pub bridge_key: Option<String>,
}

/// The installation's connections that use the sandbox. The server reads them from its database, tests from a
/// list.
pub trait Directory: Send + Sync + 'static {
    fn connections(&self) -> Pin<Box<dyn Future<Output = Vec<Connection>> + Send + '_>>;
}

impl Connection {
    pub(crate) fn is_whatsapp(&self) -> bool {
        self.channel == "whatsapp"
    }

    pub(crate) fn is_personal(&self) -> bool {
        self.channel == "personal_whatsapp"
    }

    /// The number that customers write to; a fictitious one if the connection has none.
    pub(crate) fn own_number(&self) -> &str {
        self.number.as_deref().unwrap_or("15550000000")
    }

    /// Meta's id of this connection, to which messages are sent.
    pub(crate) fn graph_id(&self) -> Option<&str> {
        if self.is_whatsapp() { self.phone_number_id.as_deref() } else { self.page_id.as_deref() }
    }

    /// A customer's id in this channel's form: a number's digits, or an unchanged page-scoped id.
    pub(crate) fn customer(&self, id: &str) -> String {
        if self.is_whatsapp() || self.is_personal() { digits(id) } else { id.to_owned() }
    }

    /// The form that the control API shows, without secrets.
    pub(crate) fn show(&self) -> Value {
        json!({
            "id": self.id,
            "channel": self.channel,
            "name": self.name,
            "account_name": self.account_name,
            "status": if self.is_disconnected { "disconnected" } else { "connected" },
            "disconnected_reason": self.disconnected_reason,
            "webhook_url": self.webhook_url,
            "number": self.number,
            "phone_number_id": self.phone_number_id,
            "waba_id": self.waba_id,
            "page_id": self.page_id,
            "session": self.session,
        })
    }
}

/// The digits of a number. An id that is not a number (a business-scoped user id has a dot) is unchanged.
pub(crate) fn digits(number: &str) -> String {
    let is_number = number.chars().all(|char| char.is_ascii_digit() || "+-() ".contains(char));
    if is_number { number.chars().filter(char::is_ascii_digit).collect() } else { number.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_its_digits_and_any_other_id_is_itself() {
        assert_eq!(digits("+1 (650) 555-1234"), "16505551234");
        assert_eq!(digits("US.134912086"), "US.134912086");
    }
}
