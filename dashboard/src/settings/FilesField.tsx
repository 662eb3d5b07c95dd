import { useIsMutating, useMutation } from '@tanstack/react-query';
import { FileText, Paperclip, X } from 'lucide-react';
import { useRef } from 'react';
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
}

const UPLOAD_KEY = ['upload-files'];

/** While files are being uploaded, the form cannot be saved. */
export const useIsUploading = () => useIsMutating({ mutationKey: UPLOAD_KEY }) > 0;

/** Files of a form. Each is uploaded as soon as it is chosen. */
export function FilesField({ label, files, max, onChange }: FilesFieldProps) {
  const picker = useRef<HTMLInputElement>(null);
  const store = useMutation({
    mutationKey: UPLOAD_KEY,
    mutationFn: async (chosen: File[]) => {
      for (const file of chosen) {
        const { id, size } = await upload(file);
        onChange((before) => [...before, { id, name: file.name, size }]);
      }
    },
  });
  const add = (chosen: File[]) => {
    const small = chosen.filter((file) => file.size <= FILE_BYTES_MAX).slice(0, max - files.length);
    if (small.length < chosen.length)
      notify(t('canned.filesLimited', { count: max, size: fileSize(FILE_BYTES_MAX) }));
    store.mutate(small);
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
      {store.isError && <ErrorNotice error={store.error} />}
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={(event) => {
          add([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <span>
        <Button
          kind="quiet"
          icon={<Paperclip size={16} aria-hidden />}
          busy={store.isPending}
          disabled={files.length >= max}
          onClick={() => picker.current?.click()}
        >
          {t('composer.attach')}
        </Button>
      </span>
    </fieldset>
  );
}
