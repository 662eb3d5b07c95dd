import { FileText, Paperclip, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { FILE_BYTES_MAX, upload } from '@/api/upload';
import { t } from '@/i18n';
import { fileSize } from '@/i18n/time';
import { Button, IconButton } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { notify } from '@/ui/toast';

/** A file that the server has. */
export interface StoredFile {
  id: string;
  name: string;
  size: number;
}

interface FilesFieldProps {
  label: string;
  files: StoredFile[];
  max: number;
  onChange: (update: (before: StoredFile[]) => StoredFile[]) => void;
  /** While files are being uploaded, the form cannot be saved. */
  onBusy: (busy: boolean) => void;
}

/** Files of a form. Each is uploaded as soon as it is chosen. */
export function FilesField({ label, files, max, onChange, onBusy }: FilesFieldProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const add = async (chosen: File[]) => {
    const small = chosen.filter((file) => file.size <= FILE_BYTES_MAX).slice(0, max - files.length);
    if (small.length < chosen.length)
      notify(t('canned.filesLimited', { count: max, size: fileSize(FILE_BYTES_MAX) }));
    setBusy(true);
    onBusy(true);
    setError(null);
    try {
      for (const file of small) {
        const { id, size } = await upload(file);
        onChange((before) => [...before, { id, name: file.name, size }]);
      }
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
      onBusy(false);
    }
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{label}</legend>
      <ul className="flex flex-col gap-1 empty:hidden">
        {files.map((file) => (
          <li key={file.id} className="flex items-center gap-1.5 rounded-lg border border-line ps-2">
            <FileText size={16} aria-hidden />
            <span className="min-w-0 flex-1 truncate">{file.name}</span>
            <span className="text-xs text-ink-soft">{fileSize(file.size)}</span>
            <IconButton
              label={t('ui.removeNamed', { name: file.name })}
              icon={<X size={16} aria-hidden />}
              onClick={() => onChange((before) => before.filter((other) => other.id !== file.id))}
            />
          </li>
        ))}
      </ul>
      {error !== null && <ErrorNotice error={error} />}
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={(event) => {
          void add([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <span>
        <Button
          kind="quiet"
          icon={<Paperclip size={16} aria-hidden />}
          busy={busy}
          disabled={files.length >= max}
          onClick={() => picker.current?.click()}
        >
          {t('composer.attach')}
        </Button>
      </span>
    </fieldset>
  );
}
