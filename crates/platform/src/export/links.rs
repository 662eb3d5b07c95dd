//! Signed links to media are secrets: whoever has one may read the file. An export names the file instead.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

/// The path of signed links, after which their token begins.
const LINK: &str = "/media/";
/// The length of a token in a link: an id, a time and a signature in base64.
const TOKEN_CHARS: usize = 54;
const ID_BYTES: usize = 16;

/// The line with the id of the file in place of each token. The archive has that file as `media/<id>` with its extension.
pub(super) fn without_tokens(line: String) -> String {
    if !line.contains(LINK) {
        return line;
    }
    let mut parts = line.split(LINK);
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        clean.push_str(LINK);
        let length =
            part.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte)).count();
        match named(&part[..length]) {
            Some(id) => {
                clean.push_str(&id.to_string());
                clean.push_str(&part[length..]);
            }
            None => clean.push_str(part),
        }
    }
    clean
}

/// The file that a token names.
fn named(token: &str) -> Option<Uuid> {
    let bytes = (token.len() == TOKEN_CHARS).then(|| URL_SAFE_NO_PAD.decode(token).ok())??;
    Uuid::from_slice(&bytes[..ID_BYTES]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_becomes_the_id_of_its_file() {
        let id = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001);
        let mut bytes = id.as_bytes().to_vec();
        bytes.extend([7; 24]);
        let token = URL_SAFE_NO_PAD.encode(&bytes);
        assert_eq!(token.len(), TOKEN_CHARS);
        let line = format!("{{\"a\":\"https://desk.example/media/{token}\",\"b\":\"/media/{token}\"}}");
        let clean = format!("{{\"a\":\"https://desk.example/media/{id}\",\"b\":\"/media/{id}\"}}");
        assert_eq!(without_tokens(line), clean);
        for kept in ["{}", "{\"a\":\"/media/short\"}", "{\"a\":\"https://x.example/media/\"}"] {
            assert_eq!(without_tokens(kept.to_owned()), kept);
        }
    }
}
