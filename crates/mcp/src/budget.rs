//! How long a response may be, counted in tokens of a model.
//!
//! Models cut text into tokens in different ways, so this counts on the safe side: an id of 36 characters is 21 tokens, a
//! Chinese character one and a half, three letters one.

use serde_json::Value;

/// Maximum tokens of a response.
pub const TOKENS_MAX: usize = 4_000;
/// A token, in the parts that characters are counted in.
const PARTS: usize = 6;

/// The tokens of a text, at most.
pub(crate) fn tokens(text: &str) -> usize {
    text.chars().map(parts).sum::<usize>().div_ceil(PARTS)
}

fn parts(c: char) -> usize {
    match c {
        ' ' => 1,
        'a'..='z' | 'A'..='Z' => 2,
        '0'..='9' => 4,
        c if c.is_ascii() => PARTS,
        c if u32::from(c) <= 0xffff => 9,
        _ => 15,
    }
}

/// The tokens of a value as it is sent.
pub(crate) fn tokens_of(value: &Value) -> usize {
    tokens(&value.to_string())
}

/// The beginning of a text, of so many tokens at most, and whether something is left out.
pub(crate) fn cut(text: &str, tokens_max: usize) -> (&str, bool) {
    let (mut end, mut left) = (0, tokens_max * PARTS);
    for c in text.chars() {
        // What JSON escapes is counted as it is sent.
        let sent = match c {
            '"' | '\\' | '\n' | '\r' | '\t' => 2 * PARTS,
            c if c.is_control() => 6 * PARTS,
            c => parts(c),
        };
        if sent > left {
            return (&text[..end], true);
        }
        left -= sent;
        end += c.len_utf8();
    }
    (text, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_id_and_a_sentence_are_counted_on_the_safe_side() {
        assert!((16..=24).contains(&tokens("01890a5d-ac96-774b-bcce-b302099a8057")));
        assert!((10..=16).contains(&tokens("Could you send me the invoice again?")));
        assert_eq!(tokens("你好"), 3);
    }

    proptest! {
        #[test]
        fn a_cut_text_fits_and_is_the_beginning(text in "\\PC{0,300}", max in 0_usize..60) {
            let (kept, is_cut) = cut(&text, max);
            prop_assert!(text.starts_with(kept));
            prop_assert_eq!(is_cut, kept.len() < text.len());
            prop_assert!(tokens_of(&Value::from(kept)) <= max + 2);
        }
    }
}
