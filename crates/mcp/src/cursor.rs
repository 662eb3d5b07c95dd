//! Cursors with which a model reads on.
//!
//! A cursor says where a list or a text goes on. It is used with the same arguments. It holds the API's own cursor, which
//! belongs to one account and one list, so an altered cursor reads nothing else.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// The longest cursor that is read.
const CURSOR_CHARS_MAX: usize = 2_048;

/// Where reading goes on.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct Cursor {
    /// The API's cursor of the page; none for the first one.
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<String>,
    /// Rows of the page, or bytes of a text, that were read.
    #[serde(rename = "s", default)]
    pub(crate) skip: usize,
}

impl Cursor {
    pub(crate) fn parse(text: Option<&str>) -> Option<Self> {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Some(Self::default()) };
        if text.len() > CURSOR_CHARS_MAX {
            return None;
        }
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
    }

    pub(crate) fn shown(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_nonsense_is_refused() {
        let cursor = Cursor { page: Some("abc".to_owned()), skip: 7 };
        assert_eq!(Cursor::parse(Some(&cursor.shown())), Some(cursor));
        assert_eq!(Cursor::parse(None), Some(Cursor::default()));
        for nonsense in ["?", "AAAA", &"A".repeat(CURSOR_CHARS_MAX + 1)] {
            assert_eq!(Cursor::parse(Some(nonsense)), None, "{nonsense}");
        }
    }
}
