import { useEffect, useState } from 'react';

export const SEARCH_DELAY_MS = 250;

/** The value once it has stayed the same for a moment. */
export function useDebounced<T>(value: T, milliseconds = SEARCH_DELAY_MS): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
