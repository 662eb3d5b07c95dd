import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { accountServer, deal, page } from '@/testing/data';
import { renderApp } from '@/testing/render';
import { Refusal } from '@/testing/server';

const inColumn = (name: string) => within(screen.getByRole('region', { name })).queryByText('Forty chairs');

async function focusDeal() {
  (await screen.findByRole('link', { name: 'Forty chairs' })).focus();
}

describe('the board', () => {
  it('moves a deal by keyboard and says so', async () => {
    const server = accountServer().on('POST /deals/{id}/move', { data: { ...deal, stage_id: 's2' } });
    const { user } = await renderApp(server, '/deals');
    await focusDeal();
    await user.keyboard('{Alt>}{ArrowRight}{/Alt}');
    await waitFor(() => expect(inColumn('Offer')).not.toBeNull());
    expect(inColumn('Lead')).toBeNull();
    expect(server.last('POST /deals/{id}/move')?.body).toEqual({ stage_id: 's2' });
    await screen.findByText('Forty chairs moved to Offer.');
  });

  it('moves it back with the reason when the server refuses', async () => {
    const server = accountServer().on(
      'POST /deals/{id}/move',
      () => new Refusal(409, { code: 'conflict', message: 'The deal is closed.' }),
    );
    const { user } = await renderApp(server, '/deals');
    await focusDeal();
    await user.keyboard('{Alt>}{ArrowRight}{/Alt}');
    await screen.findByText('The deal is closed.');
    await waitFor(() => expect(inColumn('Lead')).not.toBeNull());
  });

  it('shows what a colleague has moved', async () => {
    const server = accountServer();
    await renderApp(server, '/deals');
    await screen.findByText('Forty chairs');
    server.on('GET /deals', (asked) =>
      page(asked.query.get('stage_id') === 's2' ? [{ ...deal, stage_id: 's2' }] : []),
    );
    server.emit({
      event_id: 'evt_1',
      event_type: 'deal.stage_changed',
      data: { deal: { ...deal, stage_id: 's2' }, previous: { stage_id: 's1' } },
    });
    await waitFor(() => expect(inColumn('Offer')).not.toBeNull());
    await waitFor(() => expect(inColumn('Lead')).toBeNull());
  });
});
