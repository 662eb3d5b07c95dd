import { Frontdesk } from "../dist/index.js";

/** A client whose requests are answered by these responses in turn, and what it has sent. */
export function scripted(responses, options = {}) {
  const sent = [];
  const left = [...responses];
  const fetch = async (url, init) => {
    sent.push({ url, method: init.method, headers: init.headers, body: init.body, redirect: init.redirect });
    const next = left.shift();
    if (next === undefined) throw new Error("There is no further response.");
    if (next === "hang") {
      return await new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason)));
    }
    if (next instanceof Error) throw next;
    return next();
  };
  const client = new Frontdesk({ baseUrl: "http://desk.example/", apiKey: "frontdesk_live_x", fetch, ...options });
  return { client, sent };
}

/** A response of JSON. */
export const json =
  (status, body, headers = {}) =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

/** A refusal as the API words it. */
export const refusal = (status, code, more = {}, headers = {}) =>
  json(status, { error: { code, message: "It does not work.", request_id: "req_1", ...more } }, headers);
