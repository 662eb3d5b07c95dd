import { useQuery } from '@tanstack/react-query';
import type { FormDetail } from '@/api/schema';
import { t } from '@/i18n';
import { BlankFrame } from '@/ui/BlankFrame';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Loading } from '@/ui/Spinner';
import { formPageQuery } from '../queries';

/** The hosted form as visitors see it. It cannot be filled in here. */
export function FormPreview({ form }: { form: FormDetail }) {
  const query = useQuery(formPageQuery(form));
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <BlankFrame
      key={query.data}
      title={t('forms.preview')}
      className="h-160 w-full rounded-lg border border-line"
      fill={(page) => {
        const hosted = new DOMParser().parseFromString(query.data, 'text/html');
        page.documentElement.lang = hosted.documentElement.lang;
        page.head.append(...hosted.head.querySelectorAll('style'));
        page.body.append(...hosted.body.childNodes);
        page.body.inert = true;
      }}
    />
  );
}
