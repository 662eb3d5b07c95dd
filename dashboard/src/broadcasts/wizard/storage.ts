/**
 * Keeps an unfinished broadcast in the browser, by account and member: it survives a reload, and nobody else who signs in
 * on the same browser sees it. The idempotency key of the last request is kept beside it, so that a broadcast whose response
 * was lost is not sent twice after a reload either.
 */
import type { AttemptMemory } from '@/api/attempts';
import { type Draft, emptyDraft } from './draft';

const PREFIX = 'frontdesk.broadcast';

export class DraftStore {
  private readonly owner: string;

  constructor(accountId: string, memberId: string) {
    this.owner = `${accountId}.${memberId}`;
  }

  private at(what: 'draft' | 'attempt' | 'phone' | 'price'): string {
    return `${PREFIX}.${what}.${this.owner}`;
  }

  /** The kept draft, or null. What an older version has kept differently is filled up. */
  load(country: string | null): Draft | null {
    try {
      const kept = JSON.parse(localStorage.getItem(this.at('draft')) ?? 'null') as Partial<Draft> | null;
      if (typeof kept !== 'object' || kept === null) return null;
      const empty = emptyDraft(country);
      return { ...empty, ...kept, audience: { ...empty.audience, ...kept.audience } };
    } catch {
      return null;
    }
  }

  save(draft: Draft): void {
    try {
      localStorage.setItem(this.at('draft'), JSON.stringify(draft));
    } catch {
      // The browser's storage is full: the page goes on without it.
    }
  }

  clear(): void {
    localStorage.removeItem(this.at('draft'));
  }

  /** Tells when another tab has sent or discarded the draft. */
  onCleared(listener: () => void): () => void {
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key === this.at('draft') && newValue === null) listener();
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }

  readonly attempts: AttemptMemory = {
    load: () => {
      try {
        return JSON.parse(localStorage.getItem(this.at('attempt')) ?? 'null');
      } catch {
        return null;
      }
    },
    save: (attempt) => {
      if (attempt) localStorage.setItem(this.at('attempt'), JSON.stringify(attempt));
      else localStorage.removeItem(this.at('attempt'));
    },
  };

  /** The member's own number, for test messages. */
  get phone(): string {
    return localStorage.getItem(this.at('phone')) ?? '';
  }
  set phone(phone: string) {
    localStorage.setItem(this.at('phone'), phone);
  }

  /** What a message costs, as the member has entered it last, by the template's category. */
  price(category: string): Price {
    try {
      const kept = JSON.parse(localStorage.getItem(this.at('price')) ?? '{}') as Record<string, Price>;
      return kept[category] ?? { amount: '', currency: kept.last?.currency ?? 'EUR' };
    } catch {
      return { amount: '', currency: 'EUR' };
    }
  }
  setPrice(category: string, price: Price): void {
    try {
      const kept = JSON.parse(localStorage.getItem(this.at('price')) ?? '{}') as Record<string, Price>;
      localStorage.setItem(this.at('price'), JSON.stringify({ ...kept, [category]: price, last: price }));
    } catch {
      // It is asked for again next time.
    }
  }
}

export interface Price {
  /** As it was typed. */
  amount: string;
  currency: string;
}
