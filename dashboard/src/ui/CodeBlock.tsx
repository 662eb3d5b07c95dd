import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { t } from '@/i18n';
import { Button } from './Button';

const CONFIRM_MS = 2_000;

interface CodeBlockProps {
  /** For screen readers. */
  label: string;
  code: string;
  /** How high it may become before it scrolls. */
  height?: 'short' | 'tall' | 'any';
}

const HEIGHTS = { short: 'max-h-60', tall: 'max-h-96', any: '' } as const;

/** Code of several lines, with a button that copies it. */
export function CodeBlock({ label, code, height = 'short' }: CodeBlockProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    // Browsers give the clipboard to https and localhost only. Elsewhere the text can be selected.
    if (!navigator.clipboard) return;
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), CONFIRM_MS);
  };
  return (
    <div className="relative">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        className={`overflow-auto rounded-lg bg-sunken ${HEIGHTS[height]}`}
      >
        <pre dir="ltr" className="w-fit min-w-full p-3 pe-24 font-mono text-sm leading-5">
          {code}
        </pre>
      </section>
      <Button
        className="absolute end-2 top-2 min-h-8 text-sm"
        aria-label={copied ? t('ui.copied') : t('ui.copyNamed', { name: label })}
        onClick={() => void copy()}
        icon={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      >
        {copied ? t('ui.copied') : t('ui.copy')}
      </Button>
    </div>
  );
}
