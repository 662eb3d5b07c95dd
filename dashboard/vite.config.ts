import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// The server that `npm run dev` passes API calls on to.
const SERVER = process.env.FRONTDESK_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/app/',
  plugins: [react(), tailwindcss()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    manifest: true,
    // A data: URL would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/app/api': { target: SERVER }, '/media': { target: SERVER } } },
  test: { environment: 'happy-dom', include: ['src/**/*.test.{ts,tsx}'] },
});
