//! How a widget looks and behaves. The settings belong to the connection. The dashboard changes them, and
//! every page that shows the widget reads them.

use frontdesk_crm::tags::Color;
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_web::{FieldPath, Input, Problems, choice, input, resource};
use serde_json::Value;

use crate::connections::{self, ConnectionId};

pub const TITLE_CHARS_MAX: usize = 60;
pub const GREETING_CHARS_MAX: usize = 500;
pub const AWAY_CHARS_MAX: usize = 300;

choice! {
    /// The colours of the widget. `auto` follows the visitor's system.
    pub enum WidgetTheme {
        Auto => "auto",
        Light => "light",
        Dark => "dark",
    }
}

choice! {
    /// The corner of the page, at the bottom, that the widget is in.
    pub enum WidgetPosition {
        Right => "right",
        Left => "left",
    }
}

choice! {
    /// The language of the widget. `auto` is the page's language or, if it names none, the browser's.
    pub enum WidgetLanguage {
        Auto => "auto",
        En => "en",
        De => "de",
    }
}

choice! {
    /// Whether visitors are asked something before they write.
    pub enum WidgetQuestion {
        Never => "never",
        Optional => "optional",
        Required => "required",
    }
}

input! {
    /// How a widget looks and behaves. A field that is missing gets its default.
    pub struct NewWidgetSettings {
        /// The colour of the button, the header and the visitor's messages. Defaults to a blue.
        pub color: Option<Color>,
        /// Defaults to `auto`.
        pub theme: Option<WidgetTheme>,
        /// Defaults to `right`.
        pub position: Option<WidgetPosition>,
        /// Defaults to `auto`.
        pub language: Option<WidgetLanguage>,
        /// Whether visitors are asked for their name before they write. Defaults to `never`.
        pub ask_name: Option<WidgetQuestion>,
        /// Whether visitors are asked for their email address before they write. Defaults to `never`.
        pub ask_email: Option<WidgetQuestion>,
        /// Whether visitors see, outside the account's business hours, when the team answers. Defaults to true.
        pub shows_hours: Option<bool>,
        /// Whether visitors may send files. Defaults to true.
        pub accepts_files: Option<bool>,
        /// Whether a new message plays a sound. Visitors can turn it off. Defaults to true.
        pub plays_sound: Option<bool>,
        /// Whether members see the pages that a visitor with a conversation is on. Defaults to true.
        pub shows_page: Option<bool>,
        /// Texts of your own, by language. A visitor whose language has no text of yours sees the other language's.
        pub texts: Option<NewWidgetTexts>,
    }
}

input! {
    /// Texts of a widget, by language.
    pub struct NewWidgetTexts {
        pub en: Option<NewWidgetText>,
        pub de: Option<NewWidgetText>,
    }
}

input! {
    /// Texts of a widget in one language. Null means the built-in text; without a greeting of yours there is none.
    pub struct NewWidgetText {
        /// The text of the button and the header.
        pub title: Option<Text<TITLE_CHARS_MAX>>,
        /// Shown above the conversation.
        pub greeting: Option<Text<GREETING_CHARS_MAX>>,
        /// Shown outside the business hours, in place of the time at which the team answers.
        pub away: Option<Text<AWAY_CHARS_MAX>>,
    }
}

resource! {
    /// How a widget looks and behaves.
    #[derive(PartialEq)]
    pub struct WidgetSettings {
        /// The colour of the button, the header and the visitor's messages; null for the default blue.
        pub color: Option<Color>,
        pub theme: WidgetTheme,
        pub position: WidgetPosition,
        pub language: WidgetLanguage,
        /// Whether visitors are asked for their name before they write.
        pub ask_name: WidgetQuestion,
        /// Whether visitors are asked for their email address before they write.
        pub ask_email: WidgetQuestion,
        /// Whether visitors see, outside the account's business hours, when the team answers.
        pub shows_hours: bool,
        /// Whether visitors may send files.
        pub accepts_files: bool,
        /// Whether a new message plays a sound.
        pub plays_sound: bool,
        /// Whether members see the pages that a visitor with a conversation is on.
        pub shows_page: bool,
        pub texts: WidgetTexts,
    }
}

resource! {
    /// Texts of a widget, by language.
    #[derive(Default, PartialEq)]
    pub struct WidgetTexts {
        pub en: WidgetText,
        pub de: WidgetText,
    }
}

resource! {
    /// Texts of a widget in one language; null for the built-in ones.
    #[derive(Default, PartialEq)]
    pub struct WidgetText {
        /// The text of the button and the header.
        pub title: Option<String>,
        /// Shown above the conversation.
        pub greeting: Option<String>,
        /// Shown outside the business hours, in place of the time at which the team answers.
        pub away: Option<String>,
    }
}

impl Default for WidgetSettings {
    fn default() -> Self {
        Self {
            color: None,
            theme: WidgetTheme::Auto,
            position: WidgetPosition::Right,
            language: WidgetLanguage::Auto,
            ask_name: WidgetQuestion::Never,
            ask_email: WidgetQuestion::Never,
            shows_hours: true,
            accepts_files: true,
            plays_sound: true,
            shows_page: true,
            texts: WidgetTexts::default(),
        }
    }
}

impl From<NewWidgetSettings> for WidgetSettings {
    fn from(new: NewWidgetSettings) -> Self {
        let usual = Self::default();
        let text = |new: Option<NewWidgetText>| new.map(WidgetText::from).unwrap_or_default();
        Self {
            color: new.color,
            theme: new.theme.unwrap_or(usual.theme),
            position: new.position.unwrap_or(usual.position),
            language: new.language.unwrap_or(usual.language),
            ask_name: new.ask_name.unwrap_or(usual.ask_name),
            ask_email: new.ask_email.unwrap_or(usual.ask_email),
            shows_hours: new.shows_hours.unwrap_or(usual.shows_hours),
            accepts_files: new.accepts_files.unwrap_or(usual.accepts_files),
            plays_sound: new.plays_sound.unwrap_or(usual.plays_sound),
            shows_page: new.shows_page.unwrap_or(usual.shows_page),
            texts: new.texts.map_or_else(WidgetTexts::default, |texts| WidgetTexts {
                en: text(texts.en),
                de: text(texts.de),
            }),
        }
    }
}

impl From<NewWidgetText> for WidgetText {
    fn from(new: NewWidgetText) -> Self {
        Self {
            title: new.title.map(Text::into_string),
            greeting: new.greeting.map(Text::into_string),
            away: new.away.map(Text::into_string),
        }
    }
}

/// The settings of a connection. Those that cannot be read are the defaults.
pub fn find(tx: &mut ReadTx<'_>, account: AccountId, connection: ConnectionId) -> db::Result<WidgetSettings> {
    let stored = connections::find_widget(tx, account, connection)?;
    Ok(stored.as_deref().and_then(read).unwrap_or_default())
}

/// Replaces the settings of a connection.
pub fn put(
    tx: &mut Tx<'_>,
    account: AccountId,
    connection: ConnectionId,
    settings: &WidgetSettings,
    now: Timestamp,
) -> db::Result<()> {
    let text = serde_json::to_string(settings).map_err(|_| db::Error::Decode("widget"))?;
    connections::set_widget(tx, account, connection, &text, now)
}

/// Stored settings are read like those of a request, so there is one rule for both.
fn read(stored: &str) -> Option<WidgetSettings> {
    let value: Value = serde_json::from_str(stored).ok()?;
    let read = NewWidgetSettings::read(Some(&value), &mut FieldPath::root(), &mut Problems::new())?;
    Some(read.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn given(value: &Value) -> Result<WidgetSettings, Vec<String>> {
        let mut problems = Problems::new();
        let read = NewWidgetSettings::read(Some(value), &mut FieldPath::root(), &mut problems);
        read.map(WidgetSettings::from)
            .ok_or_else(|| problems.iter().map(|(path, _)| path.to_owned()).collect())
    }

    #[test]
    fn settings_are_read_back_as_they_were_stored() {
        let all = json!({
            "color": "#0a5", "theme": "dark", "position": "left", "language": "de", "ask_name": "required",
            "ask_email": "optional", "shows_hours": false, "accepts_files": false, "plays_sound": false, "shows_page": false,
            "texts": { "de": { "title": "Hallo", "greeting": "Wie können wir helfen?", "away": "Bis morgen" } },
        });
        for settings in [WidgetSettings::default(), given(&all).unwrap()] {
            assert_eq!(read(&serde_json::to_string(&settings).unwrap()), Some(settings));
        }
        assert_eq!(given(&json!({})).unwrap(), WidgetSettings::default());
        assert_eq!(read("{"), None);
    }

    #[test]
    fn everything_wrong_with_settings_is_told_at_its_path() {
        let wrong = json!({
            "color": "red", "theme": "blue", "position": "top", "language": "fr", "ask_name": true,
            "shows_hours": "yes", "texts": { "en": { "title": "t".repeat(TITLE_CHARS_MAX + 1) }, "de": 7 },
        });
        let paths = [
            "color",
            "theme",
            "position",
            "language",
            "ask_name",
            "shows_hours",
            "texts.en.title",
            "texts.de",
        ];
        assert_eq!(given(&wrong).unwrap_err(), paths);
    }
}
