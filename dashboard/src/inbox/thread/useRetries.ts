import { useEffect, useState } from 'react';

/** A file that a customer has just sent is still on its way from the channel: the server answers 503 until it has it. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** Loads a file again after a failure, and gives up after a while. */
export function useRetries(): { attempt: number; waiting: boolean; broken: boolean; onError: () => void } {
  const [attempt, setAttempt] = useState(0);
  const [waiting, setWaiting] = useState(false);
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => {
      setWaiting(false);
      setAttempt(attempt + 1);
    }, RETRY_MS[attempt]);
    return () => clearTimeout(timer);
  }, [waiting, attempt]);
  const onError = () => (attempt < RETRY_MS.length ? setWaiting(true) : setBroken(true));
  return { attempt, waiting, broken, onError };
}
