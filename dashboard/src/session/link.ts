/**
 * One-time links carry their token after `#`, which browsers never send to a server or a proxy. It
 * is taken out of the address bar and the history at once.
 */
export function takeLinkToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
