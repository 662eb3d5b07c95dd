//! Strings of JSON.

use serde_json::Error;

/// A byte in each of the eight places of a word.
const ONES: u64 = u64::MAX / 0xff;
const HIGH_BITS: u64 = ONES * 0x80;

pub(super) fn write(out: &mut Vec<u8>, text: &str) -> Result<(), Error> {
    if needs_escape(text.as_bytes()) {
        return serde_json::to_writer(out, text);
    }
    out.reserve(text.len() + 2);
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
    Ok(())
}

/// Writes a name of a field or a variant. None of them needs an escape.
#[inline]
pub(super) fn write_name(out: &mut Vec<u8>, name: &'static str) {
    debug_assert!(!needs_escape(name.as_bytes()), "{name:?} needs an escape: choose another name");
    out.reserve(name.len() + 2);
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.push(b'"');
}

/// Writes the name of a field after what opens it, up to its value. Fewer and larger pieces take less time.
#[inline]
pub(super) fn write_key(out: &mut Vec<u8>, open: &'static str, name: &'static str) {
    debug_assert!(!needs_escape(name.as_bytes()), "{name:?} needs an escape: choose another name");
    out.reserve(open.len() + name.len() + 2);
    out.extend_from_slice(open.as_bytes());
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Whether there is a control character, a quote or a backslash.
fn needs_escape(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks::<8>();
    if words.iter().any(|word| word_needs_escape(*word)) {
        return true;
    }
    // The last eight bytes contain the rest; some of them were checked before.
    match text.last_chunk::<8>() {
        Some(last) => !rest.is_empty() && word_needs_escape(*last),
        None => rest.iter().any(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')),
    }
}

/// Subtracting `n` sets the high bit of a byte below `n`. A borrow from another byte may set it too, but only
/// if there is such a byte.
fn word_needs_escape(bytes: [u8; 8]) -> bool {
    let word = u64::from_le_bytes(bytes);
    let control = word.wrapping_sub(ONES * 0x20);
    let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    (control | quote | backslash) & !word & HIGH_BITS != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_judged_alike_at_every_place() {
        for byte in 0..0x80_u8 {
            let wanted = matches!(byte, 0..0x20 | b'"' | b'\\');
            for length in 1..=24 {
                for at in 0..length {
                    for around in [b'a', b' ', b'!', b'#', b'[', b']', 0x7f, 0xc3] {
                        let mut text = vec![around; length];
                        text[at] = byte;
                        assert_eq!(needs_escape(&text), wanted, "{byte} at {at} of {length} in {around}");
                    }
                }
            }
        }
    }
}
