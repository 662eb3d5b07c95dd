import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import type { FieldCheck } from '@/api/app';
import { call } from '@/api/client';
import { useDebounced } from '@/ui/useDebounced';
import { checkField, FIELDS, type FieldName, type MetaChannel, type Values } from './fields';

/** Several fields are left one after the other when values are pasted. */
const SETTLE_MS = 400;

/** What Meta says about a value; undefined while it was not asked. */
export type MetaAnswer = FieldCheck | 'asking' | undefined;

/** The values that Meta is asked about: those that were left and may be right. Without a token it can check nothing. */
export function askable(channel: MetaChannel, values: Values, left: ReadonlySet<FieldName>): Values {
  const ready = FIELDS[channel].filter(
    ({ name }) =>
      name !== 'verify_token' &&
      left.has(name) &&
      values[name]?.trim() &&
      checkField(name, values)?.kind !== 'wrong',
  );
  const entered = Object.fromEntries(ready.map(({ name }) => [name, values[name]?.trim()])) as Values;
  return entered.access_token ? entered : {};
}

const checkQuery = (channel: MetaChannel, entered: Values) =>
  queryOptions({
    queryKey: ['meta-check', channel, entered],
    queryFn: entered.access_token
      ? async ({ signal }) => {
          const body = { channel, ...entered };
          const { data } = await call('POST /app/api/admin/connections/check', { body }, { signal });
          return { entered, checks: data };
        }
      : skipToken,
    placeholderData: keepPreviousData,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
    // Secrets are not kept longer than the form.
    gcTime: 0,
  });

/** Asks Meta about values as they are entered. Nothing waits for it, and if it fails, the form says nothing. */
export function useMetaCheck(
  channel: MetaChannel,
  values: Values,
  left: ReadonlySet<FieldName>,
): (name: FieldName) => MetaAnswer {
  // As text, so that it stays the same while the values do.
  const asked = useDebounced(JSON.stringify(askable(channel, values, left)), SETTLE_MS);
  const { data, isFetching } = useQuery(checkQuery(channel, JSON.parse(asked) as Values));
  const current = JSON.parse(asked) as Values;
  return (name) => {
    const value = values[name]?.trim();
    if (!value || current[name] !== value) return undefined;
    if (isFetching) return 'asking';
    if (data?.entered[name] !== value) return undefined;
    return data.checks.find(({ field }) => field === name);
  };
}
