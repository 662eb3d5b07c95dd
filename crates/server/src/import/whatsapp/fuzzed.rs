//! Chats that nobody wrote. The text comes from whoever has written to the business.

use std::fmt::Write as _;

use frontdesk_fuzz::Target;

use super::chat::{Chat, ChatError};
use super::media::{Content, content, kind_of};
use super::stamp::DateOrder;

/// Writes a chat as a phone would that shows the year first, 24 hours and seconds.
fn written(chat: &Chat) -> String {
    chat.messages.iter().fold(String::new(), |mut text, message| {
        let at = message.at.strftime("%Y-%m-%d, %H:%M:%S");
        let _ = writeln!(text, "{at} - {}: {}", message.author, message.text);
        text
    })
}

/// What came of a chat: the error, or how much of it there is.
fn outcome(text: &str, order: Option<DateOrder>) -> (Option<ChatError>, usize, u64, u8) {
    let chat = match Chat::read(text, order) {
        Ok(chat) => chat,
        Err(ChatError::UnknownWords { .. }) => {
            return (Some(ChatError::UnknownWords { line: 0, words: String::new() }), 0, 0, 0);
        }
        Err(ChatError::WrongOrder(_)) => return (Some(ChatError::WrongOrder(String::new())), 0, 0, 0),
        Err(error) => return (Some(error), 0, 0, 0),
    };
    let mut kinds = 0;
    for message in &chat.messages {
        assert!((2_009..=2_100).contains(&message.at.year()), "{message:?}");
        assert!(!message.author.is_empty() && !message.author.contains('\n'), "{message:?}");
        assert_eq!(message.text.trim_end(), message.text);
        kinds |= match content(&message.text, |name| name.contains("jpg")) {
            Content::Text(_) => 1,
            Content::LeftOut => 2,
            Content::File { name, caption } => {
                // The name is a part of the message, and so is the text below it.
                assert!(message.text.contains(name) && !kind_of(name).1.is_empty());
                assert!(caption.is_none_or(|caption| message.text.contains(caption)));
                4
            }
        };
    }
    if !chat.messages.is_empty() {
        let again = Chat::read(&written(&chat), Some(DateOrder::Ymd)).expect("a chat");
        assert_eq!((again.messages, again.system_lines), (chat.messages.clone(), 0));
    }
    (None, chat.messages.len().min(5), chat.system_lines.min(3), kinds)
}

#[test]
fn fuzzed_chats_are_read_back_as_they_were_written() {
    let examples = [
        "31/12/2023, 21:28 - Messages are end-to-end encrypted.\n31/12/2023, 21:30 - Ann Lee: Hello\nagain: yes\n",
        "\u{feff}[31.12.23, 21:30:45] Ann: \u{200e}<Anhang: 1.jpg>\r\n\u{200e}[31.12.23, 21:31:00] ~\u{a0}Bob: ok",
        "12/31/23, 9:30\u{202f}PM - Ann: IMG.jpg (file attached)\nLook\n1/2/24, 9:31\u{202f}AM - Bob: <Media omitted>",
        "2023/12/31 下午9:30 - 安: x\n2023. 12. 31. 오후 9:31 - Ann: y\n31.12.2023 ÖS 9:30 - Ann: z",
    ];
    let words = [
        "\n31/12/2023, 21:30 - Ann: ",
        "\n[31.12.23, 21:30:45] Ann: ",
        "\n1/2/24 9:30 PM - Ann: ",
        "\n31/12/2023 noon 9:30 - Ann: ",
        " - ",
        ": ",
        "]",
        "\r\n",
        "\u{200e}",
        "\u{202f}",
        "下午",
        "p. m.",
        "<attached: 1.jpg>",
        "(file attached)",
        "99/99/99",
        "٣١/١٢/٢٠٢٣",
    ];
    Target::new("whatsapp chat").examples(examples).words(words).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        [None, Some(DateOrder::Dmy), Some(DateOrder::Mdy), Some(DateOrder::Ymd)]
            .map(|order| format!("{:?}", outcome(&text, order)))
    });
}
