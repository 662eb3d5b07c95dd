//! Text with placeholders in it: `Hello {{1}}`, `Hello {{first_name}}`.

use crate::reading::is_digits;

/// Text, split at its placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder(String),
}

impl Pattern {
    /// Parses text; a placeholder without a key is text.
    pub(super) fn read(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            let (before, opened) = rest.split_at(start);
            plain.push_str(before);
            if let Some((key, after)) = key_of(opened) {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(Piece::Placeholder(key.to_owned()));
                rest = after;
            } else {
                plain.push('{');
                rest = &opened[1..];
            }
        }
        plain.push_str(rest);
        pieces.push(Piece::Text(plain));
        Self(pieces)
    }

    /// The keys, each once, in the order of their values: numbers by value, names by first appearance.
    pub(super) fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = Vec::new();
        for piece in &self.0 {
            if let Piece::Placeholder(key) = piece
                && !keys.contains(&key.as_str())
            {
                keys.push(key);
            }
        }
        if keys.iter().all(|key| is_digits(key)) {
            // Without leading zeroes, longer is larger; a number of any length is compared without parsing
            // it.
            keys.sort_by_key(|key| {
                let value = key.trim_start_matches('0');
                (value.len(), value)
            });
        }
        keys
    }

    /// The text with each placeholder replaced; one without a value is unchanged. Placeholders in values are
    /// not replaced.
    pub(super) fn filled<'a>(&self, value_of: impl Fn(&str) -> Option<&'a str>) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Placeholder(key) => match value_of(key) {
                    Some(value) => text.push_str(value),
                    None => text.extend(["{{", key, "}}"]),
                },
            }
        }
        text
    }
}

/// The key at the start of text that begins with two braces, and what follows its end.
fn key_of(opened: &str) -> Option<(&str, &str)> {
    let (inside, after) = opened.strip_prefix("{{")?.split_once("}}")?;
    let key = inside.trim();
    let is_key = !key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    is_key.then_some((key, after))
}
