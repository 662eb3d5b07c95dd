import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useMutation } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { t } from '@/i18n';
import { showAlerts } from './alerts';
import { Button } from './Button';
import { ErrorNotice } from './ErrorNotice';
import { useReturnFocus } from './opener';
import { Toasts } from './toast';
import { TypedFields } from './typed';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** For forms with a preview or many fields. */
  wide?: boolean;
  /** What is typed here is worth nothing once the dialog is closed. */
  throwsAway?: boolean;
  children: ReactNode;
}

/**
 * A dialog over the page. Escape, a press beside it and its close button ask first when text was typed. The focus
 * returns to whatever opened it.
 */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, description, wide = false, throwsAway = false, children } = props;
  const { popup, finalFocus } = useReturnFocus(open);
  const [typed] = useState(() => new TypedFields());
  const [asking, setAsking] = useState(false);
  const close = () => {
    if (typed.any && !throwsAway) setAsking(true);
    else onClose();
  };
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && close()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-overlay" />
        <Base.Popup
          ref={popup}
          finalFocus={finalFocus}
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
          <Body typed={typed}>{children}</Body>
          <Toasts />
          <DiscardQuestion
            open={open && asking}
            onKeep={() => setAsking(false)}
            onDiscard={() => {
              setAsking(false);
              onClose();
            }}
          />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** What scrolls. It is there only while the dialog is open, so what was typed is forgotten with it. */
function Body({ typed, children }: { typed: TypedFields; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!element.current) return;
    const stops = [typed.listen(element.current), showAlerts(element.current)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [typed]);
  return (
    <div ref={element} className="min-h-0 overflow-y-auto p-4">
      {children}
    </div>
  );
}

interface DiscardProps {
  open: boolean;
  onKeep: () => void;
  onDiscard: () => void;
}

function DiscardQuestion({ open, onKeep, onDiscard }: DiscardProps) {
  const { popup, finalFocus } = useReturnFocus(open);
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onKeep()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop forceRender className="fixed inset-0 z-50 bg-overlay" />
        <AlertDialog.Popup
          ref={popup}
          finalFocus={finalFocus}
          className="popup fixed inset-x-3 top-[20dvh] z-60 mx-auto max-w-sm p-4"
        >
          <AlertDialog.Title className="text-lg font-semibold">{t('ui.discardTitle')}</AlertDialog.Title>
          <AlertDialog.Description className="mt-1 text-ink-soft">
            {t('ui.discardHelp')}
          </AlertDialog.Description>
          <div className="mt-4 flex flex-wrap justify-end gap-2">
            <Button autoFocus onClick={onKeep}>
              {t('ui.keepEditing')}
            </Button>
            <Button kind="danger" onClick={onDiscard}>
              {t('ui.discard')}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** The row of buttons that ends a form in a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  // Stays in view below a form that is longer than the screen.
  return (
    <div className="sticky -bottom-4 z-10 -mx-4 -mb-4 mt-4 flex flex-wrap justify-end gap-2 rounded-b-xl border-t border-line bg-raised px-4 py-3">
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
  const close = () => {
    setEntered('');
    confirm.reset();
    onClose();
  };
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: close });
  return (
    <Dialog open={open} onClose={close} title={title} description={description} throwsAway>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirm.mutate();
        }}
      >
        {typed !== undefined && (
          <label className="flex flex-col gap-1">
            <span>{t('ui.typeToConfirm', { text: typed })}</span>
            <input className="control" value={entered} onChange={(event) => setEntered(event.target.value)} />
          </label>
        )}
        {confirm.isError && <ErrorNotice error={confirm.error} />}
        <DialogActions>
          <Button onClick={close}>{t('ui.cancel')}</Button>
          <Button
            type="submit"
            kind="danger"
            busy={confirm.isPending}
            disabled={typed !== undefined && entered !== typed}
          >
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
