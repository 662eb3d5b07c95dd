/** What the worker uses of a service worker's global scope. TypeScript has no types for a page and a worker at once. */

export interface WaitingEvent extends Event {
  waitUntil: (work: Promise<unknown>) => void;
}

export interface RequestEvent extends WaitingEvent {
  readonly request: Request;
  respondWith: (response: Promise<Response>) => void;
}

export interface PushedEvent extends WaitingEvent {
  readonly data: { json: () => unknown } | null;
}

export interface ClickedEvent extends WaitingEvent {
  readonly notification: Notification;
}

export interface SyncedEvent extends WaitingEvent {
  readonly tag: string;
  readonly lastChance: boolean;
}

export interface ChangedSubscriptionEvent extends WaitingEvent {
  readonly oldSubscription: PushSubscription | null;
  readonly newSubscription: PushSubscription | null;
}

export interface OpenWindow {
  readonly url: string;
  readonly focused: boolean;
  readonly visibilityState: DocumentVisibilityState;
  focus: () => Promise<OpenWindow>;
  navigate: (url: string) => Promise<OpenWindow | null>;
  postMessage: (message: unknown) => void;
}

interface Events {
  install: WaitingEvent;
  activate: WaitingEvent;
  fetch: RequestEvent;
  push: PushedEvent;
  notificationclick: ClickedEvent;
  pushsubscriptionchange: ChangedSubscriptionEvent;
  sync: SyncedEvent;
}

export interface WorkerScope {
  readonly location: Location;
  readonly registration: ServiceWorkerRegistration;
  readonly navigator: Navigator;
  readonly caches: CacheStorage;
  readonly indexedDB: IDBFactory;
  readonly clients: {
    claim: () => Promise<void>;
    matchAll: (options: { type: 'window'; includeUncontrolled: boolean }) => Promise<OpenWindow[]>;
    openWindow: (url: string) => Promise<OpenWindow | null>;
  };
  skipWaiting: () => Promise<void>;
  addEventListener: <K extends keyof Events>(type: K, listener: (event: Events[K]) => void) => void;
}
