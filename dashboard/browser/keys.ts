/** Going through a page by the keyboard alone, as somebody without a mouse does. */
import type { Locator } from 'playwright-core';

const PRESSES_MAX = 80;

/** Presses Tab until a control has the focus. It fails where Tab does not lead to the control. */
export async function tabTo(control: Locator): Promise<void> {
  await control.waitFor();
  for (let press = 0; press < PRESSES_MAX; press += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await control.page().keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${control}.`);
}
