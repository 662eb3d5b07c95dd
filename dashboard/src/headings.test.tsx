import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { PAGES } from '../browser/pages';
import { accountServer } from './testing/data';
import { renderApp } from './testing/render';
import { Refusal } from './testing/server';

/** Pages of one thing, and pages outside the menu. */
const OTHERS = [
  '/inbox/c1',
  '/contacts/ann',
  '/deals/d1',
  '/broadcasts/b1',
  '/inquiries/i1',
  '/segments/g1',
  '/runs/r1',
  '/triggers/t1',
  '/developers/webhooks/h1',
  '/settings/keys',
  '/settings/channels/new',
  '/settings/channels/w1',
  '/settings/channels/gone',
  '/settings/forms/f1',
  '/settings/forms/gone',
  '/assistants/a1',
  '/sign-in',
  '/sign-in/provider',
  '/password',
  '/lost-password',
  '/nowhere',
];
const PATHS = [...Object.values(PAGES), ...OTHERS];

const headings = () => screen.findAllByRole('heading', { level: 1 });

describe('every page has one heading', () => {
  it.each(PATHS)('%s', async (path) => {
    await renderApp(accountServer(), path);
    const found = await headings();
    expect(found).toHaveLength(1);
    expect(found[0]?.textContent).not.toBe('');
  });

  it.each(['/contacts/ann', '/deals/d1', '/broadcasts/b1', '/inquiries/i1', '/inbox/c9'])(
    '%s, also when it cannot be read',
    async (path) => {
      const gone = () => new Refusal(404, { code: 'not_found', message: 'Not found.' });
      const server = accountServer()
        .on('GET /contacts/{id}', gone)
        .on('GET /deals/{id}', gone)
        .on('GET /broadcasts/{id}', gone)
        .on('GET /inquiries/{id}', gone)
        .on('GET /app/api/inbox/{conversation_id}', gone);
      await renderApp(server, path);
      await screen.findByRole('alert');
      expect(await headings()).toHaveLength(1);
    },
  );

  it('of every route that the router knows', async () => {
    const { router } = await renderApp(accountServer(), '/shortcuts');
    const shape = (path: string) => path.replace(/\$\w+/g, '[^/]+');
    const untested = Object.values(router.routesByPath)
      .map((route) => String(route.fullPath).replace(/(.)\/$/, '$1'))
      .filter((route) => route !== '/' && !PATHS.some((path) => new RegExp(`^${shape(route)}$`).test(path)));
    expect(untested).toEqual([]);
  });
});
