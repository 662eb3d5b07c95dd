// Verifies deliveries with the Standard Webhooks library from npm: verify.js FILE
//
// FILE is a list of { secret, headers, body, now }, where `now` is null or what the clock shall show in Unix seconds.
// Prints a list: "genuine", or why not.

const { readFileSync } = require("node:fs");
const { Webhook, WebhookVerificationError } = require("standardwebhooks");

const realNow = Date.now;

function verdict({ secret, headers, body, now }) {
  // The library's idea of the time, for deliveries of a server whose clock was moved.
  Date.now = now === null ? realNow : () => now * 1000;
  try {
    new Webhook(secret).verify(body, headers);
    return "genuine";
  } catch (error) {
    if (error instanceof WebhookVerificationError) return `refused: ${error.message}`;
    throw error;
  }
}

console.log(JSON.stringify(JSON.parse(readFileSync(process.argv[2], "utf8")).map(verdict)));
