import { type ClipboardEvent, type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { COMPOSER_ID } from './focus';
import { sendKey, sends } from './preferences';

const HEIGHT_PX_MAX = 240;

interface TextBoxProps {
  label: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  onSend: () => void;
  /** Sees keys first; true means that the key was used. */
  onKey?: (event: KeyboardEvent<HTMLTextAreaElement>) => boolean;
  onFiles?: (files: File[]) => void;
  describedBy?: string;
}

/** A text field that grows with its text. */
export function TextBox({
  label,
  placeholder,
  text,
  onText,
  onSend,
  onKey,
  onFiles,
  describedBy,
}: TextBoxProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    // Measuring makes the browser lay the page out at once, and an empty field has its usual height.
    if (text === '') return;
    element.style.height = `${Math.min(element.scrollHeight + 2, HEIGHT_PX_MAX)}px`;
  }, [text]);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (onKey?.(event)) return event.preventDefault();
    if (event.key === 'Escape') field.current?.blur();
    if (!sends({ ...event, key: event.key, isComposing: event.nativeEvent.isComposing }, sendKey())) return;
    event.preventDefault();
    onSend();
  };
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0 || !onFiles) return;
    event.preventDefault();
    onFiles(files);
  };
  return (
    <textarea
      ref={field}
      id={COMPOSER_ID}
      dir="auto"
      rows={2}
      value={text}
      aria-label={label}
      aria-describedby={describedBy}
      placeholder={placeholder}
      onChange={(event) => onText(event.target.value)}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      className="control resize-none"
    />
  );
}
