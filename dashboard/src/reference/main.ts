/**
 * The interactive reference at /docs/interactive. It shows the server's own OpenAPI document with Scalar, and
 * requests nothing from another host. The server's policy for this page (serve/reference.rs) enforces that.
 */
import scalarUrl from '../../node_modules/@scalar/api-reference/dist/browser/standalone.js?url';
import { type OpenApi, readyToTry } from './document';
import './reference.css';

interface Scalar {
  createApiReference: (mount: string, configuration: Record<string, unknown>) => unknown;
}

declare global {
  interface Window {
    Scalar?: Scalar;
  }
}

function load(url: string): Promise<void> {
  return new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = url;
    script.onload = () => done();
    script.onerror = () => failed(new Error(`${url} could not be loaded`));
    document.head.append(script);
  });
}

async function openApi(): Promise<OpenApi> {
  const response = await fetch('/openapi.json?samples');
  if (!response.ok) throw new Error(`/openapi.json: ${response.status}`);
  return response.json();
}

async function start(): Promise<void> {
  const [content] = await Promise.all([openApi(), load(scalarUrl)]);
  if (!window.Scalar) throw new Error('Scalar did not start');
  document.getElementById('status')?.remove();
  window.Scalar.createApiReference('#reference', {
    content: readyToTry(content, window.location.origin),
    // Everything below would send something to Scalar's own servers, or load something from them.
    withDefaultFonts: false,
    proxyUrl: '',
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    // Keys are for this page only, not for the browser's storage.
    persistAuth: false,
    documentDownloadType: 'json',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  });
}

start().catch((error: unknown) => {
  const status = document.getElementById('status') ?? document.body.appendChild(document.createElement('p'));
  const reason = error instanceof Error ? error.message : String(error);
  status.replaceChildren(`The reference could not be loaded (${reason}). Load the page again, or use `);
  const light = document.createElement('a');
  light.href = '/docs';
  light.textContent = 'the light reference';
  status.append(light, '.');
});
