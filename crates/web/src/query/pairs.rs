//! A parsed query string.

use std::borrow::Cow;

/// The names and values of a query string, decoded: `%41` is a character, `+` a space, and bytes that are not
/// UTF-8 become the replacement character. No query string is rejected. If a name is given more than once,
/// the first counts.
#[derive(Clone, Debug)]
pub struct Pairs<'q>(Vec<(Cow<'q, str>, Cow<'q, str>)>);

impl<'q> Pairs<'q> {
    pub fn parse(query: &'q str) -> Self {
        Self(form_urlencoded::parse(query.as_bytes()).collect())
    }

    /// Every name and value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value.as_ref()))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_ref())
    }

    /// The trimmed value, unless it is empty.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use proptest::prelude::*;

    #[test]
    fn the_first_of_a_name_counts_and_broken_escapes_stay() {
        let pairs = Pairs::parse("a=1&&a=2&b&=3&c=%zz%4&d=%ff&e=x%3Dy=z");
        assert_eq!(pairs.get("a"), Some("1"));
        assert_eq!(pairs.get("b"), Some(""));
        assert_eq!(pairs.get(""), Some("3"));
        assert_eq!(pairs.get("c"), Some("%zz%4"));
        assert_eq!(pairs.get("d"), Some("\u{fffd}"));
        assert_eq!(pairs.get("e"), Some("x=y=z"));
        assert_eq!(pairs.get("f"), None);
        assert_eq!((pairs.given("a"), pairs.given("b")), (Some("1"), None));
    }

    proptest! {
        #[test]
        fn encoded_pairs_decode_to_themselves(name in ".{0,12}", value in ".{0,30}", plus: bool) {
            let encode = |text: &str| {
                let encoded = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
                if plus { encoded.replace("%20", "+") } else { encoded }
            };
            let query = format!("{}={}", encode(&name), encode(&value));
            let pairs = Pairs::parse(&query);
            prop_assert_eq!(pairs.get(&name), Some(value.as_str()));
        }

        #[test]
        fn no_query_makes_it_fall_over(query: String) {
            let _ = Pairs::parse(&query).get("x");
        }
    }
}
