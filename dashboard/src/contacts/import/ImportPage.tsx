import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { EmptyState } from '@/ui/EmptyState';
import { Page } from '@/ui/Page';
import { fieldsQuery } from '../queries';
import { type CsvRow, decodeFile, parseCsv } from './csv';
import { ImportRun } from './ImportRun';
import { type MappingChoice, MappingForm } from './MappingForm';
import { guessMapping } from './mapping';

export interface ImportFile {
  name: string;
  headings: string[];
  rows: CsvRow[];
}

/** File, mapping, dry run, import: one step after the other, each can go back. */
export function ImportPage() {
  const [file, setFile] = useState<ImportFile | null>(null);
  const [choice, setChoice] = useState<MappingChoice | null>(null);
  const [unreadable, setUnreadable] = useState(false);
  const fields = useQuery(fieldsQuery).data;
  const read = async (picked: File) => {
    const [first, ...rows] = parseCsv(decodeFile(await picked.arrayBuffer()));
    const usable = first !== undefined && rows.length > 0;
    setUnreadable(!usable);
    if (usable) setFile({ name: picked.name, headings: first.cells.map((cell) => cell.trim()), rows });
  };
  const restart = () => {
    setFile(null);
    setChoice(null);
  };
  return (
    <Page
      title={t('import.title')}
      back={
        <Link to="/contacts" aria-label={t('nav.contacts')} className="rounded-lg p-2 hover:bg-sunken">
          <ArrowLeft size={18} aria-hidden className="rtl:rotate-180" />
        </Link>
      }
    >
      <div className="mx-auto max-w-4xl p-4">
        {!file && <PickFile unreadable={unreadable} onPick={(picked) => void read(picked)} />}
        {file && fields && !choice && (
          <MappingForm
            file={file}
            fields={fields}
            initial={guessMapping(file.headings, fields)}
            onBack={restart}
            onNext={setChoice}
          />
        )}
        {file && choice && (
          <ImportRun file={file} choice={choice} onBack={() => setChoice(null)} onRestart={restart} />
        )}
      </div>
    </Page>
  );
}

function PickFile({ unreadable, onPick }: { unreadable: boolean; onPick: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is a second way beside the button
    <div
      className={`rounded-2xl border-2 border-dashed ${over ? 'border-accent bg-accent-soft' : 'border-line-strong'}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer.files[0]) onPick(event.dataTransfer.files[0]);
      }}
    >
      <EmptyState
        icon={<FileUp size={40} />}
        title={t('import.pick')}
        action={
          <Button kind="primary" onClick={() => input.current?.click()}>
            {t('import.choose')}
          </Button>
        }
      >
        <p>{t('import.pickHelp')}</p>
        {unreadable && (
          <p role="alert" className="mt-2 text-danger">
            {t('import.unreadable')}
          </p>
        )}
      </EmptyState>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        hidden
        aria-label={t('import.choose')}
        onChange={(event) => event.target.files?.[0] && onPick(event.target.files[0])}
      />
    </div>
  );
}
