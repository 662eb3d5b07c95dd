/** An SMTP server that takes every mail, in the test's own process. */
import { createServer, type Server, type Socket } from 'node:net';

export interface Mail {
  to: string;
  /** The words as text. */
  text: string;
}

export class SmtpServer {
  readonly mails: Mail[] = [];
  private readonly server: Server = createServer((socket) => this.converse(socket));

  /** Starts it: the variables of a server that sends its mails here. */
  async start(): Promise<Record<string, string>> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    const address = this.server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return {
      FRONTDESK_SMTP_URL: `smtp://127.0.0.1:${port}`,
      FRONTDESK_MAIL_FROM: 'desk@desk.example.com',
    };
  }

  /** The newest mail to an address. */
  newest(to: string): Mail | undefined {
    return this.mails.findLast((mail) => mail.to === to);
  }

  stop(): void {
    this.server.close();
  }

  private converse(socket: Socket): void {
    let [pending, to, isWords] = ['', '', false];
    let words: string[] = [];
    const say = (line: string) => socket.write(`${line}\r\n`);
    socket.on('error', () => {});
    socket.on('data', (part) => {
      pending += part.toString();
      const lines = pending.split('\r\n');
      pending = lines.pop() ?? '';
      for (const line of lines) {
        if (isWords) {
          if (line !== '.') {
            words.push(line.replace(/^\./, ''));
            continue;
          }
          this.mails.push({ to, text: plainText(words.join('\r\n')) });
          [isWords, words] = [false, []];
          say('250 queued');
        } else if (line === 'DATA') {
          isWords = true;
          say('354 go on');
        } else if (line === 'QUIT') {
          say('221 goodbye');
          socket.end();
        } else {
          if (line.startsWith('RCPT')) to = /<(.*)>/.exec(line)?.[1] ?? '';
          say('250 yes');
        }
      }
    });
    say('220 mail.test');
  }
}

/** The part of a mail that is text. */
function plainText(source: string): string {
  const part = source.split('Content-Type: text/plain')[1] ?? '';
  const [head = '', ...rest] = part.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n').split('\r\n--')[0] ?? '';
  if (head.includes('base64')) return Buffer.from(body, 'base64').toString();
  if (!head.includes('quoted-printable')) return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
