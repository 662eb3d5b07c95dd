import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// The server that `npm run dev` passes API calls on to.
const SERVER = process.env.FRONTDESK_URL ?? 'http://127.0.0.1:8080';

const BASE =
  /src[\\/](api|session[\\/](session|members|queries)|contacts[\\/]names|commands|i18n[\\/](index|message|time)|inbox[\\/](channel|counts|cache|queries|rows|search)|ui[\\/](Button|Spinner|Field|ErrorNotice|EmptyState|Avatar|Tag|Time|Page|toast|use\w+|toggled|bulk|Lazy)\.)/;

export default defineConfig({
  base: '/app/',
  plugins: [react(), tailwindcss()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    manifest: true,
    // A data: URL would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The API reference is a page of its own. The server shows it at /docs/interactive.
      input: ['index.html', 'reference.html'],
      output: {
        // Small modules that nearly every page needs travel together; the rest is split by page.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 3 },
            { name: 'tanstack', test: /node_modules[\\/]@tanstack[\\/]/, priority: 2 },
            { name: 'icons', test: /node_modules[\\/]lucide-react[\\/]/, priority: 1 },
            { name: 'base', test: BASE, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/app/api': { target: SERVER }, '/media': { target: SERVER } } },
  test: { environment: 'happy-dom', include: ['src/**/*.test.{ts,tsx}'], testTimeout: 30_000 },
});
