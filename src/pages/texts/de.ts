import type { TextsOfPages } from './en.js'

/** Every text of the pages, in German. */
export const de: TextsOfPages = {
  'language.name': 'Deutsch',
  'page.error-title': 'Fehler: {title}',
  'page.languages': 'Sprache',
  'page.help': 'Hilfe',
  'page.privacy': 'Datenschutz',
  'page.terms': 'Nutzungsbedingungen',
  'page.home': 'Zu {service}',
  'page.cancel': 'Abbrechen',
  'page.continue': 'Weiter',

  'fault.stale': 'Diese Seite war zu lange offen. Bitte schick sie noch einmal ab.',
  'fault.too-soon': 'So schnell liest niemand. Bitte lies diese Seite und wähl noch einmal.',
  'fault.no-cookie':
    'Dein Browser nimmt keine Cookies von dieser Seite an. Erlaube sie und melde Dich dann an.',
  'fault.signed-out': 'Du wurdest inzwischen abgemeldet. Melde Dich an, um fortzufahren.',
  'fault.other-account': 'Du bist jetzt als {account} angemeldet.',
  'fault.refused': 'Diese Anmeldung ist nicht erlaubt.',
  'fault.wrong-passkey':
    'Dieser Passkey wurde nicht angenommen. Versuch es noch einmal oder auf anderem Weg.',
  'fault.throttled': 'Zu viele Versuche. Bitte versuch es in {wait} noch einmal.',
  'fault.busy': 'Hier ist gerade viel los. Bitte versuch es in {wait} noch einmal.',

  'sign-in.title': 'Anmelden',
  'sign-in.lead': 'bei {service}',
  'sign-in.lead-client': 'Danach geht es weiter zu {client}.',
  'sign-in.username': 'E-Mail oder Benutzername',
  'sign-in.password': 'Passwort',
  'sign-in.show-password': 'Passwort anzeigen',
  'sign-in.stay': 'In diesem Browser angemeldet bleiben',
  'sign-in.submit': 'Anmelden',
  'sign-in.continue': 'Weiter als {account}',
  'sign-in.forgotten': 'Passwort vergessen?',
  'sign-in.register': 'Konto anlegen',
  'sign-in.cancel': 'Abbrechen und zurück zu {client}',
  'sign-in.wrong': 'Name oder Passwort stimmt nicht.',

  'passkey.sign-in': 'Mit einem Passkey anmelden',
  'passkey.confirm': 'Passkey verwenden',
  'passkey.create': 'Passkey anlegen',
  'passkey.nothing': 'Es wurde nichts ausgewählt. Versuch es noch einmal oder auf anderem Weg.',
  'passkey.known': 'Dieses Gerät hat schon einen Passkey für Dein Konto.',
  'passkey.failed': 'Das ging in diesem Browser nicht. Bitte nimm einen anderen Weg.',
  'passkey.without': 'Passkeys gehen in diesem Browser nicht, oder nicht ohne JavaScript.',

  'second-factor.title': 'Bestätige, dass Du es bist',
  'second-factor.account': 'Anmeldung als {account}',
  'second-factor.code': 'Code aus Deiner Authenticator-App',
  'second-factor.code-help': 'Die App zeigt sechs Ziffern, alle 30 Sekunden neue.',
  'second-factor.recovery': 'Ersatzcode',
  'second-factor.recovery-help':
    'Einer der Codes, die Du beim Einrichten aufgehoben hast. Jeder gilt einmal.',
  'second-factor.submit': 'Bestätigen',
  'second-factor.use-recovery': 'Ersatzcode verwenden',
  'second-factor.use-code': 'Authenticator-App verwenden',
  'second-factor.use-passkey': 'Passkey verwenden',
  'second-factor.passkey':
    'Bestätige es mit Deinem Passkey: mit Finger, Gesicht, PIN oder Sicherheitsschlüssel, je ' +
    'nachdem, was Du eingerichtet hast.',
  'second-factor.send': 'Code schicken: {way}',
  'second-factor.way-email': 'per E-Mail',
  'second-factor.way-sms': 'per SMS',
  'second-factor.sent': 'Ein Code ist zu Dir unterwegs.',
  'second-factor.wrong-code': 'Dieser Code stimmt nicht oder wurde schon benutzt.',
  'second-factor.wrong-recovery': 'Dieser Ersatzcode stimmt nicht oder wurde schon benutzt.',

  'enrol.title': 'Zweiten Faktor einrichten',
  'enrol.lead':
    '{service} verlangt neben dem Passwort einen Code. Eine Authenticator-App auf Deinem ' +
    'Telefon erzeugt ihn.',
  'enrol.scan': 'Scanne dieses Bild mit Deiner Authenticator-App.',
  'enrol.qr': 'QR-Code für Deine Authenticator-App',
  'enrol.type': 'Oder gib dort diesen Schlüssel von Hand ein:',
  'enrol.type-only': 'Gib diesen Schlüssel in Deiner Authenticator-App ein:',
  'enrol.open': 'Authenticator-App auf diesem Gerät öffnen',
  'enrol.code': 'Der Code, den die App jetzt zeigt',
  'enrol.submit': 'Einschalten',
  'enrol.wrong':
    'Dieser Code stimmt nicht. Prüf die Uhr Deines Telefons und nimm einen neuen Code.',

  'enrol-passkey.lead':
    '{service} verlangt neben dem Passwort einen Passkey. Dein Gerät erzeugt ihn und bewahrt ' +
    'ihn auf.',
  'enrol-passkey.instead': 'Ein Passkey anstelle der App:',

  'add-passkey.title': 'Einen Passkey anlegen?',
  'add-passkey.lead':
    'Beim nächsten Mal meldest Du Dich mit Finger, Gesicht oder PIN an, ohne Passwort. Dein ' +
    'Gerät bewahrt den Passkey auf.',
  'add-passkey.later': 'Jetzt nicht',

  'recovery-codes.title': 'Heb Deine Ersatzcodes auf',
  'recovery-codes.lead': 'Mit jedem davon kommst Du einmal hinein, falls Dein Telefon weg ist.',
  'recovery-codes.keep':
    'Sie werden nur jetzt gezeigt. Druck sie aus oder leg sie in Deinen Passwortmanager.',
  'recovery-codes.list': 'Ersatzcodes',
  'recovery-codes.submit': 'Ich habe sie aufgehoben',

  'continue.title': 'Weiter?',
  'continue.question': 'Willst Du als {account} weiter zu {client}?',
  'continue.device':
    '{client} ist eine App auf diesem Gerät. Mach nur weiter, wenn Du sie gerade gestartet hast.',
  'continue.other': 'Anderes Konto verwenden',

  'consent.title': 'Zugriff erlauben?',
  'consent.lead': '{client} möchte Dein Konto nutzen.',
  'consent.foreign': 'Die App stammt nicht von {service}.',
  'consent.scopes': 'Das dürfte sie dann:',
  'consent.apis': 'Das dürfte sie bei:',
  'consent.site': 'Danach geht es weiter zu {host}.',
  'consent.device': 'Danach geht es weiter zu einer App auf diesem Gerät.',
  'consent.revoke': 'Du kannst das jederzeit zurücknehmen.',
  'consent.manage': 'Zugriffe verwalten',
  'consent.allow': 'Erlauben',

  'account.title': 'Dein Konto',
  'account.sign-out': 'Abmelden',
  'account.devices': 'Deine Geräte',
  'account.devices-lead': 'Hier bist Du angemeldet. Beende, was Du nicht kennst.',
  'account.unknown-device': 'Unbekanntes Gerät',
  'account.this-device': 'Dieser Browser',
  'account.last-seen': 'Zuletzt benutzt: {time}',
  'account.end': 'Beenden',
  'account.end-named': '{device} beenden',
  'account.end-others': 'Alle anderen beenden',
  'account.apps': 'Apps mit Zugriff',
  'account.no-apps': 'Du hast keiner App Zugriff auf Dein Konto gegeben.',
  'account.unknown-app': 'Eine App, die es nicht mehr gibt',
  'account.revoke': 'Zurücknehmen',
  'account.revoke-named': 'Den Zugriff von {app} zurücknehmen',
  'account.factor': 'Zweiter Faktor',
  'account.factor-on': 'Deine Authenticator-App ist eingerichtet. Ersatzcodes übrig: {count}',
  'account.factor-off': 'Es ist keine Authenticator-App eingerichtet.',
  'account.passkeys': 'Deine Passkeys',
  'account.passkeys-count': 'Deine Passkeys: {count}',
  'account.change-factor': 'Zweiten Faktor ändern',
  'account.change-passkeys': 'Passkeys ändern',
  'account.back': 'Zurück zu Deinem Konto',

  'account-factor.begin': 'Authenticator-App einrichten',
  'account-factor.codes': 'Neue Ersatzcodes',
  'account-factor.codes-help': 'Die alten gelten dann nicht mehr.',
  'account-factor.off': 'Ausschalten',
  'account-factor.off-help': 'Deine anderen Geräte werden abgemeldet.',

  'account-passkeys.none': 'Du hast keinen Passkey.',
  'account-passkeys.name': 'Bezeichnung',
  'account-passkeys.made': 'Angelegt: {time}',
  'account-passkeys.rename': 'Umbenennen',
  'account-passkeys.remove': 'Entfernen',
  'account-passkeys.remove-named': '{passkey} entfernen',
  'account-passkeys.add': 'Passkey hinzufügen',
  'account-passkeys.wrong':
    'Das ging nicht. Ein Name hat bis zu 100 Zeichen, und Dein einziger Zugang bleibt.',

  'hand-over.title': 'Einen Moment',
  'hand-over.lead': 'Es geht weiter zu {client}.',
  'hand-over.link': 'Weiter zu {client}',
  'hand-over.close': 'Du kannst dieses Fenster schließen.',

  'sign-out.title': 'Abmelden?',
  'sign-out.lead': 'Du bist hier bei {service} angemeldet, und in den Apps, in die Du damit kamst.',
  'sign-out.submit': 'Abmelden',

  'signed-out.title': 'Du bist abgemeldet',
  'signed-out.lead': 'Du bist in diesem Browser nicht mehr bei {service} angemeldet.',
  'signed-out.again': 'Wieder anmelden',

  'error.title': 'Das geht so nicht',
  'error.unknown-client': 'Die App, die Dich hierher geschickt hat, ist hier nicht (mehr) bekannt.',
  'error.no-app':
    'Diese Seite wurde ohne App geöffnet. Beginne dort, wo Du Dich anmelden wolltest.',
  'error.redirect-mismatch':
    '{client} möchte die Antwort an eine Adresse, die dafür nicht eingetragen ist.',
  'error.malformed':
    'Die App, die Dich hierher geschickt hat, hat eine unlesbare Anfrage gestellt.',
  'error.repeated-parameter':
    'In der Anfrage der App, die Dich hierher geschickt hat, steht etwas doppelt.',
  'error.too-long': 'Die Anfrage der App, die Dich hierher geschickt hat, ist zu lang.',
  'error.clock': 'Die Uhr eines beteiligten Computers geht falsch.',
  'error.refused':
    'Dein Browser sagt, dass eine andere Website das geschickt hat. Darum ist nichts geschehen.',
  'error.not-found': 'Diese Seite gibt es nicht.',
  'error.throttled': 'Das waren zu viele Versuche. Bitte versuch es in {wait} noch einmal.',
  'error.busy': 'Das geht gerade nicht. Bitte versuch es in {wait} noch einmal.',
  'error.app': 'Die App',
  'error.go-back':
    'Geh zurück und versuch es noch einmal. Hilft das nicht, sag es denen, die die App betreiben.',
  'error.reference': 'Vorgangsnummer',
  'error.parameter': 'Für Entwickler: Es liegt am Parameter {parameter}.',
}
