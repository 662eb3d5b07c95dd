export const templates = {
  'template.title': 'Send a template',
  'template.help': 'Templates were approved by WhatsApp and can be sent at any time.',
  'template.choose': 'Template',
  'template.search': 'Search templates',
  'template.none':
    'No template is approved yet. Templates are made in WhatsApp Manager and read under Settings, Channels.',
  'template.noValues': 'This template needs no values.',
  'template.body': 'Value for {name}',
  'template.header_text': 'Value for the heading ({name})',
  'template.header_media': 'File for the heading: {kind}',
  'template.button': 'Value for the button “{name}”',
  'template.preview': 'Preview',
  'template.send': 'Send the template',
  'template.previewEmpty': 'Choose a template to see it here.',
} as const;
