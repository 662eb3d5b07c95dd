import { SignatureError } from "./errors.js";
import { type Event, readEvent } from "./generated/events.js";

/** How far a delivery's time may be from ours, either way. */
const TOLERANCE_SECONDS = 5 * 60;
const PREFIX = "whsec_";

/** The headers of a request, as servers give them. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

/**
 * Checks a delivery's signature and returns its event. Rejects with a `SignatureError` if it does not match.
 *
 * `body` must be the request's body as it arrived: JSON that was parsed and written again has other bytes. Several
 * secrets may be given while one replaces the other.
 */
export async function unwrap(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): Promise<Event> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature");
  if (!/^\d+$/.test(timestamp)) throw new SignatureError("The header webhook-timestamp is no time.");
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new SignatureError("The delivery is too old, or the clock of this machine is wrong.");
  }
  const encoder = new TextEncoder();
  const content = typeof body === "string" ? encoder.encode(body) : body;
  const head = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + content.length);
  signed.set(head);
  signed.set(content, head.length);
  const given = signatures.split(" ").filter((each) => each.startsWith("v1,"));
  for (const each of typeof secret === "string" ? [secret] : secret) {
    const hash = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytesOfSecret(each), hash, false, ["verify"]);
    for (const signature of given) {
      const bytes = decoded(signature.slice(3));
      // It compares in constant time.
      if (bytes !== undefined && (await crypto.subtle.verify("HMAC", key, bytes, signed))) {
        return readEvent(JSON.parse(new TextDecoder().decode(content)));
      }
    }
  }
  throw new SignatureError("The signature does not match. Check the secret, and that the body is as it arrived.");
}

function header(headers: WebhookHeaders, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const value = typeof found === "object" ? found?.[0] : found;
  if (!value) throw new SignatureError(`The header ${name} is missing.`);
  return value;
}

function bytesOfSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decoded(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!bytes?.length) throw new TypeError("The secret is no webhook secret. It begins with whsec_.");
  return bytes;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}
