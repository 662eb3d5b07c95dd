//! Which channel an inbox becomes.

use frontdesk_inbox::connections::{Channel, ConnectionId};

/// The number that stands for WhatsApp among the media of Twilio's channel.
const TWILIO_WHATSAPP: i64 = 1;
const DIGITS_MIN: usize = 7;
const DIGITS_MAX: usize = 15;

/// An inbox, and its connection here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inbox {
    pub(super) connection: ConnectionId,
    pub(super) channel: Channel,
    /// Whether the channel knows people here by what it knew them by there.
    pub(super) knows_people: bool,
}

/// What an inbox becomes, by its type there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Becomes {
    pub(super) channel: Channel,
    /// What it is there.
    pub(super) name: &'static str,
    /// Whether there is such a channel here. The conversations of others are kept as those of a website's chat.
    pub(super) is_known: bool,
}

impl Becomes {
    pub(super) fn of(channel_type: &str, twilio_medium: Option<i64>) -> Self {
        let (channel, name, is_known) = match channel_type {
            "Channel::Whatsapp" => (Channel::Whatsapp, "WhatsApp", true),
            "Channel::TwilioSms" if twilio_medium == Some(TWILIO_WHATSAPP) => {
                (Channel::Whatsapp, "WhatsApp by Twilio", true)
            }
            "Channel::FacebookPage" => (Channel::Messenger, "Messenger", true),
            "Channel::Instagram" => (Channel::Instagram, "Instagram", true),
            "Channel::WebWidget" => (Channel::WebChat, "website", true),
            "Channel::Email" => (Channel::WebChat, "email", false),
            "Channel::TwilioSms" | "Channel::Sms" => (Channel::WebChat, "SMS", false),
            "Channel::Api" => (Channel::WebChat, "API", false),
            "Channel::Telegram" => (Channel::WebChat, "Telegram", false),
            "Channel::Line" => (Channel::WebChat, "LINE", false),
            "Channel::Tiktok" => (Channel::WebChat, "TikTok", false),
            _ => (Channel::WebChat, "other", false),
        };
        Self { channel, name, is_known }
    }

    /// Whether people keep the ids by which the channel knows them. A visitor of a website has another one here.
    pub(super) fn knows_people(self) -> bool {
        self.is_known && self.channel != Channel::WebChat
    }

    /// Why the connection is disconnected.
    pub(super) fn reason(self) -> String {
        if self.is_known {
            "brought from Chatwoot: connect the channel here to write over it".to_owned()
        } else {
            format!("brought from Chatwoot, where it was {}; there is no such channel here", self.name)
        }
    }
}

/// What a channel here knows a person by.
pub(super) fn person_of(channel: Channel, source_id: &str) -> Option<String> {
    if !channel.has_numbers() {
        return (!source_id.trim().is_empty()).then(|| source_id.to_owned());
    }
    // Such as 4915112345678, +4915112345678 or whatsapp:+4915112345678.
    let digits = source_id.strip_prefix("whatsapp:").unwrap_or(source_id);
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let is_number = (DIGITS_MIN..=DIGITS_MAX).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0');
    is_number.then(|| digits.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_inbox_becomes_a_channel() {
        for (kind, medium, channel, is_known) in [
            ("Channel::Whatsapp", None, Channel::Whatsapp, true),
            ("Channel::TwilioSms", Some(1), Channel::Whatsapp, true),
            ("Channel::TwilioSms", Some(0), Channel::WebChat, false),
            ("Channel::FacebookPage", None, Channel::Messenger, true),
            ("Channel::Instagram", None, Channel::Instagram, true),
            ("Channel::WebWidget", None, Channel::WebChat, true),
            ("Channel::Email", None, Channel::WebChat, false),
            ("Channel::Pigeon", None, Channel::WebChat, false),
        ] {
            let becomes = Becomes::of(kind, medium);
            assert_eq!((becomes.channel, becomes.is_known), (channel, is_known), "{kind}");
        }
        assert!(!Becomes::of("Channel::WebWidget", None).knows_people());
        assert!(Becomes::of("Channel::Email", None).reason().contains("email"));
    }

    #[test]
    fn a_person_is_known_by_digits_where_the_channel_has_numbers() {
        for same in ["4915112345678", "+4915112345678", "whatsapp:+4915112345678"] {
            assert_eq!(person_of(Channel::Whatsapp, same).as_deref(), Some("4915112345678"), "{same}");
        }
        for wrong in ["", "ann", "whatsapp:", "123", "01511234567", "1234567890123456"] {
            assert_eq!(person_of(Channel::Whatsapp, wrong), None, "{wrong}");
        }
        assert_eq!(person_of(Channel::Messenger, "8001234").as_deref(), Some("8001234"));
        assert_eq!(person_of(Channel::Instagram, " "), None);
    }
}
