import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import type { Ask, AskAnswer } from '@/api/schema';
import { putAsk } from './cache';

export interface Answering {
  give: (answer: AskAnswer) => void;
  busy: boolean;
  error: unknown;
  /** Somebody else had answered before this member did. */
  wasLate: boolean;
  /** The role may answer asks, but not approve this one. */
  isForbidden: boolean;
}

/** Answers an ask. When somebody else was first, the ask is shown with that answer. */
export function useAnswer(ask: Ask, onDone: () => void): Answering {
  const client = useQueryClient();
  const attempts = useAttempts();
  const [wasLate, setWasLate] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (body: AskAnswer) => {
      const path = { id: ask.id };
      try {
        const answered = (await attempts.call('POST /asks/{id}/answer', { path, body })).data;
        return { answered, isLate: false };
      } catch (refusal) {
        if (!(refusal instanceof ApiError) || refusal.status !== 409) throw refusal;
        return { answered: (await call('GET /asks/{id}', { path })).data, isLate: true };
      }
    },
    onSuccess: ({ answered, isLate }) => {
      setWasLate(isLate);
      putAsk(client, answered);
      if (!isLate) onDone();
    },
  });
  const isForbidden = error instanceof ApiError && error.reason === 'scope';
  return { give: mutate, busy: isPending, error, wasLate, isForbidden };
}
