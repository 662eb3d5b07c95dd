import assert from "node:assert/strict";
import { test } from "node:test";
import { StreamResetError, UnauthorizedError } from "../dist/index.js";
import { SseParser } from "../dist/sse.js";
import { json, refusal, scripted } from "./helpers.mjs";

const event = (id, type = "contact.created") =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ event_id: id, event_type: type, data: {} })}\n\n`;

/** A connection that sends these pieces and then breaks or ends. */
const connection =
  (pieces, breaks = false) =>
  () => {
    const left = pieces.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
    const pull = (controller) => {
      if (left.length > 0) controller.enqueue(left.shift());
      else if (breaks) controller.error(new TypeError("terminated"));
      else controller.close();
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
  };

test("messages are read however they are cut into pieces", () => {
  const text =
    ": ping\r\n\r\nid: 1\r\nevent: a\r\ndata: x\r\ndata: y\r\n\r\nretry: 5\n\ndata:z\rid\r\rid: 2\ndata: unfinished";
  const whole = new SseParser().push(text);
  assert.deepEqual(
    whole.filter(({ data }) => data !== ""),
    [
      { id: "1", event: "a", data: "x\ny" },
      { id: "", event: "message", data: "z" },
    ],
  );
  const parser = new SseParser();
  assert.deepEqual(
    [...text].flatMap((each) => parser.push(each)),
    whole,
  );
});

const limit = { timeout: 20_000 };

test("a stream goes on after the last event when its connection breaks", limit, async () => {
  const zoe = new TextEncoder().encode(event("3").replace("{}", '{"name":"Zoë"}'));
  const cut = zoe.indexOf(0xc3) + 1;
  const { client, sent } = scripted([
    connection([": ping\n\n", event("1"), event("2").slice(0, 20)], true),
    new TypeError("refused"),
    connection([event("2"), zoe.slice(0, cut), zoe.slice(cut)]),
  ]);
  const stream = client.events.stream({ after: "0" });
  const seen = [];
  for await (const each of stream) {
    seen.push(each);
    assert.equal(stream.lastEventId, each.event_id);
    if (seen.length === 3) break;
  }
  assert.deepEqual(
    seen.map(({ event_id }) => event_id),
    ["1", "2", "3"],
  );
  assert.equal(seen[2].data.name, "Zoë");
  assert.deepEqual(
    sent.map(({ headers }) => headers.get("last-event-id")),
    ["0", "1", "1"],
  );
});

const page = (...ids) =>
  json(200, {
    data: ids.map((id) => ({ event_id: id, event_type: "contact.created", data: {} })),
    meta: { next_cursor: null, has_more: false, limit: 100 },
  });

async function idsOf(stream, count) {
  const ids = [];
  for await (const { event_id } of stream) if (ids.push(event_id) === count) break;
  return ids;
}

test("a stream that begins now misses nothing if its first connection breaks", limit, async () => {
  const { client, sent } = scripted([page("7"), connection([], true), connection([event("8")])]);
  assert.deepEqual(await idsOf(client.events.stream(), 1), ["8"]);
  assert.deepEqual(
    sent.slice(1).map(({ headers }) => headers.get("last-event-id")),
    ["7", "7"],
  );
});

test("a stream of an account without events lists what has happened since it began", limit, async () => {
  const { client } = scripted([
    page(),
    connection([], true),
    page(),
    connection([event("2"), event("3")]),
    page("2", "1"),
  ]);
  assert.deepEqual(await idsOf(client.events.stream(), 3), ["1", "2", "3"]);
});

test("a stream that the server cannot continue says so, with where to go on", limit, async () => {
  const { client } = scripted([connection(["id: 9\nevent: reset\ndata: {}\n\n"])]);
  const error = await client.events
    .stream({ after: "0" })
    [Symbol.asyncIterator]()
    .next()
    .then(assert.fail, (error) => error);
  assert.ok(error instanceof StreamResetError);
  assert.equal(error.lastEventId, "9");
});

test("a refusal ends a stream, and a busy server does not", limit, async () => {
  const { client, sent } = scripted([
    refusal(503, "internal", {}, { "retry-after": "0" }),
    refusal(401, "unauthorized"),
  ]);
  await assert.rejects(client.events.stream()[Symbol.asyncIterator]().next(), UnauthorizedError);
  assert.equal(sent.length, 2);
});

test("a signal ends a stream that is silent", limit, async () => {
  const controller = new AbortController();
  const { client } = scripted(["hang"]);
  const next = client.events.stream({}, { signal: controller.signal })[Symbol.asyncIterator]().next();
  setTimeout(() => controller.abort(new Error("enough")), 20);
  await assert.rejects(next, /enough/);
});

test("an event of a later version is unknown, and the stream goes on", limit, async () => {
  const { client } = scripted([connection([event("1", "contact.exploded"), event("2")])]);
  const types = [];
  for await (const each of client.events.stream({ after: "0" })) if (types.push(each.event_type) === 2) break;
  assert.deepEqual(types, ["unknown", "contact.created"]);
});
