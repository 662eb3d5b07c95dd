/** First steps, connecting channels, forms, calendars, hours, export and import. */
export const setup = {
  'firstSteps.intro': 'A few steps, and {account} is ready for customers. Take them in any order.',
  'firstSteps.putAway': 'Put the guide away',
  'firstSteps.awayHelp': 'The guide is put away. Search and commands (Ctrl-K) finds it again.',
  'firstSteps.showInMenu': 'Show it in the menu',
  'firstSteps.progress': 'Steps done',
  'firstSteps.done': '{done} of {total} done',
  'firstSteps.allDone': 'Everything is done',
  'firstSteps.stepDone': 'Done',
  'firstSteps.stepSkipped': 'Put away',
  'firstSteps.skip': 'Put away',
  'firstSteps.skipNamed': 'Put away: {step}',
  'firstSteps.resume': 'Bring it back',
  'firstSteps.channel': 'Connect a channel',
  'firstSteps.channelHelp':
    'WhatsApp, Messenger, Instagram or a chat on your website. Messages of customers then arrive in the inbox.',
  'firstSteps.invite': 'Invite a colleague',
  'firstSteps.inviteHelp':
    'Answer together, assign conversations, and write notes that customers do not see.',
  'firstSteps.inviteAction': 'Invite a colleague',
  'firstSteps.assistant': 'Try the assistant',
  'firstSteps.assistantHelp':
    'Write to it as a customer would, and watch it answer in the inbox. Then change its prompt until you like the answers.',
  'firstSteps.assistantAction': 'Write as a customer',
  'firstSteps.assistantChat': 'Write in your web chat',
  'firstSteps.assistantEdit': 'Assistants',
  'firstSteps.contacts': 'Import contacts',
  'firstSteps.contactsHelp':
    'From a CSV file or a spreadsheet. You see the result before anything is changed.',
  'firstSteps.contactsAction': 'Import contacts',

  'channels.missing': 'There is no such channel',
  'channels.missingHelp': 'It is not one of this account. Go back to the list of channels.',
  'channels.linkNamed': 'Link the phone of {name}',
  'connect.which': 'Which channel?',
  'connect.values': 'Values from Meta',
  'connect.valuesHelp':
    'Copy each value from Meta’s pages. Nothing is stored before Meta has confirmed them.',
  'connect.nameHint': 'For your team only. Empty means the name of the channel.',
  'connect.instagramId': 'Instagram account ID',
  'connect.waiting': 'These numbers wait for their phone:',
  'connectAbout.whatsapp': 'The number of a business, through Meta’s Cloud API. For teams and broadcasts.',
  'connectAbout.personal_whatsapp': 'The number of a phone that you go on using. Linked by a QR code.',
  'connectAbout.messenger': 'Messages to your Facebook page.',
  'connectAbout.instagram': 'Direct messages to your Instagram account.',
  'connectAbout.web_chat': 'A chat on your own website. Ready at once, without a vendor.',

  'connectHelp.phoneNumberId':
    'At developers.facebook.com, open your app, then WhatsApp, API Setup. Choose your number under “From”. The ID is below it. It is not the phone number.',
  'connectHelp.wabaId': 'On the same page, below the phone number ID: “WhatsApp Business Account ID”.',
  'connectHelp.whatsappToken':
    'At business.facebook.com, open Settings, Users, System users. Choose one, press “Generate token”, choose your app, and tick whatsapp_business_messaging and whatsapp_business_management. The token on the page API Setup ends after a day.',
  'connectHelp.pageId':
    'On facebook.com, open your page, About, Page transparency. Or in your app: Messenger, API settings, below the name of the page.',
  'connectHelp.pageToken':
    'At developers.facebook.com, open your app, then Messenger, API settings. Connect the page, and press “Generate” beside it.',
  'connectHelp.instagramId':
    'At developers.facebook.com, open your app, then Instagram, API setup. The ID is below the name of the account.',
  'connectHelp.instagramToken': 'On the same page: press “Generate token” beside the account.',
  'connectHelp.appSecret':
    'At developers.facebook.com, open your app, then App settings, Basic. Press “Show” beside “App secret”.',
  'connectHelp.verifyToken':
    'Any word of your choice. This one was made for you; you enter it at Meta in the next step.',

  'connectCheck.right': 'Looks right',
  'connectCheck.asking': 'Asking Meta …',
  'connectCheck.confirmed': 'Confirmed by Meta',
  'connectCheck.phoneNumber':
    'This looks like a phone number. The ID is a long number without spaces that stands below it at Meta.',
  'connectCheck.digits': 'An ID has digits only. Copy it again.',
  'connectCheck.idLength': 'IDs usually have about 15 digits. Check that you copied all of it.',
  'connectCheck.sameId': 'This is the phone number ID. The ID of the business account is another one.',
  'connectCheck.spaces': 'There is a space or a line break in it. Copy it again.',
  'connectCheck.sameSecret': 'This is the app secret. The access token is another, longer one.',
  'connectCheck.tokenShort': 'Tokens are usually longer. Check that you copied all of it.',
  'connectCheck.tokenStart': 'Tokens of Meta usually begin with EAA. Check that it is the access token.',
  'connectCheck.appSecret': 'App secrets usually have 32 digits and letters from a to f. Check it.',
  'connectCheck.verifyTokenShort': 'Choose at least eight characters, so that nobody guesses it.',

  'connectMeta.token_invalid':
    'Meta does not know this token, or it has expired. Create another one and copy it whole.',
  'connectMeta.token_lacks_permission':
    'This token may not manage and send WhatsApp messages. Create one with the permissions whatsapp_business_management and whatsapp_business_messaging.',
  'connectMeta.number_not_found':
    'The token sees no number with this ID. Copy the phone number ID, and assign the WhatsApp account to the user of the token.',
  'connectMeta.account_not_found':
    'The token sees no WhatsApp Business account with this ID. Copy the ID again, and assign the account to the user of the token.',
  'connectMeta.number_not_in_account':
    'The number above belongs to another WhatsApp Business account. Copy both IDs from the same page.',
  'connectMeta.page_not_found':
    'The token sees no page or account with this ID. Copy the ID again, and create the token for this page.',
  'connectMeta.secret_of_another_app':
    'This is not the secret of the app that the token is for. Copy it from the settings of that app.',
  'connectMeta.needs_token': 'This is checked once a valid access token is entered.',
  'connectMeta.checked_by_webhook': 'Meta checks this when it calls the callback URL.',
  'connectMeta.no_answer':
    'Meta did not answer. You can go on: it is checked again when you connect the channel.',

  'metaSetup.title': 'The last steps at Meta',
  'metaSetup.callback': 'Callback URL',
  'metaSetup.tokenGone':
    'Verify token: the one that you entered when you connected the channel. It is not shown again.',
  'metaSetup.write': 'Write to the channel from another phone or account.',
  'metaSetup.verify': 'Meta calls the address and compares the token.',
  'metaSetup.unverified': 'Waiting for Meta’s first call. This line changes by itself.',
  'metaSetup.verified': 'Meta calls this address.',
  'metaSetup.verifiedAt': 'Meta has verified the address at {time}.',
  'metaSetup.waiting': 'Waiting for the first message. This line changes by itself.',
  'metaSetup.arrived': 'The first message has arrived. The channel works.',
  'metaSetup.open': 'Open the conversation',
  'metaSetup.tryTitle': 'Try it',
  'metaSetup.sandboxWrite': 'Write to the channel as a customer.',
  'metaSetupWhere.whatsapp':
    'At developers.facebook.com, open your app, then WhatsApp, Configuration. Press “Edit” beside Webhook, enter these two values, and press “Verify and save”.',
  'metaSetupWhere.messenger':
    'At developers.facebook.com, open your app, then Messenger, API settings. Under “Configure webhooks”, enter these two values, and press “Verify and save”.',
  'metaSetupWhere.instagram':
    'At developers.facebook.com, open your app, then Instagram, API setup. Under “Configure webhooks”, enter these two values, and press “Verify and save”.',
  'metaSetupFields.whatsapp':
    'Below, under “Webhook fields”, subscribe to messages and message_template_status_update.',
  'metaSetupFields.messenger': 'Below, subscribe the page to messages, message_deliveries and message_reads.',
  'metaSetupFields.instagram': 'Below, subscribe to messages.',

  'webChat.settings': 'Settings',
  'webChat.title': 'Title',
  'webChat.titleUsual': 'Chat with us',
  'webChat.ownColor': 'Use a colour of your own',
  'webChat.color': 'Colour',
  'webChat.snippetHelp':
    'Put this HTML into the pages of your website, before </body>. It carries the settings above.',
  'webChat.preview': 'As visitors see it',
  'webChat.previewHelp': 'It works: what you write here arrives in the inbox, as from a visitor.',

  'forms.new': 'Create a form',
  'forms.newHelp': 'It asks for name, email, phone and a message. What is sent becomes an inquiry.',
  'forms.name': 'Name',
  'forms.nameHint': 'Visitors see it as the title, and inquiries are filed under it.',
  'forms.origins': 'Websites',
  'forms.originsHint':
    'One on each line, such as https://example.com. Only these may send the form and show it in a frame. Empty: any website may send it, and none may show it in a frame.',
  'forms.redirect': 'Page after sending',
  'forms.redirectHint': 'Empty means a page of thanks.',
  'forms.empty': 'No forms yet',
  'forms.emptyHelp': 'A form on your website turns what visitors write into inquiries and contacts.',
  'forms.anyWebsite': 'Any website',
  'forms.missing': 'There is no such form',
  'forms.missingHelp': 'It was deleted. Its inquiries are still there.',
  'forms.open': 'Open the form',
  'forms.website': 'On your website',
  'forms.address': 'Address of the form, to link to',
  'forms.allowed': 'These websites may send it: {websites}.',
  'forms.allowedAny': 'Any website may send it.',
  'forms.after': 'Afterwards the browser goes to {address}.',
  'forms.afterUsual': 'Afterwards the browser shows a page of thanks.',
  'forms.frame': 'In a frame',
  'forms.own': 'A form of your own',
  'forms.ownHelp': 'Change it as you like. Further fields are stored with the inquiry.',
  'forms.preview': 'As visitors see it',
  'forms.delete': 'Delete the form',
  'forms.deleteHelp': 'Websites that use “{name}” can no longer send it. Its inquiries stay.',
  'forms.submissions': 'Submissions',
  'forms.none': 'Nothing was sent yet. It appears here as it comes.',
  'forms.noneRecent': 'None among the newest inquiries.',

  'bookingSources.new': 'Connect Cal.com',
  'bookingSources.newHelp': 'Or another calendar that sends the same webhook.',
  'bookingSources.name': 'Name',
  'bookingSources.empty': 'No calendar is connected',
  'bookingSources.emptyHelp': 'Bookings of Cal.com then appear here, with their contacts.',
  'bookingSources.url': 'Subscriber URL',
  'bookingSources.secret': 'Secret',
  'bookingSources.added': 'Enter this at Cal.com',
  'bookingSources.addedHelp': 'The secret is shown only now.',
  'bookingSources.where':
    'At cal.com, open Settings, Developer, Webhooks, and press “New”. Enter these two values.',
  'bookingSources.events':
    'As events, choose Booking created, Booking rescheduled, Booking cancelled and Meeting ended. Then save.',
  'bookingSources.delete': 'Remove the calendar',
  'bookingSources.deleteHelp': 'Bookings of “{name}” no longer arrive. Those that are here stay.',

  'hours.business': 'Business hours',
  'hours.businessHelp':
    'Assistants that answer outside business hours follow them. In the account’s time zone.',
  'hours.alwaysOpen': 'Always open',
  'hours.sending': 'Sending hours',
  'hours.sendingHelp':
    'Triggers that respect quiet hours wait until these hours begin. In the account’s time zone.',
  'hours.alwaysSending': 'At any time',
  'hours.closed': 'Closed',
  'assistantLimits.most': 'At most {amount}, as whoever runs this server has decided.',
  'assistantLimits.model': 'Model',
  'assistantLimits.modelHint': 'For assistants that name none.',
  'assistantLimits.modelUsual': 'The server’s usual model',

  'data.contactsHelp': 'As a CSV file, with all fields and tags.',
  'data.importContacts': 'Import contacts',
  'data.exportContacts': 'Export contacts',
  'data.export': 'Export',
  'data.exportHelp':
    'One JSON file with everything that you tick, as the API has it. Messages and files are not in it.',
  'data.what': 'What is exported',
  'data.exportAction': 'Export as JSON',
  'data.exported': 'The file is in your downloads.',
  'data.tooMany': '{kind}: more than {count} rows are too many for a browser. Use the API for them.',
  'data.import': 'Import a setup',
  'data.importHelp':
    'From a file that was exported here or in another account: tags, custom fields, pipelines, canned replies (without their files) and instructions. What has the same name here already stays as it is.',
  'data.choose': 'Choose a file',
  'data.importAction': 'Import',
  'data.unreadable': 'This is not a file that was exported here, or there is nothing in it to import.',
  'data.found': '{kind}: {count}',
  'data.rows': { one: '{count} row', other: '{count} rows' },
  'data.created': { one: '{count} was created.', other: '{count} were created.' },
  'data.kept': { one: '{count} was here already.', other: '{count} were here already.' },
  'data.failed': '{kind}, {name}: {why}',
  'dataKind.contacts': 'Contacts',
  'dataKind.tags': 'Tags',
  'dataKind.custom_fields': 'Custom fields',
  'dataKind.segments': 'Segments',
  'dataKind.conversations': 'Conversations',
  'dataKind.canned_replies': 'Canned replies',
  'dataKind.templates': 'Templates',
  'dataKind.pipelines': 'Pipelines',
  'dataKind.deals': 'Deals',
  'dataKind.inquiries': 'Inquiries',
  'dataKind.bookings': 'Bookings',
  'dataKind.broadcasts': 'Broadcasts',
  'dataKind.assistants': 'Assistants',
  'dataKind.instructions': 'Instructions',
  'dataKind.memories': 'Memories',
  'dataKind.triggers': 'Triggers',
} as const;
