import type { setup as original } from '../en/setup';
import type { Translation } from '../message';

export const setup: Translation<typeof original> = {
  'firstSteps.intro':
    'Ein paar Schritte, und {account} ist bereit für Kunden. Gehen Sie sie in beliebiger Reihenfolge.',
  'firstSteps.putAway': 'Anleitung weglegen',
  'firstSteps.awayHelp': 'Die Anleitung ist weggelegt. Suche und Befehle (Strg-K) findet sie wieder.',
  'firstSteps.showInMenu': 'Im Menü zeigen',
  'firstSteps.progress': 'Erledigte Schritte',
  'firstSteps.done': '{done} von {total} erledigt',
  'firstSteps.allDone': 'Alles ist erledigt',
  'firstSteps.stepDone': 'Erledigt',
  'firstSteps.stepSkipped': 'Weggelegt',
  'firstSteps.skip': 'Weglegen',
  'firstSteps.skipNamed': 'Weglegen: {step}',
  'firstSteps.resume': 'Zurückholen',
  'firstSteps.channel': 'Einen Kanal verbinden',
  'firstSteps.channelHelp':
    'WhatsApp, Messenger, Instagram oder einen Chat auf Ihrer Website. Nachrichten von Kunden kommen dann im Posteingang an.',
  'firstSteps.invite': 'Jemanden aus dem Team einladen',
  'firstSteps.inviteHelp':
    'Antworten Sie gemeinsam, weisen Sie Unterhaltungen zu, und schreiben Sie Notizen, die Kunden nicht sehen.',
  'firstSteps.inviteAction': 'Jemanden einladen',
  'firstSteps.assistant': 'Den Assistenten ausprobieren',
  'firstSteps.assistantHelp':
    'Schreiben Sie ihm wie ein Kunde, und sehen Sie im Posteingang, wie er antwortet. Ändern Sie dann seine Anweisung, bis Ihnen die Antworten gefallen.',
  'firstSteps.practice':
    'Bis ein Modell verbunden ist, antwortet ein Übungsmodell. Es wiederholt, was Sie schreiben, und tut, worum ein einfacher englischer Satz bittet, etwa: Please add a note: I need two oak chairs. Wenn der Assistent für dieses Werkzeug einen Menschen fragt, wartet es unter Freigaben.',
  'firstSteps.assistantAction': 'Als Kunde schreiben',
  'firstSteps.assistantChat': 'In Ihrem Webchat schreiben',
  'firstSteps.assistantEdit': 'Assistenten',
  'firstSteps.contacts': 'Kontakte importieren',
  'firstSteps.contactsHelp':
    'Aus einer CSV-Datei oder einer Tabelle. Sie sehen das Ergebnis, bevor etwas geändert wird.',
  'firstSteps.contactsAction': 'Kontakte importieren',

  'channels.missing': 'Diesen Kanal gibt es nicht',
  'channels.missingHelp': 'Er gehört nicht zu diesem Konto. Gehen Sie zurück zur Liste der Kanäle.',
  'channels.linkNamed': 'Telefon von {name} verknüpfen',
  'connect.which': 'Welcher Kanal?',
  'connect.values': 'Werte von Meta',
  'connect.valuesHelp':
    'Kopieren Sie jeden Wert von den Seiten von Meta. Nichts wird gespeichert, bevor Meta sie bestätigt hat.',
  'connect.nameHint': 'Nur für Ihr Team. Leer bedeutet: der Name des Kanals.',
  'connect.instagramId': 'ID des Instagram-Kontos',
  'connect.waiting': 'Diese Nummern warten auf ihr Telefon:',
  'connectAbout.whatsapp':
    'Die Nummer eines Unternehmens, über die Cloud API von Meta. Für Teams und Kampagnen.',
  'connectAbout.personal_whatsapp':
    'Die Nummer eines Telefons, das Sie weiter benutzen. Verknüpft durch einen QR-Code.',
  'connectAbout.messenger': 'Nachrichten an Ihre Facebook-Seite.',
  'connectAbout.instagram': 'Direktnachrichten an Ihr Instagram-Konto.',
  'connectAbout.web_chat': 'Ein Chat auf Ihrer eigenen Website. Sofort bereit, ohne Anbieter.',

  'connectHelp.phoneNumberId':
    'Öffnen Sie auf developers.facebook.com Ihre App, dann WhatsApp, API-Einrichtung. Wählen Sie Ihre Nummer unter „Von“. Die ID steht darunter. Sie ist nicht die Telefonnummer.',
  'connectHelp.wabaId':
    'Auf derselben Seite, unter der ID der Telefonnummer: „ID des WhatsApp Business-Kontos“.',
  'connectHelp.whatsappToken':
    'Öffnen Sie auf business.facebook.com Einstellungen, Nutzer, Systemnutzer. Wählen Sie einen, drücken Sie „Token generieren“, wählen Sie Ihre App, und kreuzen Sie whatsapp_business_messaging und whatsapp_business_management an. Der Token auf der Seite API-Einrichtung endet nach einem Tag.',
  'connectHelp.pageId':
    'Öffnen Sie auf facebook.com Ihre Seite, Info, Seitentransparenz. Oder in Ihrer App: Messenger, API-Einstellungen, unter dem Namen der Seite.',
  'connectHelp.pageToken':
    'Öffnen Sie auf developers.facebook.com Ihre App, dann Messenger, API-Einstellungen. Verbinden Sie die Seite, und drücken Sie daneben „Generieren“.',
  'connectHelp.instagramId':
    'Öffnen Sie auf developers.facebook.com Ihre App, dann Instagram, API-Einrichtung. Die ID steht unter dem Namen des Kontos.',
  'connectHelp.instagramToken': 'Auf derselben Seite: Drücken Sie neben dem Konto „Token generieren“.',
  'connectHelp.appSecret':
    'Öffnen Sie auf developers.facebook.com Ihre App, dann App-Einstellungen, Allgemeines. Drücken Sie „Anzeigen“ neben „App-Geheimcode“.',
  'connectHelp.verifyToken':
    'Ein Wort Ihrer Wahl. Dieses wurde für Sie gemacht; Sie geben es im nächsten Schritt bei Meta ein.',

  'connectCheck.right': 'Sieht richtig aus',
  'connectCheck.asking': 'Meta wird gefragt …',
  'connectCheck.confirmed': 'Von Meta bestätigt',
  'connectCheck.phoneNumber':
    'Das sieht nach einer Telefonnummer aus. Die ID ist eine lange Zahl ohne Leerzeichen, die bei Meta darunter steht.',
  'connectCheck.digits': 'Eine ID hat nur Ziffern. Kopieren Sie sie noch einmal.',
  'connectCheck.idLength': 'IDs haben meist etwa 15 Ziffern. Prüfen Sie, ob Sie sie ganz kopiert haben.',
  'connectCheck.sameId': 'Das ist die ID der Telefonnummer. Die ID des Business-Kontos ist eine andere.',
  'connectCheck.spaces':
    'Darin ist ein Leerzeichen oder ein Zeilenumbruch. Kopieren Sie den Wert noch einmal.',
  'connectCheck.sameSecret': 'Das ist das App-Geheimnis. Der Zugriffstoken ist ein anderer, längerer Wert.',
  'connectCheck.tokenShort': 'Tokens sind meist länger. Prüfen Sie, ob Sie ihn ganz kopiert haben.',
  'connectCheck.tokenStart':
    'Tokens von Meta beginnen meist mit EAA. Prüfen Sie, ob es der Zugriffstoken ist.',
  'connectCheck.appSecret':
    'App-Geheimnisse haben meist 32 Ziffern und Buchstaben von a bis f. Prüfen Sie es.',
  'connectCheck.verifyTokenShort': 'Wählen Sie mindestens acht Zeichen, damit ihn niemand errät.',

  'connectMeta.token_invalid':
    'Meta kennt diesen Token nicht, oder er ist abgelaufen. Erstellen Sie einen neuen, und kopieren Sie ihn ganz.',
  'connectMeta.token_lacks_permission':
    'Dieser Token darf WhatsApp nicht verwalten und nicht senden. Erstellen Sie einen mit den Berechtigungen whatsapp_business_management und whatsapp_business_messaging.',
  'connectMeta.number_not_found':
    'Der Token sieht keine Nummer mit dieser ID. Kopieren Sie die ID der Telefonnummer, und weisen Sie das WhatsApp-Konto dem Benutzer des Tokens zu.',
  'connectMeta.account_not_found':
    'Der Token sieht kein WhatsApp-Business-Konto mit dieser ID. Kopieren Sie die ID noch einmal, und weisen Sie das Konto dem Benutzer des Tokens zu.',
  'connectMeta.number_not_in_account':
    'Die Nummer darüber gehört zu einem anderen WhatsApp-Business-Konto. Kopieren Sie beide IDs von derselben Seite.',
  'connectMeta.page_not_found':
    'Der Token sieht keine Seite und kein Konto mit dieser ID. Kopieren Sie die ID noch einmal, und erstellen Sie den Token für diese Seite.',
  'connectMeta.secret_of_another_app':
    'Das ist nicht das Geheimnis der App, für die der Token ist. Kopieren Sie es aus den Einstellungen dieser App.',
  'connectMeta.needs_token': 'Das wird geprüft, sobald ein gültiger Zugriffstoken eingegeben ist.',
  'connectMeta.checked_by_webhook': 'Meta prüft das, wenn es die Callback-URL aufruft.',
  'connectMeta.no_answer':
    'Meta hat nicht geantwortet. Sie können weitermachen: Beim Verbinden des Kanals wird noch einmal geprüft.',

  'metaSetup.title': 'Die letzten Schritte bei Meta',
  'metaSetup.callback': 'Callback-URL',
  'metaSetup.tokenGone':
    'Verifizierungstoken: der, den Sie beim Verbinden des Kanals eingegeben haben. Er wird nicht noch einmal gezeigt.',
  'metaSetup.write': 'Schreiben Sie dem Kanal von einem anderen Telefon oder Konto.',
  'metaSetup.verify': 'Meta ruft die Adresse auf und vergleicht den Token.',
  'metaSetup.unverified': 'Der erste Aufruf von Meta wird erwartet. Diese Zeile ändert sich von selbst.',
  'metaSetup.verified': 'Meta ruft diese Adresse auf.',
  'metaSetup.verifiedAt': 'Meta hat die Adresse bestätigt: {time}.',
  'metaSetup.waiting': 'Die erste Nachricht wird erwartet. Diese Zeile ändert sich von selbst.',
  'metaSetup.arrived': 'Die erste Nachricht ist angekommen. Der Kanal funktioniert.',
  'metaSetup.open': 'Unterhaltung öffnen',
  'metaSetup.tryTitle': 'Ausprobieren',
  'metaSetup.sandboxWrite': 'Schreiben Sie dem Kanal als Kunde.',
  'metaSetupWhere.whatsapp':
    'Öffnen Sie auf developers.facebook.com Ihre App, dann WhatsApp, Konfiguration. Drücken Sie „Bearbeiten“ neben Webhook, geben Sie diese beiden Werte ein, und drücken Sie „Überprüfen und speichern“.',
  'metaSetupWhere.messenger':
    'Öffnen Sie auf developers.facebook.com Ihre App, dann Messenger, API-Einstellungen. Geben Sie unter „Webhooks konfigurieren“ diese beiden Werte ein, und drücken Sie „Überprüfen und speichern“.',
  'metaSetupWhere.instagram':
    'Öffnen Sie auf developers.facebook.com Ihre App, dann Instagram, API-Einrichtung. Geben Sie unter „Webhooks konfigurieren“ diese beiden Werte ein, und drücken Sie „Überprüfen und speichern“.',
  'metaSetupFields.whatsapp':
    'Abonnieren Sie darunter bei „Webhook-Felder“ messages und message_template_status_update.',
  'metaSetupFields.messenger':
    'Abonnieren Sie darunter für die Seite messages, message_deliveries und message_reads.',
  'metaSetupFields.instagram': 'Abonnieren Sie darunter messages.',

  'webChat.settings': 'Chat-Widget',
  'webChat.saved': 'Gespeichert. Ihre Website zeigt es innerhalb einer Minute.',
  'webChat.look': 'Aussehen',
  'webChat.ownColor': 'Eine eigene Farbe verwenden',
  'webChat.color': 'Farbe',
  'webChat.theme': 'Farbschema',
  'widgetTheme.auto': 'Wie das System des Besuchers',
  'widgetTheme.light': 'Hell',
  'widgetTheme.dark': 'Dunkel',
  'webChat.position': 'Position',
  'widgetPosition.right': 'Unten rechts',
  'widgetPosition.left': 'Unten links',
  'webChat.language': 'Sprache',
  'webChat.language.auto': 'Wie die Seite, sonst der Browser',
  'webChat.texts': 'Texte',
  'webChat.textsLanguage': 'Sprache der Texte',
  'webChat.title': 'Titel',
  'webChat.titleHint': 'Auf der Schaltfläche und über dem Chat. Leer: „Chatten Sie mit uns“.',
  'webChat.greeting': 'Begrüßung',
  'webChat.greetingHint': 'Steht über der Unterhaltung. Leer: keine.',
  'webChat.away': 'Außerhalb der Geschäftszeiten',
  'webChat.awayHint': 'Leer: wann das Team antwortet, in der Zeit des Besuchers.',
  'webChat.behaviour': 'Verhalten',
  'webChat.askName': 'Nach dem Namen fragen',
  'webChat.askEmail': 'Nach der E-Mail-Adresse fragen',
  'widgetAsk.never': 'Nie',
  'widgetAsk.optional': 'Freiwillig',
  'widgetAsk.required': 'Pflicht vor dem Chat',
  'webChat.showsHours': 'Sagen, wann das Team nicht da ist',
  'webChat.showsHoursHint': 'Nach den Geschäftszeiten des Kontos.',
  'webChat.acceptsFiles': 'Besucher dürfen Dateien senden',
  'webChat.playsSound': 'Ton bei neuen Nachrichten',
  'webChat.playsSoundHint': 'Besucher können ihn abschalten.',
  'webChat.showsPage': 'Die Seite, auf der ein Besucher ist',
  'webChat.showsPageHint':
    'Mitglieder sehen neben der Unterhaltung, welche Ihrer Seiten der Besucher geöffnet hat. Aus: Davon wird nichts gespeichert, und Gespeichertes wird gelöscht.',
  'webChat.snippetHelp':
    'Fügen Sie dieses HTML vor </body> in die Seiten Ihrer Website ein. Änderungen oben brauchen kein neues HTML.',
  'webChat.preview': 'So sehen es Besucher',
  'webChat.previewHelp':
    'Sie funktioniert, auch mit dem, was noch nicht gespeichert ist: Was Sie hier schreiben, kommt wie von einem Besucher im Posteingang an.',

  'identity.title': 'Identitätsprüfung',
  'identity.on': 'An',
  'identity.off': 'Aus',
  'identity.help':
    'Wenn sich Menschen auf Ihrer Website anmelden, signieren Sie deren Kennungen auf Ihrem Server. Jeder hat dann eine Unterhaltung in allen seinen Browsern, und niemand kann sich als jemand anderes ausgeben.',
  'identity.create': 'Schlüssel erstellen',
  'identity.replace': 'Neuen Schlüssel erstellen',
  'identity.replaceHelp':
    'Der jetzige Schlüssel gilt sofort nicht mehr. Niemand wird erkannt, bis Ihr Server mit dem neuen signiert.',
  'identity.secret': 'Identitätsschlüssel',
  'identity.once': 'Er wird nur jetzt gezeigt. Bewahren Sie ihn auf Ihrem Server auf, und auf keiner Seite.',
  'identity.sign': 'Auf Ihrem Server: die Kennung signieren',
  'identity.language': 'Programmiersprache',
  'identity.page': 'Auf Ihren Seiten: beides weitergeben',

  'branding.help':
    'Formulare und ihre Dankesseiten zeigen dies. Chats zeigen es, wo sie keine eigene Farbe und keinen eigenen Titel haben.',
  'branding.logo': 'Logo',
  'branding.logoHint': 'PNG, JPEG oder WebP, bis zu {size} KB.',
  'branding.logoType': 'Das Logo muss ein PNG-, JPEG- oder WebP-Bild sein.',
  'branding.logoSize': 'Das Logo darf höchstens {size} KB haben.',
  'branding.addLogo': 'Logo hinzufügen',
  'branding.replaceLogo': 'Logo ersetzen',
  'branding.removeLogo': 'Logo entfernen',
  'branding.name': 'Name, den Besucher sehen',
  'branding.ownColor': 'Eine Akzentfarbe verwenden',
  'branding.colorHint': 'Text darauf ist schwarz oder weiß, je nachdem, was besser lesbar ist.',
  'branding.color': 'Akzentfarbe',
  'branding.preview': 'Vorschau',
  'branding.onForms': 'Auf Formularen',
  'branding.onChats': 'In Chats',
  'branding.send': 'Senden',
  'branding.chatTitle': 'Chatten Sie mit uns',
  'branding.hello': 'Hallo! Wie können wir helfen?',
  'branding.question': 'Liefern Sie nach Norwegen?',

  'forms.new': 'Formular anlegen',
  'forms.newHelp':
    'Es fragt nach Name, E-Mail, Telefon und einer Nachricht. Was gesendet wird, wird zu einer Anfrage.',
  'forms.name': 'Name',
  'forms.nameHint': 'Besucher sehen ihn als Titel, und Anfragen werden darunter abgelegt.',
  'forms.origins': 'Websites',
  'forms.originsHint':
    'Eine auf jeder Zeile, etwa https://example.com. Nur diese dürfen das Formular senden und in einem Rahmen zeigen. Leer: Jede Website darf es senden, und keine darf es in einem Rahmen zeigen.',
  'forms.redirect': 'Seite nach dem Senden',
  'forms.redirectHint': 'Leer bedeutet: eine Seite mit einem Dank.',
  'forms.empty': 'Noch keine Formulare',
  'forms.emptyHelp':
    'Ein Formular auf Ihrer Website macht aus dem, was Besucher schreiben, Anfragen und Kontakte.',
  'forms.anyWebsite': 'Jede Website',
  'forms.missing': 'Dieses Formular gibt es nicht',
  'forms.missingHelp': 'Es wurde gelöscht. Seine Anfragen sind noch da.',
  'forms.open': 'Formular öffnen',
  'forms.website': 'Auf Ihrer Website',
  'forms.address': 'Adresse des Formulars, für einen Link',
  'forms.allowed': 'Diese Websites dürfen es senden: {websites}.',
  'forms.allowedAny': 'Jede Website darf es senden.',
  'forms.after': 'Danach geht der Browser zu {address}.',
  'forms.afterUsual': 'Danach zeigt der Browser eine Seite mit einem Dank.',
  'forms.frame': 'In einem Rahmen',
  'forms.own': 'Ein eigenes Formular',
  'forms.ownHelp': 'Ändern Sie es nach Belieben. Weitere Felder werden mit der Anfrage gespeichert.',
  'forms.preview': 'Wie Besucher es sehen',
  'forms.edit': 'Formular',
  'forms.nameChanged':
    'Besucher sehen ihn als Titel. Frühere Anfragen behalten den Namen, den das Formular hatte.',
  'forms.button': 'Text der Schaltfläche',
  'forms.thanks': 'Text nach dem Senden',
  'forms.fields': 'Felder',
  'forms.fieldsHelp':
    'Alt mit den Pfeiltasten verschiebt ein Feld ebenfalls. Sobald Sie Felder speichern, müssen Pflichtfelder ausgefüllt sein, auch bei eigenen Formularen.',
  'forms.label': 'Beschriftung',
  'forms.type': 'Art',
  'formFieldType.text': 'Text',
  'formFieldType.long_text': 'Langer Text',
  'formFieldType.choice': 'Auswahl',
  'formFieldType.checkbox': 'Kontrollkästchen',
  'formFieldType.date': 'Datum',
  'forms.builtIn': 'Eingebaut',
  'formField.name': 'Name',
  'formField.email': 'E-Mail',
  'formField.phone': 'Telefon',
  'formField.message': 'Nachricht',
  'forms.ownField': 'Eigene',
  'forms.storedAs': '{type}, gespeichert als {key}',
  'forms.required': 'Pflichtfeld',
  'forms.mustBeChecked': 'Muss angekreuzt sein',
  'forms.options': 'Möglichkeiten',
  'forms.optionsHint': 'Eine je Zeile.',
  'forms.optionsUsual': 'Erste Möglichkeit',
  'forms.addField': 'Feld hinzufügen',
  'forms.fieldsMax': 'Ein Formular hat höchstens {count} Felder.',
  'forms.moveUp': '{name} nach oben',
  'forms.moveDown': '{name} nach unten',
  'forms.movedTo': '{name}: Platz {position} von {count}',
  'formPage.form': 'Formular',
  'formPage.thanks': 'Nach dem Senden',
  'forms.previewUnfinished': 'Vervollständigen Sie das Formular, um es hier zu sehen.',
  'forms.delete': 'Formular löschen',
  'forms.deleteHelp': 'Websites, die „{name}“ benutzen, können es nicht mehr senden. Seine Anfragen bleiben.',
  'forms.submissions': 'Einsendungen',
  'forms.none': 'Noch wurde nichts gesendet. Es erscheint hier, sobald es kommt.',
  'forms.noneRecent': 'Keine unter den neuesten Anfragen.',

  'bookingSources.new': 'Cal.com verbinden',
  'bookingSources.newHelp': 'Oder einen anderen Kalender, der denselben Webhook sendet.',
  'bookingSources.name': 'Name',
  'bookingSources.empty': 'Kein Kalender ist verbunden',
  'bookingSources.emptyHelp': 'Termine von Cal.com erscheinen dann hier, mit ihren Kontakten.',
  'bookingSources.url': 'Subscriber URL',
  'bookingSources.secret': 'Geheimnis',
  'bookingSources.added': 'Geben Sie das bei Cal.com ein',
  'bookingSources.addedHelp': 'Das Geheimnis wird nur jetzt gezeigt.',
  'bookingSources.where':
    'Öffnen Sie auf cal.com Einstellungen, Entwickler, Webhooks, und drücken Sie „Neu“. Geben Sie diese beiden Werte ein.',
  'bookingSources.events':
    'Wählen Sie als Ereignisse Booking created, Booking rescheduled, Booking cancelled und Meeting ended. Speichern Sie dann.',
  'bookingSources.delete': 'Kalender entfernen',
  'bookingSources.deleteHelp': 'Termine von „{name}“ kommen nicht mehr an. Die vorhandenen bleiben.',

  'hours.business': 'Geschäftszeiten',
  'hours.businessHelp':
    'Assistenten, die außerhalb der Geschäftszeiten antworten, richten sich danach. In der Zeitzone des Kontos.',
  'hours.alwaysOpen': 'Immer geöffnet',
  'hours.sending': 'Sendezeiten',
  'hours.sendingHelp':
    'Auslöser, die Ruhezeiten beachten, warten, bis diese Zeiten beginnen. In der Zeitzone des Kontos.',
  'hours.alwaysSending': 'Jederzeit',
  'hours.closed': 'Geschlossen',
  'assistantLimits.most': 'Höchstens {amount}, wie der Betreiber dieses Servers entschieden hat.',
  'assistantLimits.model': 'Modell',
  'assistantLimits.modelHint': 'Für Assistenten, die keins nennen.',
  'assistantLimits.modelUsual': 'Das übliche Modell des Servers',

  'data.contactsHelp': 'Als CSV-Datei, mit allen Feldern und Schlagwörtern.',
  'data.importContacts': 'Kontakte importieren',
  'data.exportContacts': 'Kontakte exportieren',
  'archive.title': 'Alles',
  'archive.help':
    'Ein ZIP-Archiv mit allem, was zu diesem Konto gehört: Kontakte, Unterhaltungen mit allen Nachrichten und Dateien, Deals, Rundsendungen, Assistenten und ihre Läufe, Einstellungen und das Protokoll, als JSON-Zeilen. Es entsteht beim Herunterladen, gleich wie groß es ist.',
  'archive.secrets':
    'Passwörter, Schlüssel und Zugänge zu Kanälen sind nicht darin. Bewahren Sie es trotzdem sicher auf: Es enthält die Daten aller Ihrer Kunden. Das Protokoll vermerkt jeden Export.',
  'archive.action': 'Alles exportieren',
  'archive.begun': 'Der Download hat begonnen. Er endet vorzeitig, wenn Sie sich abmelden.',
  'archive.running':
    'Ein Export dieses Kontos wird schon heruntergeladen. Warten Sie, bis er fertig ist, oder brechen Sie ihn in dem Browser ab, der ihn herunterlädt.',
  'data.export': 'Listen als JSON',
  'data.exportHelp':
    'Eine JSON-Datei mit allem, was Sie ankreuzen, so wie die API es hat. Nachrichten und Dateien sind nicht darin.',
  'data.what': 'Was exportiert wird',
  'data.exportAction': 'Als JSON exportieren',
  'data.exported': 'Die Datei ist in Ihren Downloads.',
  'data.tooMany':
    '{kind}: Mehr als {count} Zeilen sind zu viel für einen Browser. Benutzen Sie dafür die API.',
  'data.import': 'Einrichtung importieren',
  'data.importHelp':
    'Aus einer Datei, die hier oder in einem anderen Konto exportiert wurde: Schlagwörter, eigene Felder, Pipelines, Textbausteine (ohne ihre Dateien) und Anweisungen. Was hier schon denselben Namen hat, bleibt, wie es ist.',
  'data.choose': 'Datei wählen',
  'data.importAction': 'Importieren',
  'data.unreadable':
    'Das ist keine Datei, die hier exportiert wurde, oder es ist nichts darin, was importiert werden kann.',
  'data.found': '{kind}: {count}',
  'data.rows': { one: '{count} Zeile', other: '{count} Zeilen' },
  'data.created': { one: '{count} wurde angelegt.', other: '{count} wurden angelegt.' },
  'data.kept': { one: '{count} war schon hier.', other: '{count} waren schon hier.' },
  'data.failed': '{kind}, {name}: {why}',
  'dataKind.contacts': 'Kontakte',
  'dataKind.tags': 'Schlagwörter',
  'dataKind.custom_fields': 'Eigene Felder',
  'dataKind.segments': 'Segmente',
  'dataKind.conversations': 'Unterhaltungen',
  'dataKind.canned_replies': 'Textbausteine',
  'dataKind.templates': 'Vorlagen',
  'dataKind.pipelines': 'Pipelines',
  'dataKind.deals': 'Deals',
  'dataKind.inquiries': 'Anfragen',
  'dataKind.bookings': 'Termine',
  'dataKind.broadcasts': 'Kampagnen',
  'dataKind.assistants': 'Assistenten',
  'dataKind.instructions': 'Anweisungen',
  'dataKind.memories': 'Erinnerungen',
  'dataKind.triggers': 'Auslöser',
};
