import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, ConnectionError, Frontdesk, NotFoundError, RateLimitedError, TimeoutError } from "../dist/index.js";
import { json, refusal, scripted } from "./helpers.mjs";

const contact = { id: "c1", name: "Ann" };
const soon = { "retry-after": "0" };

test("an idempotency key is made once and kept over retries", async () => {
  const { client, sent } = scripted([
    refusal(503, "internal", {}, soon),
    refusal(409, "conflict", { reason: "idempotency_key_in_flight" }, soon),
    refusal(429, "rate_limited", {}, soon),
    json(201, { data: contact }),
  ]);
  assert.deepEqual(await client.contacts.create({ name: "Ann" }), contact);
  const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
  assert.equal(keys.length, 4);
  assert.match(keys[0], /^[0-9a-f-]{36}$/);
  assert.equal(new Set(keys).size, 1);
  assert.equal(sent[0].url, "http://desk.example/api/v1/contacts");
  assert.equal(sent[0].headers.get("authorization"), "Bearer frontdesk_live_x");
  assert.match(sent[0].headers.get("user-agent"), /^frontdesk-typescript\//);
});

test("a key that is given is used, and calls that take none send none", async () => {
  const { client, sent } = scripted([json(201, { data: contact }), json(200, { data: contact })]);
  await client.contacts.create({ name: "Ann" }, { idempotencyKey: "order-7" });
  await client.contacts.update("c1", { company: null });
  assert.equal(sent[0].headers.get("idempotency-key"), "order-7");
  assert.equal(sent[1].headers.get("idempotency-key"), null);
  assert.equal(sent[1].body, '{"company":null}');
});

test("what may have had an effect is not repeated without a key", async () => {
  for (const first of [refusal(503, "internal", {}, soon), new TypeError("broken")]) {
    const { client, sent } = scripted([first, json(200, { data: {} })]);
    await assert.rejects(client.deals.move("d1", { stage_id: "s1" }));
    assert.equal(sent.length, 1);
  }
  const { client, sent } = scripted([refusal(429, "rate_limited", {}, soon), json(200, { data: {} })]);
  await client.deals.move("d1", { stage_id: "s1" });
  assert.equal(sent.length, 2, "a refusal over the limit had none");
});

test("a change is not repeated without a key, unless nothing was sent", async () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  for (const [cause, requests] of [
    [new Error("read"), 1],
    [refused, 2],
  ]) {
    const { client, sent } = scripted([new TypeError("fetch failed", { cause }), json(200, { data: contact })]);
    const change = client.contacts.update("c1", { name: "Ann" });
    if (requests === 1) await assert.rejects(change, ConnectionError);
    else assert.deepEqual(await change, contact);
    assert.equal(sent.length, requests);
  }
});

test("an attempt without a response is given up, and another one is made", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, sent } = scripted(["hang", json(200, { data: contact })]);
  const call = client.contacts.get("c1");
  for (let second = 0; second < 32; second += 1) {
    assert.equal(sent.length, second <= 30 ? 1 : 2, `${second} seconds`);
    context.mock.timers.tick(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(await call, contact);
});

test("a deadline may be as long as one likes", async () => {
  const late = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return json(200, { data: contact })();
  };
  const { client } = scripted([late]);
  assert.deepEqual(await client.contacts.get("c1", { timeout: Number.POSITIVE_INFINITY }), contact);
});

test("other refusals are final, and typed by their code", async () => {
  const { client, sent } = scripted([refusal(404, "not_found", { details: [{ path: "id" }] })]);
  const error = await client.contacts.get("c1").then(assert.fail, (error) => error);
  assert.ok(error instanceof NotFoundError && error instanceof ApiError && error instanceof Error);
  assert.deepEqual(
    [error.status, error.code, error.requestId, error.details],
    [404, "not_found", "req_1", [{ path: "id" }]],
  );
  assert.equal(sent.length, 1);
});

test("a code of a later version and a page of a proxy are errors of the API without a type", async () => {
  const page = () => new Response("<html>Bad gateway</html>", { status: 502 });
  for (const [response, code] of [
    [refusal(418, "toString"), "toString"],
    [page, undefined],
  ]) {
    const { client } = scripted([response], { maxRetries: 0 });
    const error = await client.me.get().then(assert.fail, (error) => error);
    assert.equal(error.name, "ApiError");
    assert.equal(error.code, code);
  }
});

test("a wait beyond the deadline is not begun", async () => {
  const { client, sent } = scripted([refusal(429, "rate_limited", {}, { "retry-after": "61" })]);
  const error = await client.me.get({ timeout: 5_000 }).then(assert.fail, (error) => error);
  assert.ok(error instanceof RateLimitedError);
  assert.equal(error.retryAfter, 61);
  assert.equal(sent.length, 1);
});

test("a deadline and a signal end a call that hangs", async () => {
  const { client } = scripted(["hang", "hang", "hang"]);
  await assert.rejects(client.me.get({ timeout: 20 }), TimeoutError);
  const controller = new AbortController();
  const call = client.me.get({ signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  await assert.rejects(client.me.get({ signal: AbortSignal.abort(new Error("before")) }), /before/);
});

test("broken connections are told as such after the last retry", async () => {
  const { client, sent } = scripted([new TypeError("a"), new TypeError("b")], { maxRetries: 1 });
  await assert.rejects(client.me.get(), ConnectionError);
  assert.equal(sent.length, 2);
});

test("a redirect is not followed", async () => {
  const { client, sent } = scripted([
    () => new Response("", { status: 302, headers: { location: "http://evil.example" } }),
  ]);
  const error = await client.me.get().then(assert.fail, (error) => error);
  assert.equal(error.status, 302);
  assert.deepEqual(
    sent.map(({ redirect }) => redirect),
    ["manual"],
  );
});

test("an id cannot lead to another resource", async () => {
  const { client, sent } = scripted([json(200, { data: contact })]);
  for (const id of ["", ".", "..", undefined]) await assert.rejects(client.contacts.get(id), TypeError);
  await client.contacts.get("a/b?c");
  assert.deepEqual(
    sent.map(({ url }) => url),
    ["http://desk.example/api/v1/contacts/a%2Fb%3Fc"],
  );
});

test("the budget and the response are at hand", async () => {
  const headers = {
    "x-ratelimit-limit": "120",
    "x-ratelimit-remaining": "7",
    "x-ratelimit-reset": "1800000000",
    "x-request-id": "req_9",
  };
  const { client } = scripted([json(200, { data: contact }, headers)]);
  assert.equal(client.rateLimit, undefined);
  const { data, response } = await client.contacts.get("c1").withResponse();
  assert.deepEqual([data, response.status, response.requestId], [contact, 200, "req_9"]);
  assert.deepEqual(client.rateLimit, { limit: 120, remaining: 7, reset: new Date(1_800_000_000_000) });
});

test("a list reads a page when it is needed", async () => {
  const page = (rows, next) =>
    json(200, { data: rows, meta: { next_cursor: next, has_more: next !== null, limit: 2 } });
  const { client, sent } = scripted([page([1, 2], "x&y"), page([3], null), page([1, 2], "x&y")]);
  const rows = [];
  for await (const row of client.contacts.list({ q: "a b", limit: 2 })) rows.push(row);
  assert.deepEqual(rows, [1, 2, 3]);
  assert.ok(sent[1].url.endsWith("/contacts?q=a+b&limit=2&cursor=x%26y"), sent[1].url);
  assert.deepEqual(await client.contacts.list().toArray(2), [1, 2]);
  assert.equal(sent.length, 3);
});

test("a file may take longer than other calls, unless a deadline is set", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  for (const [options, seconds] of [
    [{}, 600],
    [{ timeout: 5_000 }, 5],
  ]) {
    const { client } = scripted(["hang"], options);
    let error;
    const upload = client.media.upload(new File(["Hello"], "hello.txt")).catch((cause) => {
      error = cause;
    });
    context.mock.timers.tick(seconds * 1_000 - 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(error, undefined);
    context.mock.timers.tick(1);
    await upload;
    assert.ok(error instanceof TimeoutError);
  }
});

test("a file is sent as a part of a form", async () => {
  const { client, sent } = scripted([json(201, { data: { id: "m1" } })]);
  await client.media.upload(new File(["Hello"], "hello.txt"));
  const file = sent[0].body.get("file");
  assert.deepEqual([file.name, await file.text()], ["hello.txt", "Hello"]);
  assert.equal(sent[0].headers.get("content-type"), null, "the form has a boundary of its own");
});

test("a client without a key or an address says what is missing", () => {
  assert.throws(() => new Frontdesk({ baseUrl: "http://desk.example" }), /FRONTDESK_API_KEY/);
  assert.throws(() => new Frontdesk({ apiKey: "x" }), /FRONTDESK_BASE_URL/);
});
