/** A call that fires a webhook trigger. The same `webhook-id` fires once, so that a retry is safe. */
export function hookCommand(url: string): string {
  return [
    `curl -X POST '${url}' \\`,
    "  -H 'Content-Type: application/json' \\",
    "  -H 'webhook-id: order-42' \\",
    `  -d '{ "order": 42, "phone": "+14155550123" }'`,
  ].join('\n');
}
