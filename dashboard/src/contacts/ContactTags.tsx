import type { Contact } from '@/api/schema';
import { Tag } from '@/ui/Tag';

/** As many as fit into little room; the others are counted and named on hover. */
const TAGS_SHOWN_MAX = 2;

export function ContactTags({ contact }: { contact: Contact }) {
  return (
    <span className="flex items-center gap-1">
      {contact.tags.slice(0, TAGS_SHOWN_MAX).map((tag) => (
        <Tag key={tag.id} name={tag.name} color={tag.color} />
      ))}
      {contact.tags.length > TAGS_SHOWN_MAX && (
        <span
          className="shrink-0 text-sm text-ink-soft"
          title={contact.tags
            .slice(TAGS_SHOWN_MAX)
            .map((tag) => tag.name)
            .join(', ')}
        >
          +{contact.tags.length - TAGS_SHOWN_MAX}
        </span>
      )}
    </span>
  );
}
