import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { SignatureError, webhooks } from "../dist/index.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const envelope = {
  event_id: "evt_1",
  event_type: "contact.created",
  created_at: "2026-01-31T09:30:00.000Z",
  account_id: "a",
  api_version: "v1",
};
const body = JSON.stringify({ ...envelope, data: { contact: { name: "Zoë 🎉" } } });

/** The headers of a delivery that the reference library has signed. */
function signed(text = body, secret = SECRET, at = new Date()) {
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("evt_1", at, text),
  };
}

test("what the reference library signs is verified, in every form of a body and of headers", async () => {
  const headers = signed();
  const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const given of [headers, new Headers(headers), shouted]) {
    for (const form of [body, new TextEncoder().encode(body), Buffer.from(body)]) {
      const event = await webhooks.unwrap(form, given, SECRET);
      assert.equal(event.event_type, "contact.created");
      assert.equal(event.data.contact.name, "Zoë 🎉");
    }
  }
});

test("what the reference library refuses is refused", async () => {
  const early = new Date(Date.now() - 6 * 60_000);
  const late = new Date(Date.now() + 6 * 60_000);
  const cases = [
    [`${body} `, signed(), SECRET],
    [body, signed(), OTHER],
    [body, signed(body, SECRET, early), SECRET],
    [body, signed(body, SECRET, late), SECRET],
    [body, { ...signed(), "webhook-id": "evt_2" }, SECRET],
    [body, { ...signed(), "webhook-timestamp": "soon" }, SECRET],
    [body, { ...signed(), "webhook-signature": "v1,%%% v2,AAAA v1," }, SECRET],
    [body, { ...signed(), "webhook-signature": undefined }, SECRET],
  ];
  for (const [text, headers, secret] of cases) {
    assert.throws(() => new Webhook(secret).verify(text, headers));
    await assert.rejects(webhooks.unwrap(text, headers, secret), SignatureError);
  }
});

test("one of several signatures and one of several secrets is enough", async () => {
  const both = {
    ...signed(),
    "webhook-signature": `${signed(body, OTHER)["webhook-signature"]} ${signed()["webhook-signature"]}`,
  };
  assert.equal((await webhooks.unwrap(body, both, SECRET)).event_id, "evt_1");
  assert.equal((await webhooks.unwrap(body, signed(), [OTHER, SECRET])).event_id, "evt_1");
});

test("an event of a later version is unknown, and no error", async () => {
  for (const type of ["contact.exploded", "unknown", "toString"]) {
    const text = JSON.stringify({ ...envelope, event_type: type, data: [1] });
    const event = await webhooks.unwrap(text, signed(text), SECRET);
    assert.equal(event.event_type, "unknown");
    assert.deepEqual([event.raw.event_type, event.raw.data, event.event_id], [type, [1], "evt_1"]);
  }
});

test("a secret that is none is a mistake of the program", async () => {
  for (const secret of ["", "whsec_", "%%%"]) await assert.rejects(webhooks.unwrap(body, signed(), secret), TypeError);
});
