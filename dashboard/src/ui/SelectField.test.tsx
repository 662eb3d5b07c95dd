import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SelectField } from './SelectField';

afterEach(cleanup);

const sizes = (
  <>
    <option value="">Any size</option>
    {['Small', 'Large'].map((size) => (
      <option key={size} value={size.toLowerCase()}>
        {size} box
      </option>
    ))}
  </>
);
const field = () => screen.getByRole('combobox', { name: 'Size' });
const sizeOf = (form: HTMLElement) => new FormData(form as HTMLFormElement).get('size');

describe('a select', () => {
  it('shows the words of its value, and reports the one that is chosen', async () => {
    const user = userEvent.setup();
    const onChange = vi.fn();
    render(
      <SelectField label="Size" value="small" onChange={({ target }) => onChange(target.value)}>
        {sizes}
      </SelectField>,
    );
    expect(field().textContent).toBe('Small box');
    await user.click(field());
    await user.click(await screen.findByRole('option', { name: 'Large box' }));
    expect(onChange.mock.calls).toEqual([['large']]);
  });

  it('gives its form the first option until another is chosen', async () => {
    const user = userEvent.setup();
    render(
      <form aria-label="Order">
        <SelectField label="Size" name="size">
          <option value="small">Small</option>
          <option value="large">Large</option>
        </SelectField>
      </form>,
    );
    const form = screen.getByRole('form', { name: 'Order' });
    expect(sizeOf(form)).toBe('small');
    await user.click(field());
    await user.click(await screen.findByRole('option', { name: 'Large' }));
    expect(sizeOf(form)).toBe('large');
  });

  it('is changed by the keyboard alone, and typing finds an option', async () => {
    const user = userEvent.setup();
    const onChange = vi.fn();
    render(
      <SelectField label="Size" defaultValue="" onChange={({ target }) => onChange(target.value)}>
        {sizes}
      </SelectField>,
    );
    await user.tab();
    expect(document.activeElement).toBe(field());
    await user.keyboard('{Enter}');
    await screen.findByRole('option', { name: 'Small box' });
    await user.keyboard('la{Enter}');
    expect(onChange.mock.calls).toEqual([['large']]);
    expect(field().textContent).toBe('Large box');
  });

  it('finds an option by typing while it is closed', async () => {
    const user = userEvent.setup();
    const onChange = vi.fn();
    render(
      <SelectField label="Size" onChange={({ target }) => onChange(target.value)}>
        {sizes}
      </SelectField>,
    );
    await user.tab();
    await user.keyboard('small b');
    expect(field().textContent).toBe('Small box');
    expect(field().getAttribute('aria-expanded')).toBe('false');
    expect(onChange.mock.calls).toEqual([['small']]);
  });

  it('says what is wrong with its value', () => {
    render(
      <SelectField label="Size" value="" error="Choose a size." hint="Of the box.">
        {sizes}
      </SelectField>,
    );
    expect(field().getAttribute('aria-invalid')).toBe('true');
    const described = field().getAttribute('aria-describedby')?.split(' ') ?? [];
    expect(described.map((id) => document.getElementById(id)?.textContent)).toEqual([
      'Of the box.',
      'Choose a size.',
    ]);
  });
});
