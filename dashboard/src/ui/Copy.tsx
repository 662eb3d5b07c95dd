import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { t } from '@/i18n';
import { Button } from './Button';

const CONFIRM_MS = 2_000;

/** A value that is shown once, with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), CONFIRM_MS);
  };
  return (
    <div className="flex flex-col gap-1">
      <span className="font-medium">{label}</span>
      <div className="flex gap-2">
        <code className="control min-w-0 flex-1 overflow-x-auto bg-sunken font-mono text-sm whitespace-nowrap">
          {value}
        </code>
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
