// Draws the icons of the installed app from public/icon.svg into public/icons, with the Chromium of the browser tests. The
// files are committed: run it after a change of icon.svg.
//
//   FRONTDESK_CHROMIUM=/usr/bin/chromium node scripts/icons.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const BACKGROUND = '#0f766e';
const ICONS = [
  { name: 'icon-192.png', size: 192 },
  { name: 'icon-512.png', size: 512 },
  // A platform cuts its own shape out of this one, so its colour reaches the edges and its picture keeps away from them.
  { name: 'icon-maskable-512.png', size: 512, background: BACKGROUND, scale: 0.8 },
  { name: 'apple-touch-icon.png', size: 180, background: BACKGROUND, scale: 1 },
  // Beside the clock of a phone: only the shape counts.
  { name: 'badge-96.png', size: 96, isShape: true },
];

const svg = readFileSync('public/icon.svg', 'utf8');
const shape = svg.replace(/<rect[^>]*\/>/, '');
const browser = await chromium.launch({
  executablePath: process.env.FRONTDESK_CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox'],
});
mkdirSync('public/icons', { recursive: true });
for (const { name, size, background = 'transparent', scale = 1, isShape = false } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const side = Math.round(size * scale);
  await page.setContent(
    `<style>body{margin:0;height:100vh;display:grid;place-items:center;background:${background}}svg{width:${side}px;height:${side}px}</style>${isShape ? shape : svg}`,
  );
  writeFileSync(`public/icons/${name}`, await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();
