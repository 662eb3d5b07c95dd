import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { t } from '@/i18n';
import { useSession } from '@/session/session';
import { Button } from '@/ui/Button';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page } from '@/ui/Page';
import { fieldsQuery } from '../queries';
import { ImportRun } from './ImportRun';
import { type MappingChoice, MappingForm } from './MappingForm';
import { guessMapping } from './mapping';
import { type ImportFile, readFile, UnreadableFile } from './readFile';

/** File, mapping, dry run, import: one step after the other, each can go back. */
export function ImportPage() {
  const [file, setFile] = useState<ImportFile | null>(null);
  const [choice, setChoice] = useState<MappingChoice | null>(null);
  const fields = useQuery(fieldsQuery).data;
  const { country } = useSession().account;
  const read = useMutation({ mutationFn: readFile, onSuccess: setFile });
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
      <div className="page-column">
        {!file && (
          <PickFile problem={read.error} busy={read.isPending} onPick={(picked) => read.mutate(picked)} />
        )}
        {file && fields && (
          // It stays while the rows are checked, so that going back keeps what was chosen.
          <div hidden={choice !== null}>
            <MappingForm
              file={file}
              fields={fields}
              initial={guessMapping(file.headings, fields)}
              country={country}
              onBack={restart}
              onNext={setChoice}
            />
          </div>
        )}
        {file && fields && choice && (
          <ImportRun
            file={file}
            fields={fields}
            choice={choice}
            onBack={() => setChoice(null)}
            onRestart={restart}
          />
        )}
      </div>
    </Page>
  );
}

interface PickFileProps {
  /** Why the file that was picked cannot be read. */
  problem: unknown;
  busy: boolean;
  onPick: (file: File) => void;
}

function PickFile({ problem, busy, onPick }: PickFileProps) {
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
          <Button kind="primary" busy={busy} onClick={() => input.current?.click()}>
            {t('import.choose')}
          </Button>
        }
      >
        <p>{t('import.pickHelp')}</p>
        {problem instanceof UnreadableFile && (
          <p role="alert" className="mt-2 text-danger">
            {problem.message}
          </p>
        )}
        {problem !== null && !(problem instanceof UnreadableFile) && <ErrorNotice error={problem} />}
      </EmptyState>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,.xlsx,text/csv"
        hidden
        aria-label={t('import.choose')}
        onChange={(event) => {
          if (event.target.files?.[0]) onPick(event.target.files[0]);
          // The same file can be chosen again after it was corrected.
          event.target.value = '';
        }}
      />
    </div>
  );
}
