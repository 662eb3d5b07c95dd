/** A server of its own for a test file: the debug binary on SQLite in a fresh directory, with the Demo account. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const BINARY = resolve(process.env.FRONTDESK_BINARY ?? '../target/debug/frontdesk');
const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;

export type Role = 'admin' | 'agent';

export interface Said {
  text?: string;
  name?: string;
  media?: { kind: string; caption?: string };
  reaction?: { message_id: string; emoji: string };
}

/** A message that the business has sent, as the vendor's simulator has it. */
export interface Sent {
  channel_message_id: string;
  text: string | null;
  type: string;
  template: { name: string } | null;
  reply_to: string | null;
}

export class Server {
  readonly url: string;
  private readonly directory: string;
  private readonly port: number;
  private readonly database: string;
  private readonly more: Record<string, string>;
  private process: ChildProcess;
  private printed = '';

  private constructor(port: number, database: string | undefined, more: Record<string, string>) {
    if (!existsSync(BINARY)) throw new Error(`${BINARY} is missing. Build it: cargo build --bin frontdesk`);
    this.port = port;
    this.more = more;
    this.url = `http://127.0.0.1:${port}`;
    this.directory = mkdtempSync(join(tmpdir(), 'frontdesk-browser-'));
    this.database = database ?? `sqlite:${join(this.directory, 'frontdesk.db')}`;
    this.process = this.run();
  }

  private run(): ChildProcess {
    const child = spawn(BINARY, ['serve', '--listen', `127.0.0.1:${this.port}`], {
      env: { ...process.env, ...this.environment(), FRONTDESK_SANDBOX_CLOCK: 'true', FRONTDESK_LOG: 'warn' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (part: Buffer) => {
        this.printed += part.toString();
      });
    }
    return child;
  }

  /** Starts it on an empty database; without one, on SQLite. `more` are further variables. */
  static async start(database?: string, more: Record<string, string> = {}): Promise<Server> {
    const server = new Server(await freePort(), database, more);
    await server.becomeReady();
    return server;
  }

  private async becomeReady(): Promise<void> {
    const deadline = Date.now() + START_MS_MAX;
    while (!(await this.isReady())) {
      if (Date.now() > deadline || this.process.exitCode !== null) {
        throw new Error(`The server did not start:\n${this.printed}`);
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /** Goes on after `stopProcess`, with the same data at the same address. */
  async startAgain(): Promise<void> {
    this.process = this.run();
    await this.becomeReady();
  }

  private environment() {
    return { FRONTDESK_DATABASE: this.database, ...this.more };
  }

  private async isReady(): Promise<boolean> {
    const answer = await fetch(`${this.url}/readyz`).catch(() => null);
    return answer?.ok === true && this.printed.includes('#token=');
  }

  /** The link that signs the Demo owner in, once. */
  get ownerLink(): string {
    return this.found(/http\S+#token=[\w-]+/);
  }

  get key(): string {
    return this.found(/frontdesk_live_[\w-]+/);
  }

  private found(what: RegExp): string {
    const match = what.exec(this.printed);
    if (!match) throw new Error(`The server has not printed ${what}:\n${this.printed}`);
    return match[0];
  }

  /** Calls the public API with the Demo key. */
  async api<T = { id: string }>(method: string, path: string, body?: unknown): Promise<T> {
    return this.call<T>(method, `/api/v1${path}`, body, { authorization: `Bearer ${this.key}` });
  }

  /** Calls the public API as a member, with the cookie of their session. */
  async asMember<T = { id: string }>(
    cookie: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<T> {
    return this.call<T>(method, `/app/api/v1${path}`, body, { cookie, origin: this.url });
  }

  async sandbox<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    return this.call<T>(method, `/sandbox${path}`, body, {});
  }

  private async call<T>(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<T> {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { data: T };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.data;
  }

  /** Where a new deal begins. */
  async firstStage(): Promise<{ pipeline_id?: string; stage_id?: string }> {
    const [pipeline] = await this.api<Array<{ id: string; stages: Array<{ id: string }> }>>(
      'GET',
      '/pipelines',
    );
    return { pipeline_id: pipeline?.id, stage_id: pipeline?.stages[0]?.id };
  }

  /** A customer writes over WhatsApp. */
  async customerSays(phone: string, said: Said): Promise<void> {
    await this.sandbox('POST', `/customers/${encodeURIComponent(phone)}/messages`, said);
  }

  /** What the business has sent to a customer, oldest first. */
  sentTo(phone: string): Promise<Sent[]> {
    return this.sandbox<Sent[]>('GET', `/messages?to=${encodeURIComponent(phone)}`);
  }

  /** Moves the server's clock forward, and returns what it shows then. */
  async advance(seconds: number): Promise<Date> {
    const { now } = await this.sandbox<{ now: string }>('POST', '/clock', { advance_seconds: seconds });
    return new Date(now);
  }

  /** No assistant answers: the tests write for the business themselves. */
  async silenceAssistants(): Promise<void> {
    for (const { id } of await this.api<Array<{ id: string }>>('GET', '/assistants')) {
      await this.api('PATCH', `/assistants/${id}`, { enabled: false });
    }
  }

  /** Runs a statement in its SQLite database, also while it runs: the first column of what it finds. */
  sql(statement: string): string[] {
    const script = [
      'import sqlite3, sys',
      'base = sqlite3.connect(sys.argv[1], timeout=30)',
      'base.create_function("unhex", 1, bytes.fromhex)',
      'rows = base.execute(sys.stdin.read()).fetchall()',
      'base.commit()',
      'print("\\n".join(str(row[0]) for row in rows))',
    ].join('\n');
    const file = this.database.replace(/^sqlite:/, '');
    const found = execFileSync('python3', ['-c', script, file], { input: statement, encoding: 'utf8' });
    return found.trim().split('\n');
  }

  /** Runs a command of the command line against the same database. */
  cli(...args: string[]): string {
    const environment = { ...process.env, ...this.environment(), FRONTDESK_BASE_URL: this.url };
    return execFileSync(BINARY, args, { env: environment, encoding: 'utf8' });
  }

  /** The id of the Demo account. */
  get account(): string {
    const accounts = JSON.parse(this.cli('--json', 'account', 'list')) as Array<{ id: string; name: string }>;
    return accounts.find(({ name }) => name === 'Demo')?.id ?? '';
  }

  /** Adds a member and returns the link by which they set their password. */
  invite(name: string, email: string, role: Role = 'agent'): string {
    const added = this.cli(
      ...['--json', 'member', 'add', '--account', this.account],
      ...['--name', name, '--email', email, '--role', role],
    );
    return this.linkOf((JSON.parse(added) as { user_id: string }).user_id);
  }

  /** A link by which a member, named by id or email address, sets a password. */
  linkOf(member: string): string {
    const link = /http\S+#token=[\w-]+/.exec(this.cli('member', 'invite', member, '--print-link'));
    if (!link) throw new Error('The command printed no link.');
    return link[0];
  }

  /** Sets a password by a link, as its page does. */
  async setPassword(link: string, password: string): Promise<void> {
    await this.submit('/password', { token: link.split('#token=')[1], password });
  }

  /** Signs in as the page does, and returns the cookie. */
  async signIn(email: string, password: string): Promise<string> {
    const response = await this.submit('/session', { email, password });
    return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  }

  /** Calls a route of the dashboard that needs no session. */
  private async submit(path: string, body: unknown): Promise<Response> {
    const response = await fetch(`${this.url}/app/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.url },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async stop(): Promise<void> {
    await this.stopProcess();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async stopProcess(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const ended = new Promise((done) => this.process.once('exit', done));
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_MS_MAX);
    await ended;
    clearTimeout(timer);
  }
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
