//! Names, as words that each language joins in its own way.

use std::fmt;

/// A name, as words in lower case: `custom`, `fields`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Vec<String>);

impl Name {
    /// Reads `listContactNotes`, `contact_id`, `canned-replies`, `contact.created` or `AI usage`.
    pub fn parse(text: &str) -> Self {
        let mut words = vec![String::new()];
        let mut before_is_upper = false;
        for c in text.chars() {
            let starts_word = !c.is_alphanumeric() || (c.is_uppercase() && !before_is_upper);
            if starts_word && words.last().is_some_and(|word| !word.is_empty()) {
                words.push(String::new());
            }
            if c.is_alphanumeric()
                && let Some(word) = words.last_mut()
            {
                word.extend(c.to_lowercase());
            }
            before_is_upper = c.is_uppercase();
        }
        words.retain(|word| !word.is_empty());
        Self(words)
    }

    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// `contact_notes`
    pub fn snake(&self) -> String {
        self.0.join("_")
    }

    /// `contactNotes`
    pub fn camel(&self) -> String {
        let pascal = self.pascal();
        let first = self.0.first().map_or(0, String::len);
        format!("{}{}", pascal[..first].to_lowercase(), &pascal[first..])
    }

    /// `ContactNotes`
    pub fn pascal(&self) -> String {
        self.0.iter().map(|word| capitalized(word)).collect()
    }

    /// The name for one of them: `deliveries` as `delivery`.
    pub fn singular(&self) -> Self {
        let mut words = self.0.clone();
        if let Some(last) = words.last_mut() {
            let one = match last.strip_suffix("ies") {
                Some(stem) => format!("{stem}y"),
                None => last.strip_suffix('s').unwrap_or(last).to_owned(),
            };
            *last = one;
        }
        Self(words)
    }

    /// The name without these words, where they first stand together; none if they do not.
    pub fn without(&self, words: &Self) -> Option<Self> {
        let at = self.0.windows(words.0.len()).position(|here| here == words.0)?;
        let mut rest = self.0.clone();
        rest.drain(at..at + words.0.len());
        Some(Self(rest))
    }

    /// The name with one more word.
    pub fn with(&self, word: &str) -> Self {
        Self(self.0.iter().cloned().chain([word.to_owned()]).collect())
    }
}

impl fmt::Display for Name {
    /// `contact notes`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
    format!("{}{rest}", first.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_in_any_case_and_written_in_any_other() {
        for text in ["listContactNotes", "ListContactNotes", "list_contact_notes", "list-contact.notes"] {
            let name = Name::parse(text);
            assert_eq!(name.words(), ["list", "contact", "notes"], "{text}");
            assert_eq!(name.camel(), "listContactNotes");
            assert_eq!(name.pascal(), "ListContactNotes");
            assert_eq!(name.snake(), "list_contact_notes");
        }
        assert_eq!(Name::parse("AI usage").words(), ["ai", "usage"]);
    }

    #[test]
    fn one_of_many_has_a_name() {
        for (many, one) in [
            ("canned-replies", "canned_reply"),
            ("contacts", "contact"),
            ("me", "me"),
            ("inquiries", "inquiry"),
        ] {
            assert_eq!(Name::parse(many).singular().snake(), one);
        }
    }

    #[test]
    fn words_are_taken_out_of_a_name() {
        let name = Name::parse("listContactNotes");
        assert_eq!(name.without(&Name::parse("contact")), Some(Name::parse("listNotes")));
        assert_eq!(name.without(&Name::parse("contacts")), None);
    }
}
