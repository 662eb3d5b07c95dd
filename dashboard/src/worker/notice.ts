/** What a notification says: the sentences for what the server has pushed. Pure. */

export interface Notice {
  kind: 'mention' | 'assignment' | 'message' | 'handed_off' | 'ask' | 'test';
  language: string;
  /** Where a click leads, below `/app/`. */
  path: string;
  tag: string;
  conversation_id?: string;
  /** The customer, or the assistant that asks. */
  name?: string;
  /** The colleague who did it. */
  actor?: string;
  ask?: 'approval' | 'question';
  /** Only on a device that is to show the words. */
  text?: string;
  unread: number;
}

interface Sentences {
  somebody: string;
  customer: string;
  assistant: string;
  message: (name: string) => string;
  mention: (actor: string) => string;
  assignment: (actor: string | undefined) => string;
  handedOff: string;
  approval: (assistant: string) => string;
  question: (assistant: string) => string;
  test: string;
  testBody: string;
  about: (name: string) => string;
  open: string;
}

const SENTENCES: Record<string, Sentences> = {
  en: {
    somebody: 'Somebody',
    customer: 'a customer',
    assistant: 'An assistant',
    message: (name) => `New message from ${name}`,
    mention: (actor) => `${actor} mentioned you`,
    assignment: (actor) =>
      actor ? `${actor} assigned a conversation to you` : 'A conversation was assigned to you',
    handedOff: 'A conversation waits for a person',
    approval: (assistant) => `${assistant} asks for an approval`,
    question: (assistant) => `${assistant} has a question`,
    test: 'Notifications work',
    testBody: 'This is how Frontdesk tells you about news on this device.',
    about: (name) => `About ${name}`,
    open: 'Open',
  },
  de: {
    somebody: 'Jemand',
    customer: 'einem Kunden',
    assistant: 'Ein Assistent',
    message: (name) => `Neue Nachricht von ${name}`,
    mention: (actor) => `${actor} hat Sie erwähnt`,
    assignment: (actor) =>
      actor ? `${actor} hat Ihnen ein Gespräch zugewiesen` : 'Ihnen wurde ein Gespräch zugewiesen',
    handedOff: 'Ein Gespräch wartet auf einen Menschen',
    approval: (assistant) => `${assistant} bittet um eine Freigabe`,
    question: (assistant) => `${assistant} hat eine Frage`,
    test: 'Benachrichtigungen funktionieren',
    testBody: 'So meldet Frontdesk auf diesem Gerät, was es Neues gibt.',
    about: (name) => `Es geht um ${name}`,
    open: 'Öffnen',
  },
};

const KINDS: readonly string[] = ['mention', 'assignment', 'message', 'handed_off', 'ask', 'test'];

/** What was pushed; null if it is nothing that this version knows. */
export function readNotice(pushed: unknown): Notice | null {
  const notice = pushed as Partial<Notice> | null;
  if (typeof notice !== 'object' || notice === null) return null;
  const isKnown = KINDS.includes(notice.kind ?? '') && typeof notice.path === 'string';
  return isKnown ? ({ language: 'en', tag: '', unread: 0, ...notice } as Notice) : null;
}

export interface Shown {
  title: string;
  body: string;
  action: string;
}

export function sentencesOf(notice: Notice): Shown {
  const words = SENTENCES[notice.language] ?? (SENTENCES.en as Sentences);
  const { name, actor, text } = notice;
  const about = name ? words.about(name) : '';
  const shown = (title: string, body: string): Shown => ({ title, body, action: words.open });
  switch (notice.kind) {
    case 'message':
      return shown(words.message(name ?? words.customer), text ?? '');
    case 'mention':
      return shown(words.mention(actor ?? words.somebody), text ?? about);
    case 'assignment':
      return shown(words.assignment(actor), about);
    case 'handed_off':
      return shown(words.handedOff, about);
    case 'ask': {
      const asks = notice.ask === 'question' ? words.question : words.approval;
      return shown(asks(name ?? words.assistant), text ?? '');
    }
    case 'test':
      return shown(words.test, words.testBody);
  }
}
