//! The second factor: six digits from an authenticator app (RFC 6238), and recovery codes that replace them.

use frontdesk_kernel::Timestamp;
use frontdesk_kernel::key::{self, KeyHash};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use totp_rs::{Builder, Secret, Totp};

const STEP_SECONDS: u64 = 30;
const DIGITS: u8 = 6;
/// A phone's clock may be off by this many steps, either way.
const DRIFT_STEPS: u16 = 1;
pub const SECRET_BYTES: usize = 20;
pub const RECOVERY_CODES: usize = 10;
/// Random bytes of a recovery code: 16 characters.
const RECOVERY_BYTES: usize = 10;
const ISSUER: &str = "Frontdesk";

/// The time step of a code, if it is later than the last one that was used, so that no code works twice.
pub fn step_of(secret: &[u8], code: &str, now: Timestamp, last: Option<i64>) -> Option<i64> {
    let code: String = code.split_whitespace().collect();
    let step = codes_of(secret).check(&code, u64::try_from(now.seconds()).ok()?)?;
    let step = i64::try_from(step).ok()?;
    last.is_none_or(|last| step > last).then_some(step)
}

fn codes_of(secret: &[u8]) -> Totp {
    let codes = Builder::new().with_digits(DIGITS).with_step_duration(STEP_SECONDS).with_skew(DRIFT_STEPS);
    codes.with_secret(secret).build_noncompliant()
}

/// The URI that an authenticator app reads, usually from a QR code.
pub fn uri(secret: &[u8], email: &str) -> String {
    let escaped = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    format!(
        "otpauth://totp/{ISSUER}:{}?secret={}&issuer={ISSUER}&algorithm=SHA1&digits={DIGITS}&period={STEP_SECONDS}",
        escaped(email),
        base32(secret)
    )
}

/// Text of letters and digits that are hard to confuse (RFC 4648), without padding.
pub fn base32(bytes: &[u8]) -> String {
    Secret::from(bytes).to_base32()
}

/// A recovery code as it is shown: four groups of four.
pub fn recovery_code(random: &[u8; 32]) -> String {
    let code = base32(&random[..RECOVERY_BYTES]).to_lowercase();
    let groups: Vec<&str> =
        (0..code.len()).step_by(4).map(|at| &code[at..(at + 4).min(code.len())]).collect();
    groups.join("-")
}

/// The stored hash of a recovery code. It has 80 random bits, so a plain hash is enough.
pub fn recovery_hash(code: &str) -> KeyHash {
    let plain: String = code.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    key::hash(plain.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6238, appendix B, cut to six digits.
    const SECRET: &[u8] = b"12345678901234567890";

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    #[test]
    fn codes_are_those_of_the_standard() {
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
        ] {
            assert_eq!(step_of(SECRET, code, at(seconds), None), Some(seconds / 30));
        }
    }

    #[test]
    fn a_code_is_good_for_a_step_either_way_and_once() {
        let (now, step) = (at(1_111_111_111), 1_111_111_111 / 30);
        let code = "050471";
        assert_eq!(step_of(SECRET, &format!(" {} {} ", &code[..3], &code[3..]), now, None), Some(step));
        for seconds in [-30, 30] {
            assert_eq!(step_of(SECRET, code, at(now.seconds() + seconds), None), Some(step));
        }
        for seconds in [-90, 90] {
            assert_eq!(step_of(SECRET, code, at(now.seconds() + seconds), None), None);
        }
        assert_eq!(step_of(SECRET, code, now, Some(step)), None);
        assert_eq!(step_of(SECRET, code, now, Some(step - 1)), Some(step));
        for wrong in ["", "0", "000000", &code[1..], "５０４７１０"] {
            assert_eq!(step_of(SECRET, wrong, now, None), None, "{wrong}");
        }
    }

    #[test]
    fn a_secret_is_written_as_apps_read_it() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "MY"),
            (b"fo", "MZXQ"),
            (b"foo", "MZXW6"),
            (b"foob", "MZXW6YQ"),
            (b"fooba", "MZXW6YTB"),
            (b"foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(base32(bytes), text);
        }
        assert_eq!(
            uri(b"foobar", "ann@example.com"),
            "otpauth://totp/Frontdesk:ann%40example%2Ecom?secret=MZXW6YTBOI&issuer=Frontdesk&algorithm=SHA1&digits=6&period=30"
        );
    }

    #[test]
    fn a_recovery_code_is_the_same_however_it_is_typed() {
        let code = recovery_code(&[0xa5; 32]);
        assert_eq!(code.len(), 19);
        assert_eq!(code.matches('-').count(), 3);
        let bare = code.replace('-', " ").to_uppercase();
        assert_eq!(recovery_hash(&code), recovery_hash(&bare));
        assert_ne!(recovery_hash(&code), recovery_hash(&recovery_code(&[0xa6; 32])));
    }
}
