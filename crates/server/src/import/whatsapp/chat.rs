//! The text of a chat: messages of several lines, their authors, and lines of the app itself. Pure.

use std::collections::BTreeMap;

use jiff::civil::DateTime;

use super::stamp::{Beginning, DateOrder, HIDDEN, Stamp, split};

/// Names longer than this are none: the line is one of the app.
const AUTHOR_CHARS_MAX: usize = 100;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChatMessage {
    pub(crate) at: DateTime,
    pub(crate) author: String,
    /// With its line breaks.
    pub(crate) text: String,
}

/// A chat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chat {
    pub(crate) messages: Vec<ChatMessage>,
    /// Lines of the app itself, such as "Messages are end-to-end encrypted".
    pub(crate) system_lines: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ChatError {
    #[error("no line of the text begins with a time as WhatsApp writes it")]
    NoChat,
    #[error("the dates may be read in more than one way: add --date-order dmy, mdy or ymd")]
    DateOrder,
    #[error("the date of the line {0:?} does not fit --date-order")]
    WrongOrder(String),
    #[error(
        "line {line}: {words:?} beside the time is not known, and may say that 9:30 is 21:30. Set the phone to a clock of 24 \
         hours or to English, and export the chat again"
    )]
    UnknownWords { line: usize, words: String },
}

/// A line with what follows it until the next time.
struct Entry<'t> {
    stamp: Stamp,
    first: &'t str,
    text: String,
}

impl Chat {
    pub(crate) fn read(text: &str, order: Option<DateOrder>) -> Result<Self, ChatError> {
        let mut entries: Vec<Entry<'_>> = Vec::new();
        for (at, line) in text.split('\n').map(|line| line.trim_end_matches('\r')).enumerate() {
            let beginning = split(line);
            if let Some((Beginning::Unknown(words), rest)) = &beginning
                && is_time(&entries, rest)
            {
                return Err(ChatError::UnknownWords { line: at + 1, words: words.clone() });
            }
            match (beginning, entries.last_mut()) {
                (Some((Beginning::Time(stamp), rest)), _) => {
                    entries.push(Entry { stamp, first: line, text: rest.to_owned() });
                }
                (_, Some(entry)) => {
                    entry.text.push('\n');
                    entry.text.push_str(line);
                }
                (_, None) => {}
            }
        }
        if entries.is_empty() {
            return Err(ChatError::NoChat);
        }
        let stamps: Vec<Stamp> = entries.iter().map(|entry| entry.stamp).collect();
        let order = order.or_else(|| DateOrder::of(&stamps)).ok_or(ChatError::DateOrder)?;
        let mut chat = Self::default();
        for entry in entries {
            let at = entry
                .stamp
                .at(order)
                .ok_or_else(|| ChatError::WrongOrder(entry.first.chars().take(AUTHOR_CHARS_MAX).collect()))?;
            match author_of(&entry.text) {
                Some((author, text)) => {
                    let (author, text) = (author.to_owned(), text.trim_end().to_owned());
                    chat.messages.push(ChatMessage { at, author, text });
                }
                None => chat.system_lines += 1,
            }
        }
        Ok(chat)
    }

    /// The authors, with the number of their messages.
    pub(crate) fn authors(&self) -> BTreeMap<String, u64> {
        let mut authors = BTreeMap::new();
        for message in &self.messages {
            *authors.entry(message.author.clone()).or_default() += 1;
        }
        authors
    }
}

/// Whether a time with unknown words beside it is one of the phone's. A phone writes all times of an export in one way: after
/// a first one with 24 hours, it is of a message of several lines.
fn is_time(before: &[Entry<'_>], rest: &str) -> bool {
    before.first().is_none_or(|first| first.stamp.is_marked && author_of(rest).is_some())
}

/// Splits the author from the text. None in a line of the app.
fn author_of(text: &str) -> Option<(&str, &str)> {
    let (author, rest) = text.split_once(':')?;
    let author = author.trim_matches(|c: char| c.is_whitespace() || HIDDEN.contains(&c));
    let is_name = !author.is_empty() && !author.contains('\n') && author.chars().count() <= AUTHOR_CHARS_MAX;
    // A message begins after a space, or ends there.
    let is_message = rest.is_empty() || rest.starts_with([' ', '\n']) || rest.starts_with(HIDDEN);
    (is_name && is_message).then(|| (author, rest.strip_prefix(' ').unwrap_or(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANDROID: &str = "31/12/2023, 21:28 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.\n\
        31/12/2023, 21:30 - Ann Lee: Hello\nwith two lines: here\n\n31/12/2023, 21:31 - Chairs & Co: Good evening \u{1F346}\n";

    #[test]
    fn messages_have_several_lines_and_the_app_speaks_too() {
        let chat = Chat::read(ANDROID, None).unwrap();
        assert_eq!((chat.messages.len(), chat.system_lines), (2, 1));
        assert_eq!(chat.messages[0].author, "Ann Lee");
        assert_eq!(chat.messages[0].text, "Hello\nwith two lines: here");
        assert_eq!(chat.messages[1].at.to_string(), "2023-12-31T21:31:00");
        assert_eq!(chat.authors().len(), 2);
    }

    #[test]
    fn an_iphones_export_is_read_with_its_hidden_marks() {
        let text = "\u{feff}[31.12.23, 21:30:45] Ann: \u{200e}Nachrichten sind verschlüsselt\r\n\u{200e}[31.12.23, 21:30:46] Ann: \u{200e}<Anhang: 1-PHOTO.jpg>\r\n[01.01.24, 08:00:00] ~\u{a0}Ann Lee: ok";
        let chat = Chat::read(text, None).unwrap();
        assert_eq!(chat.messages.len(), 3);
        assert_eq!(chat.messages[1].text.trim_matches(HIDDEN), "<Anhang: 1-PHOTO.jpg>");
        assert_eq!(chat.messages[2].at.to_string(), "2024-01-01T08:00:00");
    }

    #[test]
    fn a_chat_with_words_beside_its_times_that_are_not_known_is_refused() {
        let unknown = |line, words: &str| Some(ChatError::UnknownWords { line, words: words.to_owned() });
        let refused = |text: &str| Chat::read(text, Some(DateOrder::Dmy)).err();
        assert_eq!(
            refused("31/12/2023 blorp 9:30 - Messages are encrypted\n31/12/2023 blorp 9:31 - Ann: x"),
            unknown(1, "blorp")
        );
        // The first half of the day is known, and the second is not.
        assert_eq!(
            refused("31/12/2023, 9:30 am - Ann: x\ny\n31/12/2023, 9:30 blorp - Ann: x"),
            unknown(3, "blorp")
        );
        assert_eq!(refused("31/12/2023, 9:30 am - Ann: x\n31/12/2023, at noon 9:30 - or later"), None);
        // This phone writes no words: the second line is one of the message.
        let chat =
            Chat::read("31/12/2023, 21:28 - Ann: x\n31/12/2023 gegen 9:30 - Treffen: ja", None).unwrap();
        assert_eq!(chat.messages.len(), 1);
        assert!(chat.messages[0].text.ends_with("\n31/12/2023 gegen 9:30 - Treffen: ja"));
        let evening = Chat::read("2023/12/31 上午9:30 - 安: x\n2023/12/31 下午9:30 - 安: y", None).unwrap();
        let times: Vec<String> = evening.messages.iter().map(|message| message.at.to_string()).collect();
        assert_eq!(times, ["2023-12-31T09:30:00", "2023-12-31T21:30:00"]);
    }

    #[test]
    fn what_is_no_chat_is_refused() {
        assert_eq!(Chat::read("", None).unwrap_err(), ChatError::NoChat);
        assert_eq!(Chat::read("some text\nof a file", None).unwrap_err(), ChatError::NoChat);
        assert_eq!(Chat::read("1/2/23, 21:30 - Ann: x", None).unwrap_err(), ChatError::DateOrder);
        assert!(Chat::read("1/2/23, 21:30 - Ann: x", Some(DateOrder::Mdy)).is_ok());
        assert!(matches!(
            Chat::read("31/2/23, 21:30 - Ann: x", Some(DateOrder::Mdy)),
            Err(ChatError::WrongOrder(_))
        ));
    }
}
