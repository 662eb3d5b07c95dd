/**
 * Does one of the cases that every SDK passes: `node driver.js CASE`, with the case's input as JSON on the standard
 * input and its outcome as JSON on the last line of the standard output. The cases are in `e2e/tests/e2e/sdk_cases.rs`.
 */
import { readFileSync } from "node:fs";
import { ApiError, type Event, Frontdesk, RateLimitedError, webhooks } from "frontdesk";
import { samples, type Values } from "./generated/samples.js";

interface Input {
  base_url: string;
  api_key: string;
  values: Record<string, Record<string, string>>;
  phone: string;
  name: string;
  deliveries: { body: string; headers: Record<string, string>; secret: string }[];
  after: string;
  count: number;
  deal_id: string;
  cases: Attempts[];
}

/** A line of the table that says what is sent how often. */
interface Attempts {
  call: string;
  base_url: string;
  key?: string;
  max_retries?: number;
  timeout_ms?: number;
  cancel_ms?: number;
}

const NOBODY = "0190f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f";

const input: Input = JSON.parse(readFileSync(0, "utf8"));
const client = new Frontdesk({ baseUrl: input.base_url, apiKey: input.api_key });

/** The name of an error, which is the same in every language. */
function kind(error: unknown): string {
  return error instanceof Error ? error.name.replace(/Error$/, "") : String(error);
}

async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("The call succeeded.");
}

function refusal(error: unknown) {
  if (!(error instanceof ApiError)) throw error;
  const { status, code, reason, message, details, requestId } = error;
  return {
    kind: kind(error),
    status,
    code,
    reason,
    message,
    request_id: requestId,
    paths: details.map((each) => each.path),
  };
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const cases: Record<string, () => Promise<object>> = {
  async samples() {
    const outcomes: Record<string, string> = {};
    for (const [id, given] of Object.entries(input.values)) {
      const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [camel(name), value]));
      const sample = samples[id];
      try {
        if (sample === undefined) throw new Error("There is no sample.");
        await sample(client, values as unknown as Values);
        outcomes[id] = "ok";
      } catch (error) {
        outcomes[id] = error instanceof ApiError ? JSON.stringify(refusal(error)) : String(error);
      }
    }
    return { outcomes };
  },

  async pages() {
    const ids: string[] = [];
    for await (const contact of client.contacts.list({ limit: 2 })) ids.push(contact.id);
    const first = await client.contacts.list({ limit: 2 }).page();
    const second = await first.next();
    const all = await client.contacts.list({ limit: 2 }).toArray(3);
    return {
      ids,
      first: first.data.map(({ id }) => id),
      second: second?.data.map(({ id }) => id),
      has_more: first.hasMore,
      three: all.map(({ id }) => id),
    };
  },

  async refused() {
    const errors = [
      await failureOf(client.messages.send({ type: "text", to: { phone: input.phone }, text: "Hello" })),
      await failureOf(client.contacts.create({})),
      await failureOf(client.contacts.get(NOBODY)),
    ];
    return { refusals: errors.map(refusal) };
  },

  async limited() {
    const error = await failureOf(client.me.get({ maxRetries: 0 }));
    if (!(error instanceof RateLimitedError)) throw error;
    const begin = Date.now();
    const me = await client.me.get();
    return {
      first: { kind: kind(error), status: error.status, code: error.code, retry_after: error.retryAfter },
      account: me.account.id,
      waited_ms: Date.now() - begin,
      limit: client.rateLimit?.limit,
      remaining: client.rateLimit?.remaining,
    };
  },

  async killed() {
    const { data, response } = await client.contacts.create({ name: input.name }, { maxRetries: 8 }).withResponse();
    return { id: data.id, replayed: response.headers.get("idempotent-replayed") };
  },

  async attempts() {
    return { outcomes: await Promise.all(input.cases.map(attempted)) };
  },

  async slow() {
    const begin = Date.now();
    const deadline = await failureOf(client.me.get({ timeout: 300 }));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const cancelled = await failureOf(client.me.get({ signal: controller.signal }));
    return {
      deadline: kind(deadline),
      cancelled: cancelled === controller.signal.reason,
      elapsed_ms: Date.now() - begin,
    };
  },

  async webhook() {
    const events: object[] = [];
    for (const { body, headers, secret } of input.deliveries) {
      try {
        events.push(seen(await webhooks.unwrap(body, headers, secret)));
      } catch (error) {
        events.push({ refused: kind(error) });
      }
    }
    return { events };
  },

  async stream() {
    const ids: string[] = [];
    for await (const event of client.events.stream({ after: input.after })) {
      if (ids.push(event.event_id) >= input.count) break;
    }
    return { ids };
  },

  async unknown() {
    const deal = await client.deals.get(input.deal_id);
    const page = await client.events.list().page();
    const events = page.data.map(seen);
    return {
      status: deal.status,
      event_types: events.map((each) => each.event_type),
      known: events.map((each) => each.known),
    };
  },
};

/** Makes one call, and tells how it ends. */
async function attempted({ call, base_url, key, max_retries, timeout_ms, cancel_ms }: Attempts) {
  const { contacts } = new Frontdesk({ baseUrl: base_url, apiKey: input.api_key });
  const controller = new AbortController();
  if (cancel_ms !== undefined) setTimeout(() => controller.abort(), cancel_ms);
  const options = {
    signal: controller.signal,
    ...(key !== undefined && { idempotencyKey: key }),
    ...(max_retries !== undefined && { maxRetries: max_retries }),
    ...(timeout_ms !== undefined && { timeout: timeout_ms }),
  };
  const calls: Record<string, () => PromiseLike<unknown>> = {
    read: () => contacts.get(NOBODY, options),
    write: () => contacts.create({ name: "Ann" }, options),
    change: () => contacts.update(NOBODY, { name: "Ann" }, options),
    delete: () => contacts.delete(NOBODY, options),
    unkeyed: () => contacts.merge(NOBODY, { contact_id: NOBODY }, options),
  };
  const begin = performance.now();
  let ends = "ok";
  try {
    await calls[call]?.();
  } catch (error) {
    ends = error === controller.signal.reason ? "Cancelled" : kind(error);
  }
  return { ends, elapsed_ms: Math.round(performance.now() - begin) };
}

/** An event under the type that it arrived with. */
function seen(event: Event) {
  const known = event.event_type !== "unknown";
  return { event_type: known ? event.event_type : event.raw.event_type, event_id: event.event_id, known };
}

const run = cases[process.argv[2] ?? ""];
if (run === undefined) throw new Error(`There is no case ${process.argv[2]}.`);
process.stdout.write(`${JSON.stringify(await run())}\n`);
