import { Check, Copy } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { t } from '@/i18n';
import { Button } from './Button';

const CONFIRM_MS = 2_000;

/** A value to be taken elsewhere, with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    // Browsers give the clipboard to https and localhost only. Elsewhere the value is selected, for Ctrl-C.
    field.current?.select();
    if (!navigator.clipboard) return;
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), CONFIRM_MS);
  };
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <div className="flex gap-2">
        <input
          ref={field}
          id={id}
          readOnly
          value={value}
          onFocus={(event) => event.target.select()}
          className="control min-w-0 flex-1 bg-sunken font-mono text-sm"
        />
        <Button
          onClick={() => void copy()}
          icon={copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        >
          {copied ? t('ui.copied') : t('ui.copy')}
        </Button>
      </div>
    </div>
  );
}
