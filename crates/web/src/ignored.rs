//! Body fields that an operation does not know. They are ignored, and the response names them, so that a
//! caller sees a misspelled one.

use http::{HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::field_path::FieldPath;

/// The response header that names the ignored fields.
pub const IGNORED_FIELDS: HeaderName = HeaderName::from_static("frontdesk-ignored-fields");

/// The most fields that are named.
const FIELDS_NAMED_MAX: usize = 20;
/// The most of one path that is sent; the rest is cut off.
const PATH_BYTES_MAX: usize = 128;

/// Escaped in a name: everything that could end a path, the list or the header.
const NAME_ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');
/// A path above a name keeps its dots.
const PATH_ESCAPED: &AsciiSet = &NAME_ESCAPED.remove(b'.');

/// The first ignored fields of a body, each by its path. Without any it allocates nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoredFields(Vec<String>);

impl IgnoredFields {
    /// Whether further ones are not named.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= FIELDS_NAMED_MAX
    }

    pub(crate) fn add(&mut self, at: &FieldPath, name: &str) {
        if self.is_full() {
            return;
        }
        let above = utf8_percent_encode(at.as_str(), PATH_ESCAPED);
        let dot = if at.as_str().is_empty() { "" } else { "." };
        let name = utf8_percent_encode(name, NAME_ESCAPED);
        let mut path = String::new();
        // A piece is one escaped byte or a run of others, which may be cut anywhere.
        for piece in above.chain([dot]).chain(name) {
            let left = PATH_BYTES_MAX - path.len();
            if left == 0 || (piece.len() > left && piece.starts_with('%')) {
                break;
            }
            path.push_str(&piece[..piece.len().min(left)]);
        }
        if !path.is_empty() {
            self.0.push(path);
        }
    }

    /// The header's value; none if nothing was ignored.
    pub(crate) fn header_value(&self) -> Option<HeaderValue> {
        if self.0.is_empty() {
            return None;
        }
        HeaderValue::from_str(&self.0.join(", ")).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(paths: &[(&str, &str)]) -> String {
        let mut ignored = IgnoredFields::default();
        for (above, name) in paths {
            FieldPath::root().field(above, |at| ignored.add(at, name));
        }
        ignored.header_value().map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }

    #[test]
    fn names_cannot_end_the_header_or_the_list() {
        assert_eq!(value(&[]), "");
        assert_eq!(
            value(&[("address", "citty"), ("a.0", "x.y, z"), ("", "é\r\nSet-Cookie: a=b")]),
            "address.citty, a.0.x%2Ey%2C%20z, %C3%A9%0D%0ASet-Cookie%3A%20a%3Db"
        );
    }

    #[test]
    fn the_header_is_bounded_whatever_the_names_are() {
        let long = "long".repeat(300_000);
        assert_eq!(value(&[("a", &long)]).len(), PATH_BYTES_MAX);
        let odd = "é".repeat(300_000);
        let cut = value(&[("", &odd)]);
        assert!(cut.len() <= PATH_BYTES_MAX && cut.len().is_multiple_of(3), "{cut}");
        let many = vec![("", odd.as_str()); 50];
        assert!(value(&many).len() <= FIELDS_NAMED_MAX * (PATH_BYTES_MAX + 2));
        assert_eq!(value(&many).split(", ").count(), FIELDS_NAMED_MAX);
    }
}
