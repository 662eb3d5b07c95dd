import { CircleAlert, X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { describeError } from '@/api/describe';
import { t } from '@/i18n';

interface ToastAction {
  label: string;
  run: () => void;
}

interface Toast {
  id: number;
  title: string;
  detail?: string;
  failed: boolean;
  action?: ToastAction | undefined;
}

const SHOWN_MS = 6_000;
const FAILURE_MS = 12_000;
const SHOWN_MAX = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function publish(next: readonly Toast[]): void {
  toasts = next.slice(-SHOWN_MAX);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function dismiss(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id));
}

export function notify(title: string, action?: ToastAction): void {
  lastId += 1;
  publish([...toasts, { id: lastId, title, failed: false, action }]);
}

/** Says that something was not done, and why. Read out at once by screen readers. */
export function notifyFailure(title: string, error: unknown, action?: ToastAction): void {
  lastId += 1;
  publish([...toasts, { id: lastId, title, detail: describeError(error), failed: true, action }]);
}

/** The places where notifications can be shown. The last that came on screen shows them: an open dialog before its page. */
let places: readonly symbol[] = [];

function useIsShown(): boolean {
  const [place] = useState(() => Symbol('place'));
  useEffect(() => {
    places = [...places, place];
    publish(toasts);
    return () => {
      places = places.filter((other) => other !== place);
      publish(toasts);
    };
  }, [place]);
  return useSyncExternalStore(subscribe, () => places.at(-1) === place);
}

/** Notifications, in a room of their own below the content: they cover nothing. */
export function Toasts() {
  const isShown = useIsShown();
  const shown = useSyncExternalStore(subscribe, () => toasts);
  if (!isShown) return null;
  return (
    <section
      aria-label={t('ui.notifications')}
      className="flex max-h-[40dvh] shrink-0 flex-col items-end gap-2 overflow-y-auto px-3 not-empty:py-2"
    >
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

/** Goes away by itself, but not while it is pointed at or has the focus. */
function ToastCard({ toast }: { toast: Toast }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dismiss(toast.id), toast.failed ? FAILURE_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [held, toast]);
  const hold = {
    onMouseEnter: () => setHeld(true),
    onMouseLeave: () => setHeld(false),
    onFocus: () => setHeld(true),
    onBlur: () => setHeld(false),
  };
  return (
    <div
      role={toast.failed ? 'alert' : 'status'}
      {...hold}
      className={`popup flex w-full max-w-sm items-start gap-3 p-3 ${toast.failed ? 'border-danger' : ''}`}
    >
      {toast.failed && <CircleAlert size={18} className="mt-0.5 shrink-0 text-danger" aria-hidden />}
      <div className="min-w-0 flex-1">
        <p className="font-medium">{toast.title}</p>
        {toast.detail && <p className="text-sm text-ink-soft">{toast.detail}</p>}
        {toast.action && (
          <button
            type="button"
            className="mt-1 font-medium text-accent underline"
            onClick={() => {
              dismiss(toast.id);
              toast.action?.run();
            }}
          >
            {toast.action.label}
          </button>
        )}
      </div>
      <button
        type="button"
        aria-label={t('ui.close')}
        onClick={() => dismiss(toast.id)}
        className="rounded p-1 text-ink-soft hover:bg-sunken"
      >
        <X size={16} aria-hidden />
      </button>
    </div>
  );
}
