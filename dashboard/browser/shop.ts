/** A furniture shop at work: data as a business has it, for pictures. */
import { createHmac } from 'node:crypto';
import { Desk, says, uses } from './asking';
import { startReceiver } from './receiver';
import { eventually, PASSWORD, type Scene } from './scene';
import type { Said, Server } from './server';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY_MS = 86_400_000;

interface Person {
  name: string;
  phone: string;
  email?: string;
  company?: string;
  tags?: string[];
  says: Said[];
  /** What the business replies, and what the customer says then. */
  reply?: string;
  thanks?: string;
}

const PEOPLE: Person[] = [
  {
    name: 'Fatima Al-Rashid',
    phone: '+4915112345606',
    says: [{ text: 'Do you also deliver to Potsdam?' }],
    reply: 'We do, every Thursday. Delivery is free from 500 €.',
    thanks: 'Perfect, thank you!',
  },
  {
    name: 'Émile Laurent',
    phone: '+33612345678',
    company: 'Hôtel Laurent',
    says: [{ text: 'Bonjour, are the chairs from the catalogue still available in walnut?' }],
    reply: 'Bonjour Émile! Yes, forty of them. Shall I put some aside?',
  },
  {
    name: 'Dana Scully',
    phone: '+14155550123',
    says: [
      { text: 'The lamp arrived broken. What now?' },
      { media: { kind: 'image', caption: 'The shade' } },
    ],
  },
  {
    name: 'Chidi Okafor',
    phone: '+2348012345678',
    email: 'chidi@okafor.example',
    company: 'Okafor Interiors',
    tags: ['VIP', 'Wholesale'],
    says: [{ text: 'Good morning. Can you quote for twelve desks, delivered in May?' }],
    reply: 'Good morning Chidi! The quote is on its way to your inbox.',
    thanks: 'Received it. I will answer by Friday.',
  },
  {
    name: 'Bartholomäus von Hohenstein',
    phone: '+4915112345602',
    says: [{ text: 'Ist die Kommode in Eiche noch lieferbar? Ich hätte gern drei Stück.' }],
  },
  {
    name: 'Ann Weber',
    phone: '+4915112345601',
    email: 'ann@weber.example',
    company: 'Weber & Partner',
    tags: ['VIP'],
    says: [
      { text: 'Hello! Is the oak table from the window still available?' },
      { text: 'It would have to fit into this corner.' },
      { media: { kind: 'image', caption: 'The corner' } },
    ],
    reply: 'Good morning Ann! It is: *oak*, 180 × 90 cm, and it fits. We can deliver it on Thursday.',
    thanks: 'Wonderful, I will take it.',
  },
];

const DEALS: Array<[title: string, value: number, stage: number, person: string]> = [
  ['Oak table', 1_850, 2, 'Ann Weber'],
  ['Twelve desks for the new office', 14_400, 1, 'Chidi Okafor'],
  ['Forty walnut chairs', 9_600, 1, 'Émile Laurent'],
  ['Three chests of drawers', 2_370, 0, 'Bartholomäus von Hohenstein'],
  ['Shelves for the library', 3_200, 0, 'Fatima Al-Rashid'],
  ['Reception desk', 4_900, 2, 'Chidi Okafor'],
  ['Lamp, replacement', 240, 3, 'Dana Scully'],
];

const tagColors = { VIP: '#b45309', Wholesale: '#1d4ed8', Newsletter: '#15803d' };

/** Where each page is that has an id. */
export type ShopPaths = Record<
  | 'conversation'
  | 'conversation-long-name'
  | 'contact'
  | 'deal'
  | 'inquiry'
  | 'broadcast'
  | 'run'
  | 'assistant'
  | 'trigger'
  | 'endpoint'
  | 'web-chat'
  | 'form',
  string
>;

/** Webhooks may go to this machine. Call it before the server starts. */
export function allowLocalWebhooks(): void {
  process.env.FRONTDESK_ALLOW_PRIVATE_TARGETS = 'true';
}

/** Fills the Demo account. Takes three hours by the server's clock. */
export async function openShop(scene: Scene): Promise<{ paths: ShopPaths; now: Date }> {
  const { server } = scene;
  const desk = new Desk(scene);
  await desk.open();
  const assistant = desk.assistantId;
  await server.api('PATCH', `/assistants/${assistant}`, {
    enabled: false,
    system_prompt:
      'You are Robin, who answers for Oak & Sons, a furniture shop in Berlin. Be brief and warm. Never promise a delivery date without looking at the calendar.',
  });
  const tags = new Map<string, string>();
  for (const [name, color] of Object.entries(tagColors)) {
    tags.set(name, (await server.api('POST', '/tags', { name, color })).id);
  }
  const field = await server.api('POST', '/custom-fields', { name: 'Order number', type: 'text' });
  await server.api('POST', '/canned-replies', {
    shortcut: 'hours',
    body: 'We are open from nine to six, {{contact.name}}.',
  });
  await server.api('POST', '/canned-replies', {
    shortcut: 'delivery',
    body: 'We deliver every Thursday, free from 500 €.',
  });
  const email = await scene.login('Mara Lindqvist');
  const mara = await server.signIn(email, PASSWORD);

  await newsletterReaders(server, tags.get('Newsletter') ?? '');
  const broadcast = await server.api('POST', '/broadcasts', {
    name: 'Open house on Saturday',
    template: { name: 'appointment_reminder' },
    variables: {
      1: { type: 'field', value: 'name', fallback: 'there' },
      2: { type: 'static', value: 'Saturday at ten' },
    },
    audience: { type: 'tags', tag_ids: [tags.get('Newsletter')] },
  });
  await eventually(
    () => server.api<{ status: string }>('GET', `/broadcasts/${broadcast.id}`),
    ({ status }) => status === 'sent',
  );

  const people = new Map<string, { id: string; conversation: string }>();
  for (const person of PEOPLE) {
    const { id } = await server.api('POST', '/contacts', {
      name: person.name,
      phone: person.phone,
      ...(person.email && { email: person.email }),
      ...(person.company && { company: person.company }),
      tag_ids: (person.tags ?? []).map((tag) => tags.get(tag)),
      ...(person.name === 'Ann Weber' && {
        custom_fields: { [field.id]: 'A-2026-00042' },
      }),
    });
    people.set(person.name, { id, conversation: await converse(server, person, id, mara) });
    await server.advance(17 * MINUTE);
  }
  const ann = people.get('Ann Weber') ?? { id: '', conversation: '' };
  await server.asMember(mara, 'POST', `/conversations/${ann.conversation}/notes`, {
    body: 'Prefers mornings. Gave her 5 % last time.',
  });
  await server.api('POST', `/contacts/${ann.id}/notes`, { body: 'Met at the fair in Cologne.' });

  const [pipeline] = await server.api<Array<{ id: string; stages: Array<{ id: string }> }>>(
    'GET',
    '/pipelines',
  );
  const deals: string[] = [];
  for (const [title, value, stage, person] of DEALS) {
    const deal = await server.api('POST', '/deals', {
      title,
      value,
      currency: 'EUR',
      contact_id: people.get(person)?.id,
      pipeline_id: pipeline?.id,
      stage_id: pipeline?.stages[stage % (pipeline?.stages.length ?? 1)]?.id,
    });
    deals.push(deal.id);
  }
  await negotiate(server, mara, deals[1] ?? '');
  const chat = webChat(server);
  const form = await quoteForm(server, scene);
  const inquiry = await server.api('POST', '/inquiries', {
    name: 'Jo Park',
    email: 'jo@park.example',
    message:
      'A quote for twelve desks, please. They should fit into a room of four by nine metres, and we need them by May.',
  });
  await server.api('POST', '/inquiries', {
    name: 'Sofia Marin',
    email: 'sofia@marin.example',
    message: 'Do you restore old chairs, too? I have six from my grandmother.',
  });
  await bookings(server);

  const [segment] = await server.api<Array<{ id: string }>>('GET', '/segments');
  const { trigger } = await server.api<{ trigger: { id: string } }>('POST', '/triggers', {
    assistant_id: assistant,
    name: 'Ask how the delivery went',
    kind: 'recurring',
    period: 'weekly',
    day_of_week: 5,
    send_time: '17:00',
    ...(segment && { audience_type: 'segment', segment_id: segment.id }),
    goal: 'Ask the customer whether everything arrived well.',
  });

  await server.api('PATCH', `/assistants/${assistant}`, { enabled: true });
  const run = await worksFor(desk, ann.id);
  await desk.deletes('Old quote for Hôtel Laurent');

  const endpoint = await server.api('POST', '/webhooks', {
    url: (await startReceiver()).url,
    description: 'Our own shop system',
  });
  await server.api('POST', `/webhooks/${endpoint.id}/test`);
  await server.api('PATCH', `/contacts/${ann.id}`, { company: 'Weber & Partner' });
  const now = await server.advance(1);
  return {
    now,
    paths: {
      conversation: `/inbox/${ann.conversation}`,
      'conversation-long-name': `/inbox/${people.get('Bartholomäus von Hohenstein')?.conversation}`,
      contact: `/contacts/${ann.id}`,
      deal: `/deals/${deals[1]}`,
      inquiry: `/inquiries/${inquiry.id}`,
      broadcast: `/broadcasts/${broadcast.id}`,
      run: `/runs/${run}`,
      assistant: `/assistants/${assistant}`,
      trigger: `/triggers/${trigger.id}`,
      endpoint: `/developers/webhooks/${endpoint.id}`,
      'web-chat': `/settings/channels/${chat}`,
      form: `/settings/forms/${form}`,
    },
  };
}

/** A deal whose page shows what happened to it. */
async function negotiate(server: Server, mara: string, deal: string): Promise<void> {
  for (const change of [
    { value: 12_900 },
    { title: 'Twelve oak desks for the new office' },
    { value: 14_400 },
  ]) {
    await server.advance(21 * MINUTE);
    await server.asMember(mara, 'PATCH', `/deals/${deal}`, change);
  }
  await server.api('PATCH', `/deals/${deal}`, {
    title: 'Twelve desks for the new office',
    expected_close_date: (await server.advance(MINUTE)).toISOString().slice(0, 10),
  });
}

/** A chat for the shop's website. Returns its id. */
function webChat(server: Server): string {
  const made = JSON.parse(server.cli('--json', 'channel', 'connect', '--channel', 'web_chat'));
  return (made as { connection_id: string }).connection_id;
}

/** A form with fields of its own. Returns its id. */
async function quoteForm(server: Server, scene: Scene): Promise<string> {
  const made = JSON.parse(server.cli('--json', 'form', 'create', '--name', 'Ask for a quote'));
  const { form_id: id } = made as { form_id: string };
  const owner = await scene.owner();
  await owner.evaluate(
    ([path, body]) =>
      fetch(path, { method: 'PATCH', headers: { 'content-type': 'application/json' }, body }).then(
        (response) => response.ok || Promise.reject(new Error(`${response.status}`)),
      ),
    [
      `/app/api/admin/forms/${id}`,
      JSON.stringify({
        button_text: 'Ask for a quote',
        fields: [
          { key: 'name', label: 'Your name', required: true },
          { key: 'email', label: 'Email', required: true },
          {
            key: 'wood',
            type: 'choice',
            label: 'Wood',
            options: ['Oak', 'Walnut', 'Beech'],
            required: false,
          },
          { key: 'message', label: 'What do you need?', required: true },
        ],
      }),
    ] as const,
  );
  await owner.context().close();
  return id;
}

/** People who have not written, and get the newsletter. */
async function newsletterReaders(server: Server, tag: string): Promise<void> {
  const readers = [
    'Grace Hopper',
    'Hanna Schulz',
    'Ivo Novák',
    'Jasmin Yılmaz',
    'Kofi Mensah',
    'Lucia Rossi',
  ];
  for (const [index, name] of readers.entries()) {
    await server.api('POST', '/contacts', { name, phone: `+49151200000${10 + index}`, tag_ids: [tag] });
  }
}

/** A customer writes and may be answered. Returns the id of the conversation. */
async function converse(server: Server, person: Person, contact: string, mara: string): Promise<string> {
  for (const said of person.says) {
    await server.customerSays(person.phone, said);
    await server.advance(MINUTE);
  }
  const [conversation] = await eventually(
    () => server.api<Array<{ id: string }>>('GET', `/conversations?contact_id=${contact}`),
    (found) => found.length === 1,
  );
  const id = conversation?.id ?? '';
  if (person.reply) {
    await server.asMember(mara, 'POST', '/messages', {
      to: { conversation_id: id },
      type: 'text',
      text: person.reply,
    });
    await eventually(
      () => server.sentTo(person.phone),
      (sent) => sent.length > 0,
    );
    await server.advance(3 * MINUTE);
  }
  if (person.thanks) await server.customerSays(person.phone, { text: person.thanks });
  return id;
}

/** A run with several tools. Returns its id. */
async function worksFor(desk: Desk, contact: string): Promise<string> {
  const goal =
    'Prepare the delivery of the oak table: look up the customer and her deal, and note what is agreed.';
  await desk.script(
    { ...uses('get_contact', { contact_id: contact }), match: 'oak table' },
    { ...uses('search_deals', { q: 'Oak table' }), match: 'oak table' },
    {
      ...uses('add_note', { contact_id: contact, body: 'Delivery agreed for Thursday.' }),
      match: 'oak table',
    },
    { ...says('The delivery is agreed for Thursday, and noted.'), match: 'oak table' },
  );
  const run = await desk.starts({ goal, contact_id: contact });
  await desk.becomes(run, 'succeeded');
  return run;
}

/** Cal.com reports three bookings. */
async function bookings(server: Server): Promise<void> {
  const source = JSON.parse(
    server.cli('--json', 'booking-source', 'create', '--account', server.account),
  ) as { url: string; secret: string };
  const from = (await server.advance(HOUR)).getTime();
  for (const [uid, title, days] of [
    ['a', 'Consultation', 1],
    ['b', 'Showroom visit', 1],
    ['c', 'Delivery', 4],
  ] as const) {
    const start = new Date(from + days * DAY_MS);
    const body = JSON.stringify({
      triggerEvent: 'BOOKING_CREATED',
      createdAt: new Date(from).toISOString(),
      payload: {
        uid,
        title,
        startTime: start.toISOString(),
        endTime: new Date(start.getTime() + 1_800_000).toISOString(),
        attendees: [
          {
            name: 'Ann Weber',
            email: 'ann@weber.example',
            timeZone: 'Europe/Berlin',
            language: { locale: 'en' },
          },
        ],
        organizer: { name: 'Oak & Sons', email: 'hello@oak.example' },
        status: 'ACCEPTED',
      },
    });
    const signature = createHmac('sha256', source.secret).update(body).digest('hex');
    await fetch(server.url + new URL(source.url).pathname, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-cal-signature-256': signature },
    });
  }
}
