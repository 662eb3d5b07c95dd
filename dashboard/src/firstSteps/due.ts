import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '@/session/queries';
import { keepGuide, readGuide } from './kept';
import { readFacts } from './queries';
import { openSteps, stepsFor } from './steps';

/**
 * Whether the guide is to be opened: once for each member in a browser, if anything is left to do. A guide with
 * nothing left is put away unseen.
 */
export async function isGuideDue(client: QueryClient): Promise<boolean> {
  const session = await client.ensureQueryData(sessionQuery);
  if (readGuide(session).seen) return false;
  const steps = stepsFor(session.role !== 'agent', (scope) => session.scopes.includes(scope));
  try {
    const isDue = openSteps(steps, await readFacts(client, steps), []).length > 0;
    keepGuide(session, { seen: true, away: !isDue });
    return isDue;
  } catch {
    // The next visit asks again.
    return false;
  }
}
