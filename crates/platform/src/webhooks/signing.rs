//! Signatures of the Standard Webhooks scheme.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use frontdesk_kernel::Secret;
use frontdesk_kernel::mac::Mac;

const PREFIX: &str = "whsec_";

/// Writes random bytes as a signing secret.
pub fn mint(random: &[u8; 32]) -> Secret {
    Secret::new(format!("{PREFIX}{}", STANDARD.encode(random)))
}

/// The value of `webhook-signature`: one signature per secret, so that the old secret still verifies after a
/// rotation.
pub fn signature(secrets: &[Secret], id: &str, timestamp: i64, body: &[u8]) -> String {
    let signed: Vec<String> =
        secrets.iter().map(|secret| format!("v1,{}", sign(secret, id, timestamp, body))).collect();
    signed.join(" ")
}

fn sign(secret: &Secret, id: &str, timestamp: i64, body: &[u8]) -> String {
    let text = secret.reveal();
    let key = STANDARD.decode(text.strip_prefix(PREFIX).unwrap_or(text)).unwrap_or_default();
    let mac = Mac::new(&key).chain(format!("{id}.{timestamp}.").as_bytes()).chain(body);
    STANDARD.encode(mac.tag::<32>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_signs_as_the_scheme_s_own_example() {
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let body = br#"{"test": 2432232314}"#;
        let signed = signature(&[secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn two_secrets_make_two_signatures() {
        let (old, new) = (mint(&[1; 32]), mint(&[2; 32]));
        let both = signature(&[new.clone(), old.clone()], "evt_1", 1, b"{}");
        assert_eq!(
            both,
            format!("{} {}", signature(&[new], "evt_1", 1, b"{}"), signature(&[old], "evt_1", 1, b"{}"))
        );
    }
}
