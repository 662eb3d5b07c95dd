import { rowKey } from '@/live/changes';
import type { LiveHandler } from '@/live/handler';

export const assistantsLive: LiveHandler = {
  watches: {
    assistants: (id) => [
      ['assistants'],
      rowKey('assistant', id),
      rowKey('assistant-tools', id),
      rowKey('assistant-instructions', id),
    ],
    instructions: () => [['instructions'], ['assistant-instructions']],
    memories: () => [['memories']],
  },
};
