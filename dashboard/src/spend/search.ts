import { isMonth, type Month } from './spend';

export interface SpendSearch {
  month?: Month | undefined;
}

export function parseSpendSearch({ month }: Record<string, unknown>): SpendSearch {
  return { month: isMonth(month) ? month : undefined };
}
