//! The stored form of a key, in a file or a setting.
//!
//! The first line is the key. During a rotation the second line is the previous one.

use frontdesk_platform::sealing::{KEY_BYTES, Keyring, SecretKey};

const PREVIOUS: &str = "previous ";

/// A new key.
pub(crate) fn random() -> String {
    SecretKey::write(&rand::random::<[u8; KEY_BYTES]>())
}

/// The text of a keyring during a rotation.
pub(crate) fn in_rotation(key: &str, previous: &SecretKey) -> String {
    format!("{key}\n{PREVIOUS}{}", previous.root())
}

/// The text of a keyring after its rotation.
pub(super) fn settled(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// Parses a keyring. A text of another form is a key of an early version.
pub(super) fn read(text: &str) -> Keyring {
    let mut lines = text.trim().lines();
    let current = lines.next().map(SecretKey::parse);
    let previous = lines.next().map(|line| line.strip_prefix(PREVIOUS).map(SecretKey::from_root));
    match (current, previous, lines.next()) {
        (Some(Ok(current)), None, _) => Keyring::new(current),
        (Some(Ok(current)), Some(Some(Ok(previous))), None) => Keyring::new(current).with_previous(previous),
        _ => Keyring::new(SecretKey::from_any_text(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_reads_back_with_and_without_a_previous_key() {
        let (new, old) = (random(), SecretKey::from_any_text("any text would do"));
        let text = in_rotation(&new, &old);
        let ring = read(&format!("{text}\n"));
        assert_eq!(ring.current(), &SecretKey::parse(&new).unwrap());
        assert_eq!(ring.previous(), Some(&old));
        assert_eq!(settled(&text), new);
        assert!(read(&settled(&text)).previous().is_none());
        assert_eq!(read("any text would do\n").current(), &old);
        assert_eq!(read("two\nlines").current(), &SecretKey::from_any_text("two\nlines"));
    }
}
