/** Dialogs, notifications and rows, by keyboard alone: the focus is never lost, and nothing typed goes away unasked. */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Customer, useScene } from './scene';

const WIDE = { width: 1280, height: 800 };
const scene = useScene();
let page: Page;
let ann: Customer;

const question = () => page.getByRole('alertdialog', { name: 'Discard what you typed?' });
/** What has the focus: its label or its text. */
const focused = () =>
  page.evaluate(() => {
    const { activeElement: active } = document;
    return active?.getAttribute('aria-label') ?? active?.textContent ?? '';
  });

async function focusReturns(name: string): Promise<void> {
  await page.waitForFunction((wanted) => {
    const { activeElement: active } = document;
    return (active?.getAttribute('aria-label') ?? active?.textContent?.trim()) === wanted;
  }, name);
}

async function fails(path: string): Promise<void> {
  await page.route(path, (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({ error: { code: 'internal', message: 'Down.', request_id: 'req_test' } }),
    }),
  );
}

beforeAll(async () => {
  await scene.server.silenceAssistants();
  ann = await scene.customer();
  page = await scene.owner();
});

beforeEach(() => page.setViewportSize(WIDE));

describe('the focus returns to the opener', () => {
  it('of a dialog whose first field takes the focus', async () => {
    await page.goto('/app/contacts');
    await page.getByRole('button', { name: 'New contact' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await focusReturns('New contact');
  });

  it('of a dialog that a menu opened', async () => {
    await page.goto(`/app/contacts/${ann.id}`);
    await page.getByRole('button', { name: 'More actions' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Merge with another contact' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await focusReturns('More actions');
  });

  it('of a menu and of a popover', async () => {
    await page.goto(`/app/contacts/${ann.id}`);
    await page.getByRole('button', { name: 'More actions' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Escape');
    await focusReturns('More actions');
    await page.goto('/app/inbox');
    await page.getByRole('button', { name: 'Filters' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Channel').waitFor();
    await page.keyboard.press('Escape');
    await focusReturns('Filters');
  });

  it('of the palette', async () => {
    await page.goto('/app/inbox');
    await page.getByRole('link', { name: ann.name, exact: true }).focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await focusReturns(ann.name);
  });

  it('that was drawn anew meanwhile, or else to the heading of the page', async () => {
    for (const name of ['Gold', 'Silver']) {
      await scene.server.api('POST', '/tags', { name, color: '#b45309' });
    }
    await page.goto('/app/settings/tags');
    const edit = page.getByRole('button', { name: 'Edit Gold' });
    await edit.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // As a list does whose rows come from another answer of the server.
    await page
      .locator('[aria-label="Edit Gold"]')
      .evaluate((button) => button.replaceWith(button.cloneNode(true)));
    await page.keyboard.press('Escape');
    await focusReturns('Edit Gold');
    await page.reload();
    await page.getByRole('button', { name: 'Edit Silver' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Edit Silver' }).waitFor({ state: 'detached' });
    await focusReturns('Tags');
  });
});

describe('a dialog with typed text asks before it closes', () => {
  beforeEach(async () => {
    await page.goto('/app/contacts');
    await page.getByRole('button', { name: 'New contact' }).click();
    await page.getByLabel('Name', { exact: true }).pressSequentially('Cy');
  });

  it('by Escape, and goes on where it was', async () => {
    await page.keyboard.press('Escape');
    await question().waitFor();
    expect(await focused()).toBe('Keep editing');
    await page.keyboard.press('Enter');
    await question().waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Cy');
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'name');
  });

  it('by its close button and by a press beside it', async () => {
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await question().getByRole('button', { name: 'Keep editing' }).click();
    await question().waitFor({ state: 'detached' });
    await page.mouse.click(5, 400);
    await question().getByRole('button', { name: 'Keep editing' }).click();
    await question().waitFor({ state: 'detached' });
  });

  it('and not when the text was taken back', async () => {
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focusReturns('New contact');
  });

  it('and throws it away when told to', async () => {
    await page.keyboard.press('Escape');
    await question().getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focusReturns('New contact');
  });
});

it('an error in a dialog that is longer than the screen is in view', async () => {
  await page.setViewportSize({ width: 700, height: 420 });
  await page.goto('/app/settings/forms');
  await page.getByRole('button', { name: 'Create a form' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('x');
  await fails('**/admin/forms');
  await dialog.getByLabel('Name').focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').waitFor();
  const covered = () =>
    dialog.getByRole('alert').evaluate((alert) => {
      const { left, top, bottom } = alert.getBoundingClientRect();
      const seen = [top + 2, bottom - 2].map((y) => document.elementFromPoint(left + 4, y));
      return seen.some((element) => !alert.contains(element));
    });
  await expect.poll(covered).toBe(false);
  await page.unroute('**/admin/forms');
});

describe.each([
  ['wide', WIDE],
  ['narrow', { width: 360, height: 740 }],
])('notifications on a %s screen cover nothing', (_, viewport) => {
  it('neither the composer nor a bulk bar', async () => {
    await page.setViewportSize(viewport);
    await page.goto('/app/inbox');
    await page.getByRole('link', { name: ann.name, exact: true }).waitFor();
    await fails('**/conversations/bulk');
    await page.getByRole('link', { name: ann.name, exact: true }).focus();
    await page.keyboard.press('x');
    await page
      .getByRole('toolbar', { name: 'Selected rows' })
      .getByRole('button', { name: 'Status' })
      .click();
    await page.getByRole('menuitem', { name: 'Close', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(await coveredControls()).toEqual([]);
    await page.unroute('**/conversations/bulk');
    await page.getByRole('link', { name: ann.name, exact: true }).click();
    await page.getByLabel('Reply to the customer').waitFor();
    expect(await coveredControls()).toEqual([]);
  });
});

/** Controls on the page of which a notification hides some part. */
function coveredControls(): Promise<string[]> {
  return page.evaluate(() => {
    const toasts = [...document.querySelectorAll('section[aria-label="Notifications"] > *')];
    if (toasts.length === 0) return ['no notification is shown'];
    const controls = [...document.querySelectorAll('button, a[href], textarea, input, select')];
    const overlaps = (a: DOMRect, b: DOMRect) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return controls
      .filter((control) => !control.closest('section[aria-label="Notifications"]'))
      .filter((control) => {
        const box = control.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        const isSeen = top && (control.contains(top) || top.closest('section[aria-label="Notifications"]'));
        return isSeen && toasts.some((toast) => overlaps(toast.getBoundingClientRect(), box));
      })
      .map((control) => control.getAttribute('aria-label') ?? control.textContent ?? '');
  });
}

describe('a row is one stop for Tab', () => {
  const stops = async (first: string, presses: number): Promise<string[]> => {
    await page.getByRole('link', { name: first, exact: true }).focus();
    const names = [await focused()];
    for (let at = 0; at < presses; at += 1) {
      await page.keyboard.press('Tab');
      names.push(await focused());
    }
    return names;
  };

  it('in the inbox and among contacts, where a key selects it', async () => {
    // Both lists begin with the newest.
    const [second, first] = [(await scene.customer()).name, (await scene.customer()).name];
    const box = (name: string) => page.getByRole('checkbox', { name: new RegExp(name) });
    await page.goto('/app/inbox');
    await page.getByRole('link', { name: first, exact: true }).waitFor();
    expect(await stops(first, 1)).toEqual([first, second]);
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe(first);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Space');
    expect(await box(first).isChecked()).toBe(true);
    await page.goto('/app/contacts');
    await page.getByRole('link', { name: first, exact: true }).waitFor();
    expect(await stops(first, 1)).toEqual([first, second]);
    await page.keyboard.press('x');
    expect(await box(second).isChecked()).toBe(true);
  });

  it('in the settings, where the arrows lead to its other buttons', async () => {
    await page.goto('/app/settings/pipelines');
    await page.getByRole('button', { name: 'Edit Qualified' }).waitFor();
    await page.getByRole('toolbar', { name: 'Actions for New' }).getByRole('button').nth(1).focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Edit New');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Move New down');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Move Qualified up');
  });
});
