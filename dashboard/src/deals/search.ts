import { ORDERS, type Order } from './board';

export interface BoardSearch {
  pipeline?: string | undefined;
  owner?: string | undefined;
  q?: string | undefined;
  order?: Order | undefined;
}

export function parseBoardSearch(search: Record<string, unknown>): BoardSearch {
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);
  const pipeline = text(search.pipeline);
  const owner = text(search.owner);
  const q = text(search.q);
  const order = ORDERS.find((candidate) => candidate === search.order);
  return { pipeline, owner, q, order };
}
