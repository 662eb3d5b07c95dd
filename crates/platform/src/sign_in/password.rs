//! Passwords: which are accepted, and how they are stored.
//!
//! A password is stored as an Argon2id hash with its own salt and parameters (a PHC string). Hashing takes
//! tens of milliseconds and megabytes on purpose, so callers limit how many run at once.

use std::str::FromStr;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use frontdesk_kernel::Secret;
use frontdesk_web::{Components, FieldPath, Input, Problems, input};
use serde_json::{Value, json};

pub const PASSWORD_CHARS_MIN: usize = 12;
/// Longer texts would only make hashing slow.
pub const PASSWORD_CHARS_MAX: usize = 256;
const SALT_BYTES: usize = 16;
/// A password of fewer different characters is easily guessed.
const DISTINCT_CHARS_MIN: usize = 5;

/// Words that passwords often consist of, with digits or signs around them.
const USUAL_WORDS: &str = include_str!("usual_words.txt");
/// Adjacent keys.
const KEYBOARD_ROWS: [&str; 4] = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// Why a password is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassword {
    #[error("must have at least {PASSWORD_CHARS_MIN} characters")]
    TooShort,
    #[error("must have at most {PASSWORD_CHARS_MAX} characters")]
    TooLong,
    #[error("is among the passwords that are guessed first; choose another, such as four unrelated words")]
    Usual,
}

/// An acceptable password.
#[derive(Clone, Debug)]
pub struct NewPassword(Secret);

impl NewPassword {
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }

    /// Its stored hash.
    pub fn hash(&self, random: &[u8; 32]) -> String {
        hash(self.reveal(), random)
    }
}

impl FromStr for NewPassword {
    type Err = WeakPassword;

    fn from_str(text: &str) -> Result<Self, WeakPassword> {
        let chars = text.chars().count();
        if chars < PASSWORD_CHARS_MIN {
            Err(WeakPassword::TooShort)
        } else if chars > PASSWORD_CHARS_MAX {
            Err(WeakPassword::TooLong)
        } else if is_usual(text) {
            Err(WeakPassword::Usual)
        } else {
            Ok(Self(Secret::new(text)))
        }
    }
}

impl Input for NewPassword {
    fn schema(_: &mut Components) -> Value {
        json!({
            "type": "string", "format": "password", "minLength": PASSWORD_CHARS_MIN, "maxLength": PASSWORD_CHARS_MAX,
        })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        input::parsed(value, at, problems)
    }
}

/// A typed password, to be compared.
#[derive(Clone, Debug)]
pub struct TypedPassword(Secret);

impl TypedPassword {
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

impl FromStr for TypedPassword {
    type Err = WeakPassword;

    fn from_str(text: &str) -> Result<Self, WeakPassword> {
        let fits = text.chars().count() <= PASSWORD_CHARS_MAX;
        if fits { Ok(Self(Secret::new(text))) } else { Err(WeakPassword::TooLong) }
    }
}

impl Input for TypedPassword {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "format": "password", "maxLength": PASSWORD_CHARS_MAX })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        input::parsed(value, at, problems)
    }
}

fn hash(password: &str, random: &[u8; 32]) -> String {
    let hash: PasswordHash = Argon2::default()
        .hash_password_with_salt(password.as_bytes(), &random[..SALT_BYTES])
        .expect("Argon2 takes passwords and salts of these lengths");
    hash.to_string()
}

/// Whether a password matches the stored hash. Slow on purpose.
pub fn is_right(password: &TypedPassword, stored: &str) -> bool {
    let Ok(stored) = PasswordHash::new(stored) else { return false };
    Argon2::default().verify_password(password.reveal().as_bytes(), &stored).is_ok()
}

/// Takes as long as [`is_right`], for an unknown address.
pub fn pretend(password: &TypedPassword) {
    const RANDOM: [u8; 32] = [7; 32];
    std::hint::black_box(hash(password.reveal(), &RANDOM));
}

fn is_usual(password: &str) -> bool {
    let plain = password.to_lowercase();
    let mut distinct: Vec<char> = plain.chars().collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() < DISTINCT_CHARS_MIN || is_run(&plain) || is_usual_word(&plain)
}

/// Whether most characters continue a sequence: `123456789012`, `qwertyuiop12`.
fn is_run(plain: &str) -> bool {
    let chars: Vec<char> = plain.chars().collect();
    let steps = chars.windows(2).filter(|pair| follows(pair[0], pair[1])).count();
    steps * 4 >= chars.len().saturating_sub(1) * 3
}

fn follows(one: char, next: char) -> bool {
    let beside = |row: &&str| {
        let place = |key: char| row.find(key);
        matches!((place(one), place(next)), (Some(a), Some(b)) if a.abs_diff(b) <= 1)
    };
    (one as u32).abs_diff(next as u32) <= 1 || KEYBOARD_ROWS.iter().any(beside)
}

/// Whether only a common word is left, once or repeated, without the digits and signs around it.
fn is_usual_word(plain: &str) -> bool {
    let core = plain.trim_matches(|c: char| !c.is_alphabetic());
    let letters: String = core.chars().map(as_letter).filter(|c| c.is_alphabetic()).collect();
    !letters.is_empty()
        && USUAL_WORDS.lines().any(|word| !word.is_empty() && letters.replace(word, "").is_empty())
}

/// The letter that a digit or a sign often replaces.
fn as_letter(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_and_short_passwords_are_refused() {
        use WeakPassword::{TooLong, TooShort, Usual};
        let long = "x".repeat(PASSWORD_CHARS_MAX + 1);
        for (password, why) in [
            ("", TooShort),
            ("hunter2hunt", TooShort),
            (long.as_str(), TooLong),
            ("aaaaaaaaaaaaaa", Usual),
            ("abababababab", Usual),
            ("123456789012", Usual),
            ("qwertyuiop12", Usual),
            ("Password1234!", Usual),
            ("P4ssw0rd-2026", Usual),
            ("passwordpassword", Usual),
            ("!!Welcome!!2024", Usual),
            ("iloveyou12345", Usual),
            ("frontdesk2026", Usual),
        ] {
            assert_eq!(password.parse::<NewPassword>().map(|_| ()), Err(why), "{password}");
        }
        for right in ["correct horse battery", "Müller isst 3 Äpfel", "gT7#kq9!Lm2x", "  blanks count  "] {
            assert!(right.parse::<NewPassword>().is_ok(), "{right}");
        }
    }

    #[test]
    fn only_the_password_itself_is_right() {
        let stored = "correct horse battery".parse::<NewPassword>().unwrap().hash(&[1; 32]);
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        let typed = |text: &str| text.parse::<TypedPassword>().unwrap();
        assert!(is_right(&typed("correct horse battery"), &stored));
        for wrong in ["Correct horse battery", "correct horse battery ", "", &stored] {
            assert!(!is_right(&typed(wrong), &stored), "{wrong}");
        }
        assert!(!is_right(&typed("x"), "") && !is_right(&typed(""), "no hash"));
        let other = "correct horse battery".parse::<NewPassword>().unwrap().hash(&[2; 32]);
        assert_ne!(stored, other);
    }
}
