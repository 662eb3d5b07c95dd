import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { t } from '@/i18n';
import { Button } from './Button';
import { ErrorNotice } from './ErrorNotice';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** For forms with a preview or many fields. */
  wide?: boolean;
  children: ReactNode;
}

export function Dialog({ open, onClose, title, description, wide = false, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-overlay" />
        <Base.Popup
          className={`popup fixed inset-x-3 top-[5dvh] z-50 mx-auto flex max-h-[90dvh] flex-col ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
        >
          <header className="flex items-start gap-3 border-b border-line p-4">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              {description && (
                <Base.Description className="mt-1 text-ink-soft">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              aria-label={t('ui.close')}
              className="inline-flex size-9 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken"
            >
              <X size={18} aria-hidden />
            </Base.Close>
          </header>
          <div className="min-h-0 overflow-y-auto p-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The row of buttons that ends a form in a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  // Stays in view below a form that is longer than the screen.
  return (
    <div className="sticky -bottom-4 z-10 -mx-4 -mb-4 mt-4 flex flex-wrap justify-end gap-2 border-t border-line bg-raised px-4 py-3">
      {children}
    </div>
  );
}

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  action: string;
  /** The action cannot be undone: this text has to be typed first. */
  typed?: string;
  onConfirm: () => Promise<unknown>;
}

export function ConfirmDialog({ open, onClose, title, description, action, typed, onConfirm }: ConfirmProps) {
  const [entered, setEntered] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setEntered('');
    setError(null);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      close();
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={open} onClose={close} title={title} description={description}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        {typed !== undefined && (
          <label className="flex flex-col gap-1">
            <span>{t('ui.typeToConfirm', { text: typed })}</span>
            <input className="control" value={entered} onChange={(event) => setEntered(event.target.value)} />
          </label>
        )}
        {error !== null && <ErrorNotice error={error} />}
        <DialogActions>
          <Button onClick={close}>{t('ui.cancel')}</Button>
          <Button type="submit" kind="danger" busy={busy} disabled={typed !== undefined && entered !== typed}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
