import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { accountServer } from '@/testing/data';
import { button, fill, renderApp, text } from '@/testing/render';
import { brand } from '@/testing/setup';

const PATH = '/settings/branding';

it('changes the name and the colour, and shows them before they are saved', async () => {
  const server = accountServer().on('PATCH /app/api/admin/brand', { data: { ...brand, name: 'Shop' } });
  const { user } = await renderApp(server, PATH);
  await text('Acme');
  await fill(user, 'Name that visitors see', 'Shop');
  expect(await screen.findAllByText('Shop')).toHaveLength(2);
  await user.click(await screen.findByRole('checkbox', { name: /^Use an accent colour/ }));
  await user.click(await button(/^Save/));
  await waitFor(() =>
    expect(server.last('PATCH /app/api/admin/brand')?.body).toEqual({ name: 'Shop', color: '#0b7a5c' }),
  );
});

it('stores a logo as soon as it is chosen, and removes it', async () => {
  const logo = { ...brand, logo_path: '/brands/abc' };
  const server = accountServer()
    .on('PUT /app/api/admin/brand/logo', { data: logo })
    .on('DELETE /app/api/admin/brand/logo', { data: brand });
  const { user } = await renderApp(server, PATH);
  const picker = await screen.findByLabelText('Logo', { selector: 'input' });
  await user.upload(picker, new File(['abc'], 'logo.png', { type: 'image/png' }));
  await screen.findByRole('img', { name: 'Logo' });
  expect(server.last('PUT /app/api/admin/brand/logo')?.body).toEqual({ image: 'YWJj' });
  await user.click(await button('Remove the logo'));
  await waitFor(() => expect(screen.queryByRole('img', { name: 'Logo' })).toBeNull());
});

it('refuses what is no picture, and sends nothing', async () => {
  const server = accountServer();
  const { user } = await renderApp(server, PATH);
  const picker = await screen.findByLabelText('Logo', { selector: 'input' });
  picker.removeAttribute('accept');
  await user.upload(picker, new File(['<svg/>'], 'logo.svg', { type: 'image/svg+xml' }));
  await text('The logo must be a PNG, JPEG or WebP picture.');
  expect(server.last('PUT /app/api/admin/brand/logo')).toBeUndefined();
});
