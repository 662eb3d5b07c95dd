/** The snippets are run, so that what a developer copies works. Rust is not: a compiler takes too long here. */
import { execFileSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { transformWithOxc } from 'vite';
import { describe, expect, it } from 'vitest';
import { SNIPPETS } from './snippets';

const codeOf = (language: string) => SNIPPETS.find((snippet) => snippet.language === language)?.code ?? '';
const secretOf = (key: Buffer) => `whsec_${key.toString('base64')}`;

const KEY = randomBytes(32);
const OTHER_KEY = randomBytes(32);
const BODY = '{"event_type":"contact.created","data":{"contact":{"name":"Zoë \\u0027"}}}';

function headersOf(keys: Buffer[], seconds = Math.floor(Date.now() / 1_000)) {
  const signed = `evt_1.${seconds}.${BODY}`;
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': keys
      .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
      .join(' '),
  };
}

/** What is verified, and whether it is genuine. */
const CASES: Array<[name: string, headers: Record<string, string>, body: string, genuine: boolean]> = [
  ['a signed body', headersOf([KEY]), BODY, true],
  ['either secret after a rotation', headersOf([OTHER_KEY, KEY]), BODY, true],
  ['a body that was changed', headersOf([KEY]), `${BODY} `, false],
  ['another secret', headersOf([OTHER_KEY]), BODY, false],
  ['an old request', headersOf([KEY], Math.floor(Date.now() / 1_000) - 3_600), BODY, false],
  ['no signature', { ...headersOf([KEY]), 'webhook-signature': '' }, BODY, false],
  ['a short signature', { ...headersOf([KEY]), 'webhook-signature': 'v1,AAAA' }, BODY, false],
];

const VERDICTS = CASES.map(([, , , genuine]) => genuine);

/** Gives the cases to a program, which says of each whether it is genuine. */
function run(command: string, args: string[]): unknown {
  const input = JSON.stringify(CASES.map(([, headers, body]) => [secretOf(KEY), headers, body]));
  return JSON.parse(execFileSync(command, args, { input, encoding: 'utf8' }));
}

describe('the snippets', () => {
  it('are in three languages', () => {
    expect(SNIPPETS.map(({ language }) => language)).toEqual(['TypeScript', 'Python', 'Rust']);
  });

  it('TypeScript tells genuine webhooks from others', async () => {
    const { code } = await transformWithOxc(codeOf('TypeScript'), 'verify.ts');
    const program = `${code}
import { readFileSync } from "node:fs";
const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([secret, headers, body]) => verify(secret, headers, body))));
`;
    expect(run(process.execPath, ['--input-type=module', '-e', program])).toEqual(VERDICTS);
  });

  it('Python tells genuine webhooks from others', () => {
    const program = `${codeOf('Python')}
import json, sys
print(json.dumps([verify(secret, headers, body.encode()) for secret, headers, body in json.load(sys.stdin)]))
`;
    expect(run('python3', ['-c', program])).toEqual(VERDICTS);
  });
});
