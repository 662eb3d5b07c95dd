/**
 * Code that verifies a webhook, by the Standard Webhooks scheme: the signature is the HMAC-SHA256 of
 * `id.timestamp.body` under the secret without its prefix. After a rotation the header has two signatures.
 */
const TYPESCRIPT = `import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 5 * 60;

/** \`body\` is the raw body of the request: parse it only after this has returned true. */
export function verify(secret: string, headers: Record<string, string>, body: string): boolean {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some((each) => {
    const [version, signature] = each.split(",");
    const given = Buffer.from(signature ?? "", "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`;

const PYTHON = `import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 5 * 60


def verify(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """\`body\` is the raw body of the request: parse it only after this has returned True."""
    message_id = headers["webhook-id"]
    timestamp = headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    for each in headers["webhook-signature"].split(" "):
        version, _, signature = each.partition(",")
        if version == "v1" and hmac.compare_digest(signature, expected):
            return True
    return False
`;

const RUST = `// Cargo.toml: base64 = "0.22", hmac = "0.13", sha2 = "0.11"
use std::time::{SystemTime, UNIX_EPOCH};

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const TOLERANCE_SECONDS: u64 = 5 * 60;

/// \`body\` is the raw body of the request: parse it only after this has returned true. The other
/// arguments are the secret and the headers webhook-id, webhook-timestamp and webhook-signature.
pub fn verify(secret: &str, id: &str, timestamp: &str, signatures: &str, body: &[u8]) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    if timestamp.parse().map_or(true, |sent: u64| now.abs_diff(sent) > TOLERANCE_SECONDS) {
        return false;
    }
    let Ok(key) = STANDARD.decode(secret.trim_start_matches("whsec_")) else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else {
        return false;
    };
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    signatures
        .split(' ')
        .filter_map(|each| STANDARD.decode(each.strip_prefix("v1,")?).ok())
        .any(|given| mac.clone().verify_slice(&given).is_ok())
}
`;

export const SNIPPETS = [
  { language: 'TypeScript', code: TYPESCRIPT },
  { language: 'Python', code: PYTHON },
  { language: 'Rust', code: RUST },
] as const;
