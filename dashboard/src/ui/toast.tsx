import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { describeError } from '@/api/describe';
import { t } from '@/i18n';

const ERROR_MS = 10_000;

interface ToastAction {
  label: string;
  run: () => void;
}

export const toasts = Toast.createToastManager();

export function notify(title: string, action?: ToastAction): void {
  toasts.add({ title, ...(action ? { actionProps: { children: action.label, onClick: action.run } } : {}) });
}

/** Says that something was not done, and why. Read out at once by screen readers. */
export function notifyFailure(title: string, error: unknown, action?: ToastAction): void {
  toasts.add({
    title,
    description: describeError(error),
    type: 'error',
    priority: 'high',
    timeout: ERROR_MS,
    ...(action ? { actionProps: { children: action.label, onClick: action.run } } : {}),
  });
}

function ToastList() {
  const { toasts: shown } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={`popup flex items-start gap-3 p-3 ${toast.type === 'error' ? 'border-danger' : ''}`}
    >
      <Toast.Content className="min-w-0 flex-1">
        <Toast.Title className="font-medium" />
        <Toast.Description className="text-sm text-ink-soft" />
        <Toast.Action className="mt-1 font-medium text-accent underline empty:hidden" />
      </Toast.Content>
      <Toast.Close aria-label={t('ui.close')} className="rounded p-1 text-ink-soft hover:bg-sunken">
        <X size={16} aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toasts} limit={4}>
      {children}
      <Toast.Portal>
        <Toast.Viewport
          aria-label={t('ui.notifications')}
          className="fixed inset-x-3 bottom-3 z-60 ms-auto flex max-w-sm flex-col gap-2"
        >
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}
