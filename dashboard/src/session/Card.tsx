import type { ReactNode } from 'react';
import { Toasts } from '@/ui/toast';

/** The frame of the pages before sign-in. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="flex min-h-full flex-col items-center justify-center p-4">
      <div className="w-full max-w-sm rounded-2xl border border-line bg-surface p-6">
        <img src="/app/icon.svg" alt="" width={40} height={40} />
        <h1 className="mt-3 mb-4 text-figure font-semibold">{title}</h1>
        {children}
      </div>
      <Toasts />
    </main>
  );
}
