/**
 * Where unsent messages are kept: IndexedDB, which pages and service workers share and which holds files. Every entry
 * belongs to a member of an account, and is read only for that member.
 */
import type { Outgoing } from './outgoing';

export interface OutboxStore {
  list: () => Promise<Outgoing[]>;
  put: (entry: Outgoing) => Promise<void>;
  /** Stored once, beside the entry: a large file must not be written again with every change of its entry. */
  putFile: (id: string, file: File) => Promise<void>;
  file: (id: string) => Promise<File | undefined>;
  /** Removes the entry and its file. */
  remove: (id: string) => Promise<void>;
}

const DATABASE = 'frontdesk.outbox';
const VERSION = 1;
const ENTRIES = 'entries';
const FILES = 'files';

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });

/** A write counts once its transaction is complete: only then it survives a crash of the page. */
const completed = (tx: IDBTransaction): Promise<void> =>
  new Promise((done, failed) => {
    tx.oncomplete = () => done();
    tx.onabort = () => failed(tx.error);
    tx.onerror = () => failed(tx.error);
  });

function open(factory: IDBFactory): Promise<IDBDatabase> {
  const request = factory.open(DATABASE, VERSION);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(ENTRIES);
    request.result.createObjectStore(FILES);
  };
  return settled(request);
}

/** Everybody of whom the browser keeps unsent messages. */
export async function ownersIn(factory: IDBFactory): Promise<string[]> {
  const database = await open(factory);
  try {
    const keys = await settled(database.transaction(ENTRIES).objectStore(ENTRIES).getAllKeys());
    return [...new Set(keys.map((key) => (key as [string, string])[0]))];
  } finally {
    database.close();
  }
}

/** The store of one member. Its methods fail where the browser keeps nothing, or has no room. */
export function indexedDbStore(factory: IDBFactory, owner: string): OutboxStore {
  let opened: Promise<IDBDatabase> | undefined;
  const database = async () => {
    opened ??= open(factory);
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
  const write = async (change: (tx: IDBTransaction) => void) => {
    const tx = (await database()).transaction([ENTRIES, FILES], 'readwrite');
    change(tx);
    await completed(tx);
  };
  return {
    list: async () => {
      const tx = (await database()).transaction(ENTRIES);
      // Arrays sort after strings: this is every id of the owner.
      return settled(tx.objectStore(ENTRIES).getAll(IDBKeyRange.bound([owner], [owner, []])));
    },
    put: (entry) => write((tx) => tx.objectStore(ENTRIES).put(entry, [owner, entry.id])),
    putFile: (id, file) => write((tx) => tx.objectStore(FILES).put(file, [owner, id])),
    file: async (id) => {
      const tx = (await database()).transaction(FILES);
      return settled(tx.objectStore(FILES).get([owner, id]));
    },
    remove: (id) =>
      write((tx) => {
        tx.objectStore(ENTRIES).delete([owner, id]);
        tx.objectStore(FILES).delete([owner, id]);
      }),
  };
}

/** Keeps entries as long as the page, where the browser stores nothing. */
export function memoryStore(): OutboxStore {
  const entries = new Map<string, Outgoing>();
  const files = new Map<string, File>();
  return {
    list: async () => [...entries.values()],
    put: async (entry) => void entries.set(entry.id, entry),
    putFile: async (id, file) => void files.set(id, file),
    file: async (id) => files.get(id),
    remove: async (id) => {
      entries.delete(id);
      files.delete(id);
    },
  };
}
