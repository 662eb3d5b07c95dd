import { useEffect, useEffectEvent, useRef } from 'react';

interface BlankFrameProps {
  title: string;
  /** Writes the content. It is called once for each document that the frame gets. */
  fill: (page: Document) => void;
  className?: string;
}

/**
 * A document of its own within the page: its styles and scripts do not meet those of the dashboard. It has no address,
 * so the Content-Security-Policy of the dashboard holds in it, too. Give it another key to fill it anew.
 */
export function BlankFrame({ title, fill, className = '' }: BlankFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const write = useEffectEvent(fill);
  useEffect(() => {
    const { current } = frame;
    let filled: Document | null = null;
    // Firefox replaces the first document by another one when it has loaded.
    const fillNew = () => {
      const page = current?.contentDocument;
      if (!page || page === filled) return;
      filled = page;
      write(page);
    };
    fillNew();
    current?.addEventListener('load', fillNew);
    return () => current?.removeEventListener('load', fillNew);
  }, []);
  return <iframe ref={frame} title={title} className={className} />;
}
