/** How a website proves which of its users a visitor is: samples for its server and its pages. Pure. */
export const SIGNING_LANGUAGES = ['node', 'python', 'php'] as const;
export type SigningLanguage = (typeof SIGNING_LANGUAGES)[number];

export const LANGUAGE_NAMES: Record<SigningLanguage, string> = {
  node: 'Node.js',
  python: 'Python',
  php: 'PHP',
};

/** Each reads the secret from the environment: it belongs on the server, and in no page. */
export const SIGNING: Record<SigningLanguage, string> = {
  node: [
    "import { createHmac } from 'node:crypto';",
    '',
    'const secret = process.env.FRONTDESK_IDENTITY_SECRET;',
    "const userHash = createHmac('sha256', secret).update(userId).digest('hex');",
  ].join('\n'),
  python: [
    'import hashlib, hmac, os',
    '',
    "secret = os.environ['FRONTDESK_IDENTITY_SECRET']",
    'user_hash = hmac.new(secret.encode(), user_id.encode(), hashlib.sha256).hexdigest()',
  ].join('\n'),
  php: [
    "$secret = getenv('FRONTDESK_IDENTITY_SECRET');",
    "$userHash = hash_hmac('sha256', $userId, $secret);",
  ].join('\n'),
};

/** The server's snippet with the user and the signature, which the website's server fills in. */
export const signedSnippet = (snippet: string): string =>
  snippet.replace(/ async>/, ' data-user-id="USER_ID" data-user-hash="USER_HASH" async>');
