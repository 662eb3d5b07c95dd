import type { shell as original } from '../en/shell';
import type { Translation } from '../message';

export const shell: Translation<typeof original> = {
  'country.label': 'Land der Telefonnummern',
  'country.none': 'Keines: Nummern brauchen ihre Landesvorwahl',
  'ui.actionsNamed': 'Aktionen für {name}',
  'ui.back': 'Zurück',
  'ui.cancel': 'Abbrechen',
  'ui.close': 'Schließen',
  'ui.copied': 'Kopiert',
  'ui.copy': 'Kopieren',
  'ui.copyNamed': 'Kopieren: {name}',
  'ui.curl': 'curl-Befehl',
  'ui.delete': 'Löschen',
  'ui.deleteNamed': '{name} löschen',
  'ui.discard': 'Verwerfen',
  'ui.discardHelp': 'Was Sie hier eingegeben haben, ist nicht gespeichert.',
  'ui.discardTitle': 'Eingaben verwerfen?',
  'ui.edit': 'Bearbeiten',
  'ui.editNamed': '{name} bearbeiten',
  'ui.keepEditing': 'Weiter bearbeiten',
  'ui.loadMore': 'Mehr laden',
  'ui.loading': 'Wird geladen …',
  'ui.more': 'Weitere Aktionen',
  'ui.no': 'Nein',
  'ui.noMatch': 'Nichts gefunden.',
  'ui.notYet': '…',
  'ui.notifications': 'Benachrichtigungen',
  'ui.removeNamed': '{name} entfernen',
  'ui.save': 'Speichern',
  'ui.saved': 'Gespeichert.',
  'ui.select': 'Auswählen',
  'ui.anyStatus': 'Jeder Status',
  'ui.tryAgain': 'Erneut versuchen',
  'ui.typeToConfirm': 'Zur Bestätigung „{text}“ eingeben.',
  'ui.undo': 'Rückgängig',
  'ui.yes': 'Ja',

  'nav.label': 'Hauptmenü',
  'nav.skip': 'Zum Inhalt springen',
  'nav.firstSteps': 'Erste Schritte',
  'nav.inbox': 'Posteingang',
  'nav.contacts': 'Kontakte',
  'nav.deals': 'Deals',
  'nav.broadcasts': 'Kampagnen',
  'nav.inquiries': 'Anfragen',
  'nav.bookings': 'Termine',
  'nav.approvals': 'Freigaben',
  'nav.assistants': 'Assistenten',
  'nav.runs': 'Läufe',
  'nav.triggers': 'Auslöser',
  'nav.spend': 'KI-Kosten',
  'nav.developers': 'Entwickler',
  'nav.settings': 'Einstellungen',
  'nav.unread': 'ungelesen',
  'nav.waiting': 'warten',
  'nav.customers': 'Kunden',
  'nav.automation': 'Automatisierung',
  'nav.setup': 'Einrichtung',
  'nav.more': 'Mehr',

  'palette.title': 'Suche und Befehle',
  'palette.search': 'Person, Unterhaltung, Deal oder Befehl finden',
  'palette.searching': 'Wird gesucht …',
  'palette.none': 'Nichts gefunden.',
  'palette.people': 'Personen',
  'palette.conversations': 'Unterhaltungen',
  'palette.deals': 'Deals',
  'palette.go': 'Gehe zu',
  'palette.general': 'Allgemein',
  'palette.conversation': 'Diese Unterhaltung',

  'shortcuts.title': 'Tastenkürzel',
  'shortcuts.everywhere': 'Überall',
  'shortcuts.inbox': 'Posteingang',
  'shortcuts.writing': 'Schreiben',
  'shortcuts.board': 'Deals, auf einer Karte (oder Alt und Pfeiltaste)',
  'shortcuts.rows':
    'Listen, in einer Zeile (die Pfeiltasten führen zu anderen Zeilen und zu den Bedienelementen einer Zeile)',
  'shortcuts.selectRow': 'Zeile auswählen',
  'shortcuts.search': 'Suchen',
  'shortcuts.create': 'Neuer Kontakt oder Deal',

  'account.menu': '{name}, {account}: Menü',
  'account.switch': 'Konto wechseln',
  'account.switchFailed': 'Das Konto wurde nicht gewechselt.',
  'account.signOut': 'Abmelden',
  'account.signOutFailed': 'Sie sind noch angemeldet.',
  'settings.adminOnly': 'Nur für Admins',
  'settings.adminOnlyHelp': 'Bitten Sie einen Admin des Kontos, das zu ändern oder Sie zum Admin zu machen.',
  'settings.profile': 'Profil',
  'account.signOutUnsent': 'Mit nicht gesendeten Nachrichten abmelden?',
  'account.unsent': {
    one: '{count} Nachricht ist nicht gesendet. Sie bleibt in diesem Browser, wo nur Sie sie sehen, und wird gesendet, wenn Sie sich hier wieder anmelden.',
    other:
      '{count} Nachrichten sind nicht gesendet. Sie bleiben in diesem Browser, wo nur Sie sie sehen, und werden gesendet, wenn Sie sich hier wieder anmelden.',
  },

  'member.nobody': 'Niemand',
  'member.unknown': 'Ehemaliges Mitglied',

  'offline.title': 'Sie sind offline',
  'offline.help':
    'Frontdesk erreicht seinen Server nicht und öffnet sich, sobald die Verbindung wieder da ist. Noch nicht gesendete Antworten bleiben auf diesem Gerät.',
  'version.new': 'Eine neue Version von Frontdesk ist da.',
  'live.lost':
    'Verbindung unterbrochen. Neue Nachrichten erscheinen, sobald sie wieder steht; wir versuchen es weiter.',

  'notFound.title': 'Diese Seite gibt es nicht',
  'notFound.help': 'Der Link ist vielleicht alt, oder Sie sind in einem anderen Konto angemeldet.',
  'notFound.home': 'Zum Posteingang',

  'error.title': 'Diese Seite konnte nicht angezeigt werden',
  'error.reload': 'Seite neu laden',
  'error.requestId': 'Kennung für den Support: {id}',
  'error.unexpected':
    'Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu; geschieht es wieder, beschreiben Sie dem Support, was Sie getan haben.',
  'error.unreachable':
    'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  'error.forbidden': 'Ihre Rolle erlaubt das nicht. Fragen Sie einen Admin des Kontos.',
  'error.suspended': 'Dieses Konto ist gesperrt. Der Inhaber sollte sich an den Support wenden.',
  'error.notFound': 'Das gibt es nicht mehr. Vielleicht hat es jemand gelöscht.',
  'error.channelNotConnected':
    'Der Kanal ist nicht verbunden. Ein Admin kann ihn unter Einstellungen, Kanäle neu verbinden.',
  'error.internal': 'Der Server hatte ein Problem. Versuchen Sie es gleich noch einmal.',
  'error.signedOut': 'Sie sind abgemeldet. Melden Sie sich wieder an, um fortzufahren.',
  'error.rateLimited': {
    one: 'Zu viele Anfragen. Versuchen Sie es in {count} Sekunde wieder.',
    other: 'Zu viele Anfragen. Versuchen Sie es in {count} Sekunden wieder.',
  },
  'error.rateLimitedMinutes': {
    one: 'Zu viele Versuche. Versuchen Sie es in {count} Minute wieder.',
    other: 'Zu viele Versuche. Versuchen Sie es in {count} Minuten wieder.',
  },
  'error.outsideWindow':
    'Die 24 Stunden nach der letzten Nachricht des Kunden sind vorbei. Senden Sie eine Vorlage.',
  'error.newerReply':
    'Inzwischen hat jemand anderes geantwortet. Lesen Sie diese Antwort, und senden oder ändern Sie dann Ihre.',
  'error.stageNotInPipeline':
    'Diese Phase gehört zu einer anderen Pipeline. Laden Sie die Seite neu und versuchen Sie es erneut.',
  'error.templateGone': 'Diese Vorlage gibt es nicht mehr. Wählen Sie eine andere.',
  'error.templateNotApproved': 'WhatsApp hat diese Vorlage nicht freigegeben. Wählen Sie eine andere.',
  'error.templateParams':
    'Die Werte passen nicht zur Vorlage. Füllen Sie alle Felder aus und versuchen Sie es erneut.',
  'error.sameContact':
    'Ein Kontakt kann nicht mit sich selbst zusammengeführt werden. Wählen Sie einen anderen.',
  'error.assistantDisabled':
    'Dieser Assistent ist ausgeschaltet. Schalten Sie ihn ein oder wählen Sie einen anderen.',

  'signIn.title': 'Anmelden',
  'signIn.email': 'E-Mail',
  'signIn.password': 'Passwort',
  'signIn.code': 'Code',
  'signIn.codeHint': 'Aus Ihrer Authenticator-App, oder einer Ihrer Wiederherstellungscodes.',
  'signIn.action': 'Anmelden',
  'signIn.wrong': 'E-Mail oder Passwort ist falsch. Prüfen Sie beides und versuchen Sie es erneut.',
  'signIn.wrongCode':
    'E-Mail, Passwort oder Code ist falsch. Warten Sie auf den nächsten Code und versuchen Sie es erneut.',
  'signIn.ended': 'Ihre Sitzung ist beendet. Melden Sie sich wieder an; Ihre Entwürfe sind noch da.',
  'signIn.provider': 'Weiter mit {name}',
  'signIn.or': 'oder mit Ihrem Passwort',
  'signIn.finishing': 'Sie werden angemeldet …',
  'signIn.cancelled': 'Sie sind nicht angemeldet: Der Anbieter hat Sie ohne Bestätigung zurückgeschickt.',
  'signIn.notAMember':
    'Sie sind hier in keinem Konto Mitglied. Bitten Sie einen Admin, die Adresse einzuladen, die Sie beim Anbieter haben.',
  'signIn.noRole':
    'Keine Ihrer Gruppen beim Anbieter gibt Ihnen hier eine Rolle. Fragen Sie, wer die Gruppen verwaltet.',
  'signIn.domain':
    'Ihre E-Mail-Adresse darf sich hier nicht anmelden, oder der Anbieter hat sie nicht bestätigt. Fragen Sie, wer den Server betreibt.',
  'signIn.anotherPerson':
    'Jemand anderes hat sich beim Anbieter schon mit dieser E-Mail-Adresse angemeldet. Bitten Sie den Betreiber des Servers, das Login zurückzusetzen.',
  'signIn.severalLogins':
    'Ihre E-Mail-Adresse hat hier mehrere Logins. Bitten Sie den Betreiber des Servers, sie zu vereinen.',
  'signIn.notConfirmed':
    'Der Anbieter hat diese Anmeldung nicht bestätigt. Beginnen Sie noch einmal; schlägt es weiter fehl, fragen Sie den Betreiber des Servers.',
  'signIn.back': 'Zurück zur Anmeldung',
  'signIn.lost': 'Passwort vergessen?',
  'signIn.help': 'Passwort vergessen? Ein Admin Ihres Kontos kann Ihnen einen Link für ein neues erstellen.',

  'lost.title': 'Passwort vergessen?',
  'lost.help': 'Sie bekommen eine E-Mail mit einem Link, um ein neues zu wählen.',
  'lost.action': 'Link senden',
  'lost.sent':
    'Wenn es einen Zugang mit dieser Adresse gibt, ist eine E-Mail mit einem Link unterwegs. Sehen Sie auch im Spam-Ordner nach. In 15 Minuten können Sie erneut fragen.',
  'lost.back': 'Zurück zur Anmeldung',

  'password.title': 'Passwort wählen',
  'invitation.account': 'Konto',
  'invitation.from': 'Link von',
  'invitation.operator': 'dem Betreiber dieses Servers',
  'password.new': 'Neues Passwort',
  'password.again': 'Neues Passwort wiederholen',
  'password.hint': {
    one: 'Mindestens {count} Zeichen.',
    other: 'Mindestens {count} Zeichen. Gut sind ein paar zufällige Wörter.',
  },
  'password.mismatch': 'Die beiden Passwörter sind verschieden.',
  'password.action': 'Passwort speichern',
  'password.set': 'Ihr Passwort ist gespeichert. Melden Sie sich damit an.',
  'password.expired': 'Dieser Link gilt nicht mehr',
  'password.expiredHelp':
    'Ein Link gilt einmal und 72 Stunden lang. Bitten Sie einen Admin Ihres Kontos um einen neuen.',

  'join.title': '{account} beitreten',
  'join.help': '{email} hat bereits einen Zugang. Melden Sie sich damit an, um beizutreten.',
  'join.signedIn': 'Sie sind als {email} angemeldet.',
  'join.action': 'Beitreten',
  'join.instead':
    'Sie haben einen weiteren Zugang mit dieser Adresse. Melden Sie sich damit an, um einen Zugang für beide Konten zu nutzen.',
  'join.signIn': 'Anmelden und beitreten',
  'join.lost':
    'Ist das nicht Ihr Zugang, oder haben Sie das Passwort verloren? Bitten Sie den Betreiber des Servers, ihn zurückzusetzen.',
  'time.milliseconds': '{count} ms',
  'time.seconds': '{count} s',
  'time.minutesSeconds': '{minutes} Min. {seconds} s',
  'time.hoursMinutes': '{hours} Std. {minutes} Min.',
};
