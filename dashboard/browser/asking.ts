/** Assistants that wait for a person, for tests in a browser: the sandbox's model does as it is told. */
import { eventually, type Scene } from './scene';

export interface Turn {
  text?: string;
  tool_calls?: Array<{ name: string; arguments: unknown }>;
  match?: string;
}

interface Ask {
  id: string;
  status: string;
  run_id: string;
}

interface Waiting {
  run: string;
  goal: string;
  ask: string;
}

export const says = (text: string): Turn => ({ text });
export const uses = (name: string, args: unknown): Turn => ({ tool_calls: [{ name, arguments: args }] });

export class Desk {
  private readonly scene: Scene;
  assistantId = '';
  private runs = 0;
  constructor(scene: Scene) {
    this.scene = scene;
  }

  /** The Demo assistant, which may delete deals: that needs an approval each time. */
  async open(): Promise<void> {
    const { server } = this.scene;
    const [assistant] = await server.api<Array<{ id: string }>>('GET', '/assistants');
    this.assistantId = assistant?.id ?? '';
    await server.api('PATCH', `/assistants/${this.assistantId}`, {
      tool_access: { delete_deal: true, start_broadcast: true },
    });
  }

  /** What the model says next, one turn after the other. */
  async script(...turns: Turn[]): Promise<void> {
    await this.scene.server.sandbox('PUT', '/model', { turns });
  }

  async starts(more: Record<string, unknown> = {}): Promise<string> {
    const body = { assistant_id: this.assistantId, goal: 'Tidy up.', ...more };
    return (await this.scene.server.api('POST', '/runs', body)).id;
  }

  becomes(run: string, status: string): Promise<{ pending_asks: Ask[]; result: string | null }> {
    return eventually(
      () =>
        this.scene.server.api<{ status: string; pending_asks: Ask[]; result: string | null }>(
          'GET',
          `/runs/${run}`,
        ),
      (now) => now.status === status,
    );
  }

  /** A run that waits for its first ask. */
  async waits(turns: Turn[], more?: Record<string, unknown>): Promise<Waiting> {
    // By its goal: another run that goes on meanwhile must not take these turns.
    this.runs += 1;
    const goal = `Tidy up number ${this.runs}.`;
    await this.script(...turns.map((turn) => ({ ...turn, match: goal })));
    const run = await this.starts({ goal, ...more });
    const { pending_asks: asks } = await this.becomes(run, 'waiting');
    return { run, goal, ask: asks[0]?.id ?? '' };
  }

  /** A run that waits to delete a deal of its own. */
  async deletes(title: string, more?: Record<string, unknown>) {
    const { server } = this.scene;
    const deal = await server.api('POST', '/deals', { title, ...(await server.firstStage()) });
    const waiting = await this.waits([uses('delete_deal', { deal_id: deal.id }), says('So it is.')], more);
    return { ...waiting, deal: deal.id };
  }

  ask(id: string): Promise<Ask & { answer: string | null }> {
    return this.scene.server.api('GET', `/asks/${id}`);
  }

  async isGone(deal: string): Promise<boolean> {
    const deals = await this.scene.server.api<Array<{ id: string }>>('GET', '/deals?limit=100');
    return !deals.some(({ id }) => id === deal);
  }

  /** A customer who has written and was answered, with the conversation. */
  async customer(name: string, phone: string): Promise<{ id: string; conversation: string }> {
    const { server } = this.scene;
    const { id } = await server.api('POST', '/contacts', { name, phone });
    await server.customerSays(phone, { text: 'Please cancel my order.' });
    const [talk] = await eventually(
      () => server.api<Array<{ id: string }>>('GET', `/conversations?contact_id=${id}`),
      (found) => found.length === 1,
    );
    await eventually(
      () => server.sentTo(phone),
      (sent) => sent.length > 0,
    );
    return { id, conversation: talk?.id ?? '' };
  }
}
