import type { templates as original } from '../en/templates';
import type { Translation } from '../message';

export const templates: Translation<typeof original> = {
  'template.title': 'Vorlage senden',
  'template.help': 'Vorlagen sind von WhatsApp freigegeben und können jederzeit gesendet werden.',
  'template.choose': 'Vorlage',
  'template.search': 'Vorlagen durchsuchen',
  'template.none':
    'Noch ist keine Vorlage freigegeben. Vorlagen entstehen im WhatsApp-Manager und werden unter Einstellungen, Kanäle eingelesen.',
  'template.noValues': 'Diese Vorlage braucht keine Werte.',
  'template.body': 'Wert für {name}',
  'template.header_text': 'Wert für die Überschrift ({name})',
  'template.header_media': 'Datei für die Überschrift: {kind}',
  'template.button': 'Wert für die Schaltfläche „{name}“',
  'template.preview': 'Vorschau',
  'template.send': 'Vorlage senden',
  'template.previewEmpty': 'Wählen Sie eine Vorlage, um sie hier zu sehen.',
};
