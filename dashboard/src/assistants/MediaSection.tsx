import { t } from '@/i18n';
import { TextField } from '@/ui/Field';
import { Switch } from '@/ui/Switch';
import { EditorSection, type SectionProps } from './section';

/** What it does with photos and voice notes. */
export function MediaSection({ draft, set, errorAt }: SectionProps) {
  return (
    <EditorSection name="media">
      <Switch
        label={t('assistantField.handle_images')}
        hint={t('assistantHelp.handle_images')}
        checked={draft.handle_images}
        onChange={(checked) => set({ handle_images: checked })}
      />
      <Switch
        label={t('assistantField.handle_voice')}
        hint={t('assistantHelp.handle_voice')}
        checked={draft.handle_voice}
        onChange={(checked) => set({ handle_voice: checked })}
      />
      <Switch
        label={t('assistantField.transcribe_media')}
        hint={t('assistantHelp.transcribe_media')}
        checked={draft.transcribe_media}
        onChange={(checked) => set({ transcribe_media: checked })}
      />
      <Switch
        label={t('assistantField.voice_replies')}
        hint={t('assistantHelp.voice_replies')}
        checked={draft.voice_replies}
        onChange={(checked) => set({ voice_replies: checked })}
      />
      {draft.voice_replies && (
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label={t('assistantField.voice_provider')}
            value={draft.voice_provider ?? ''}
            maxLength={50}
            error={errorAt('voice_provider')}
            onChange={(event) => set({ voice_provider: event.target.value || null })}
          />
          <TextField
            label={t('assistantField.voice_id')}
            value={draft.voice_id ?? ''}
            maxLength={100}
            error={errorAt('voice_id')}
            onChange={(event) => set({ voice_id: event.target.value || null })}
          />
        </div>
      )}
    </EditorSection>
  );
}
