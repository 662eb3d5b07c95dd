import { describe, expect, it } from 'vitest';
import { accountServer, deal, page } from '@/testing/data';
import { control, press, renderApp, text, waitFor } from '@/testing/render';
import { Refusal } from '@/testing/server';

const column = (name: string) => document.querySelector(`section[aria-label="${name}"]`)?.textContent ?? '';

describe('the board', () => {
  it('moves a deal by keyboard and says so', async () => {
    const server = accountServer().on('POST /deals/{id}/move', { data: { ...deal, stage_id: 's2' } });
    await renderApp(server, '/deals');
    await press('ArrowRight', { altKey: true }, await control('a', 'Forty chairs'));
    await waitFor(() => column('Offer').includes('Forty chairs'), 'the deal in its new stage');
    expect(column('Lead')).not.toContain('Forty chairs');
    expect(server.last('POST /deals/{id}/move')?.body).toEqual({ stage_id: 's2' });
    await text('Forty chairs moved to Offer.');
  });

  it('moves it back with the reason when the server refuses', async () => {
    const server = accountServer().on(
      'POST /deals/{id}/move',
      () => new Refusal(409, { code: 'conflict', message: 'The deal is closed.' }),
    );
    await renderApp(server, '/deals');
    await press('ArrowRight', { altKey: true }, await control('a', 'Forty chairs'));
    await text('The deal is closed.');
    await waitFor(() => column('Lead').includes('Forty chairs'), 'the deal in its old stage');
  });

  it('shows what a colleague has moved', async () => {
    const server = accountServer();
    await renderApp(server, '/deals');
    await text('Forty chairs');
    server.on('GET /deals', (asked) =>
      page(asked.query.get('stage_id') === 's2' ? [{ ...deal, stage_id: 's2' }] : []),
    );
    server.emit({
      event_id: 'evt_1',
      event_type: 'deal.stage_changed',
      data: { deal: { ...deal, stage_id: 's2' }, previous: { stage_id: 's1' } },
    });
    await waitFor(
      () => column('Offer').includes('Forty chairs') && !column('Lead').includes('Forty chairs'),
      'the move',
    );
  });
});
