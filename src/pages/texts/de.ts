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
  'fault.password-expired': 'Dieses Passwort muss geändert werden, bevor es Dich anmeldet.',
  'fault.refused': 'Diese Anmeldung ist nicht erlaubt.',
  'fault.wrong-passkey':
    'Dieser Passkey wurde nicht angenommen. Versuch es noch einmal oder auf anderem Weg.',
  'fault.throttled': 'Zu viele Versuche. Bitte versuch es in {wait} noch einmal.',
  'fault.busy': 'Hier ist gerade viel los. Bitte versuch es in {wait} noch einmal.',

  'sign-in.title': 'Anmelden',
  'sign-in.lead': 'bei {service}',
  'sign-in.lead-again': 'Bestätige, dass Du es bist: Dieser Schritt verlangt eine neue Anmeldung.',
  'sign-in.lead-client': 'Danach geht es weiter zu {client}.',
  'sign-in.directory-username': 'Konto von {directories} oder E-Mail',
  'sign-in.username': 'E-Mail oder Benutzername',
  'sign-in.password': 'Passwort',
  'sign-in.show-password': 'Passwort anzeigen',
  'sign-in.stay': 'In diesem Browser angemeldet bleiben',
  'sign-in.submit': 'Anmelden',
  'sign-in.continue': 'Weiter als {account}',
  'sign-in.forgotten': 'Passwort vergessen?',
  'sign-in.register': 'Konto anlegen',
  'sign-in.provider': 'Weiter mit {provider}',
  'sign-in.by-password': 'Mit Passwort anmelden',
  'sign-in.connects':
    'Melde Dich einmal an wie gewohnt. Dann kannst Du {account} ({provider}) verbinden.',
  'sign-in.not-mine': 'Das ist das Konto von jemand anderem',
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
  'second-factor.sent-code': 'Code, den wir Dir geschickt haben',
  'second-factor.sent-code-help': 'Er gilt einmal, für ein paar Minuten. Gib ihn nur hier ein.',
  'second-factor.recovery': 'Ersatzcode',
  'second-factor.recovery-help':
    'Einer der Codes, die Du beim Einrichten aufgehoben hast. Jeder gilt einmal.',
  'second-factor.submit': 'Bestätigen',
  'second-factor.remember': 'In diesem Browser {days} Tage lang nicht mehr fragen',
  'second-factor.use-recovery': 'Ersatzcode verwenden',
  'second-factor.use-code': 'Authenticator-App verwenden',
  'second-factor.use-passkey': 'Passkey verwenden',
  'second-factor.passkey':
    'Bestätige es mit Deinem Passkey: mit Finger, Gesicht, PIN oder Sicherheitsschlüssel, je ' +
    'nachdem, was Du eingerichtet hast.',
  'second-factor.send': 'Code schicken: {way}',
  'sign-in.by-code': 'Mit E-Mail anmelden',
  'code.title': 'Mit E-Mail anmelden',
  'code.lead': 'Wir schicken Dir einen Code, mit dem Du Dich anmeldest.',
  'code.submit': 'Code schicken',
  'code.sent': 'Wenn es dieses Konto gibt, ist ein Code an seine E-Mail-Adresse unterwegs.',
  'code.sign-in': 'Anmelden',
  'code.again': 'Noch einen Code schicken',
  'code.back': 'Mit Passwort anmelden',
  'second-factor.way-email': 'per E-Mail',
  'second-factor.way-sms': 'per SMS',
  'second-factor.sent': 'Ein Code wurde an Dich gesendet.',
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
  'consent.claimed': 'Die App nennt sich „{name}“. Das hat niemand geprüft.',
  'consent.scopes': 'Das dürfte sie dann:',
  'consent.apis': 'Das dürfte sie bei:',
  'consent.site': 'Danach geht es weiter zu {host}.',
  'consent.device': 'Danach geht es weiter zu einer App auf diesem Gerät.',
  'consent.revoke': 'Du kannst das jederzeit zurücknehmen.',
  'consent.manage': 'Zugriffe verwalten',
  'consent.allow': 'Erlauben',

  'device.title': 'Ein Gerät anmelden',
  'device.lead': 'Das Gerät oder Programm zeigt einen Code aus acht Buchstaben. Gib ihn hier ein.',
  'device.code': 'Code des Geräts',
  'device.help': 'Gib nur einen Code ein, den Du auf einem eigenen Gerät siehst.',
  'device.wrong': 'Dieser Code gilt nicht. Ein Code gilt einmal, zehn Minuten lang.',
  'device-approval.title': 'Ist das Dein Gerät?',
  'device-approval.lead': '{client} möchte sich auf einem anderen Gerät in Deinem Konto anmelden.',
  'device-approval.device': 'Gerät: {device}',
  'device-approval.network': 'Netzwerkadresse: {network}',
  'device-approval.time': 'Angefragt: {time}',
  'device-approval.warning':
    'Wer Dir diesen Code geschickt hat, könnte Deine Nachrichten lesen. {service} fragt Dich nie ' +
    'nach einem.',
  'device-approval.other-network':
    'Das Gerät ist in einem anderen Netzwerk als dieser Browser. Mach nur weiter, wenn Du weißt, ' +
    'warum.',
  'device-approval.refused-network':
    'Das Gerät ist in einem anderen Netzwerk als dieser Browser. Von hier aus kann es nicht ' +
    'angemeldet werden.',
  'device-approval.seen': 'Ich sehe diesen Code auf meinem eigenen Gerät',
  'device-approval.tick':
    'Sieh auf Dein Gerät: Setz den Haken nur, wenn es genau diesen Code zeigt.',
  'device-approval.allow': 'Das Gerät anmelden',
  'device-approval.deny': 'Nicht anmelden',
  'link.lead':
    'Das neue Gerät zeigt ein Bild und dessen Adresse. Scanne das Bild, oder füge die Adresse ' +
    'hier ein.',
  'link.found':
    'Ein Gerät möchte in diesem Konto angemeldet werden. Ist es Deins? Dann mach weiter.',
  'link.field': 'Adresse oder Code auf dem Gerät',
  'link.help': 'Nimm nur, was Du auf einem eigenen Gerät siehst.',
  'link.wrong': 'Diese Adresse oder dieser Code gilt nicht mehr. Beide gelten drei Minuten lang.',
  'link.sign-in-lead':
    'Melde Dich zuerst hier an. Scanne dann das Bild, oder füge seine Adresse ein.',
  'link-device.lead': 'Ein Gerät möchte in Deinem Konto angemeldet werden.',
  'link-device.name': 'Es nennt sich: {name}',
  'link-device.warning':
    'Gib nur Ziffern ein, die Du selbst siehst. Wer Dir welche nennt, könnte Deine Nachrichten ' +
    'lesen.',
  'link-device.code': 'Die vier Ziffern auf dem Gerät',
  'link-device.help': 'Das Gerät zeigt sie jetzt.',
  'link-device.wrong': 'Das Gerät zeigt andere Ziffern. Nach drei falschen muss es neu anfangen.',

  'account.title': 'Dein Konto',
  'account.sign-out': 'Abmelden',
  'account.devices': 'Deine Geräte',
  'account.devices-lead': 'Hier bist Du angemeldet. Beende, was Du nicht kennst.',
  'account.unknown-device': 'Unbekanntes Gerät',
  'account.this-device': 'Dieser Browser',
  'account.since': 'Angemeldet: {time}',
  'account.last-seen': 'Zuletzt benutzt: {time}',
  'account.apps-here': 'Von hier aus angemeldet:',
  'account.end': 'Beenden',
  'account.end-named': '{device} beenden',
  'account.end-others': 'Alle anderen beenden',
  'account.link': 'Ein weiteres Gerät anmelden',
  'account.remembered': 'Browser ohne den zweiten Schritt',
  'account.remembered-lead': 'Hier genügt das Passwort, bis zu der gezeigten Zeit.',
  'account.until': 'Bis {time}',
  'account.forget': 'Wieder fragen',
  'account.forget-named': 'In {device} wieder nach dem zweiten Schritt fragen',
  'account.apps': 'Apps mit Zugriff',
  'account.no-apps': 'Du hast keiner App Zugriff auf Dein Konto gegeben.',
  'account.unknown-app': 'Eine App, die es nicht mehr gibt',
  'account.revoke': 'Zurücknehmen',
  'account.revoke-named': 'Den Zugriff von {app} zurücknehmen',
  'account.factor': 'Zweiter Faktor',
  'account.factor-on': 'Deine Authenticator-App ist eingerichtet. Ersatzcodes übrig: {count}',
  'account.factor-off': 'Es ist keine Authenticator-App eingerichtet.',
  'account.email-factor-on': 'Codes per E-Mail sind eingeschaltet.',
  'account.email-factor-off': 'Codes per E-Mail sind ausgeschaltet.',
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
  'account-factor.email': 'Codes per E-Mail',
  'account-factor.email-on': 'Codes per E-Mail einschalten',
  'account-factor.email-on-help':
    'Beim Anmelden schicken wir Dir dann einen Code, außer Du hast etwas Stärkeres eingerichtet.',
  'account-factor.email-off': 'Codes per E-Mail ausschalten',
  'account-factor.email-unproven': 'Um sie einzuschalten, musst Du zuerst {link}.',
  'account-factor.email-prove': 'Deine E-Mail-Adresse bestätigen',
  'account-factor.email-on-done': 'Du hast Codes per E-Mail eingeschaltet.',
  'account-factor.email-off-done': 'Du hast Codes per E-Mail ausgeschaltet.',

  'account-passkeys.none': 'Du hast keinen Passkey.',
  'account-passkeys.name': 'Bezeichnung',
  'account-passkeys.made': 'Angelegt: {time}',
  'account-passkeys.rename': 'Umbenennen',
  'account-passkeys.remove': 'Entfernen',
  'account-passkeys.remove-named': '{passkey} entfernen',
  'account-passkeys.add': 'Passkey hinzufügen',
  'account-passkeys.wrong':
    'Das ging nicht. Ein Name hat bis zu 100 Zeichen, und Dein einziger Zugang bleibt.',

  'account.password': 'Passwort',
  'account.change-password': 'Passwort ändern',
  'account.email': 'E-Mail-Adresse',
  'account.change-email': 'Adresse bestätigen oder ändern',
  'account.identities': 'Andere Konten',
  'account.change-identities': 'Andere Konten verbinden oder trennen',
  'account-identities.lead': 'Mit diesen Konten kannst Du Dich anmelden.',
  'account-identities.none': 'Du hast kein anderes Konto verbunden.',
  'account-identities.connect': '{provider} verbinden',
  'account-identities.disconnect': 'Trennen',
  'account-identities.disconnect-named': '{account} trennen',
  'account-identities.wrong': 'Dein einziger Zugang bleibt. Richte zuerst einen anderen ein.',

  'confirm.title': 'Bist Du sicher?',
  'confirm.off':
    'App und Wiederherstellungscodes gelten nicht mehr. Deine anderen Geräte werden abgemeldet.',
  'confirm.email-off': 'Wir schicken Dir keinen Code mehr. Deine anderen Geräte werden abgemeldet.',
  'confirm.remove': 'Mit diesem Passkey kannst Du Dich nicht mehr anmelden.',
  'confirm.disconnect': 'Mit diesem Konto kannst Du Dich nicht mehr anmelden.',
  'confirm.end': 'Du wirst dort abgemeldet.',
  'confirm.end-others': 'Du wirst überall außer in diesem Browser abgemeldet.',
  'confirm.revoke': 'Diese App verliert den Zugriff auf Dein Konto.',

  'account.delete': 'Konto löschen',
  'account-delete.lead':
    'Dein Konto wird endgültig gelöscht. Alle Geräte werden abgemeldet. Niemand kann das ' +
    'rückgängig machen.',
  'account-delete.code': 'Gib zur Bestätigung den Code ein, den wir Dir geschickt haben.',
  'account-delete.mail': 'Vorher schicken wir Dir einen Code zur Bestätigung.',
  'account-delete.submit': 'Mein Konto löschen',
  'account-email.none': 'Dein Konto hat keine Adresse.',
  'account-email.proven': '{address}, bestätigt',
  'account-email.unproven': '{address}, noch nicht bestätigt',
  'account-email.verify': 'Code zum Bestätigen schicken',
  'account-email.first': 'Adresse',
  'account-email.new': 'Neue Adresse',
  'account-email.help': 'Wir schicken einen Code dorthin. Vorher ändert sich nichts.',
  'account-email.change': 'Code dorthin schicken',
  'account-email.wrong': 'Diese Adresse geht nicht, oder sie ist schon bestätigt.',

  'confirm-email.title': 'Code eingeben',
  'confirm-email.lead': 'Wir haben einen Code an {address} geschickt.',
  'confirm-email.code': 'Code aus unserer Mail',
  'confirm-email.help': 'Acht Ziffern, 10 Minuten lang gültig.',
  'confirm-email.submit': 'Adresse bestätigen',
  'confirm-email.wrong': 'Dieser Code stimmt nicht oder gilt nicht mehr.',
  'confirm-email.back': 'Zurück zur Adresse',

  'code-elsewhere.title': 'Dein Code',
  'code-elsewhere.lead': 'Gib {code} in dem Fenster ein, in dem Du angefangen hast.',
  'code-elsewhere.help': 'Niemand sonst braucht ihn: Sag ihn keinem.',

  'forgot.title': 'Passwort vergessen?',
  'forgot.lead': 'Wir schicken Dir einen Link, mit dem Du ein neues setzt.',
  'forgot.submit': 'Link schicken',
  'forgot.back': 'Zurück zur Anmeldung',
  'forgot.wrong': 'Gib den Namen oder die E-Mail-Adresse ein, mit der Du Dich anmeldest.',

  'new-password.title': 'Neues Passwort setzen',
  'new-password.account': 'Konto',
  'new-password.label': 'Neues Passwort',
  'new-password.present': 'Bisheriges Passwort',
  'new-password.elsewhere':
    'Du meldest Dich mit dem Passwort von {name} an. Es wird dort geändert.',
  'new-password.elsewhere-link': 'Passwort ändern',
  'new-password.rules': 'Mindestens {count} Zeichen, etwa einige Wörter, die niemand errät.',
  'new-password.ends': 'Alle Deine Geräte werden abgemeldet.',
  'new-password.ends-others': 'Deine anderen Geräte werden abgemeldet.',
  'new-password.submit': 'Passwort setzen',
  'new-password.wrong': 'Dieses Passwort geht nicht.',
  'new-password.wrong-present': 'Das bisherige Passwort stimmt nicht.',
  'new-password.too-short': 'Es ist zu kurz: Nimm mindestens {count} Zeichen.',
  'new-password.too-long': 'Es ist zu lang.',
  'new-password.common': 'Es ist eines, das viele nehmen, oder eine einzige Wiederholung.',
  'new-password.context': 'Es besteht aus Deinem Namen, Deiner Adresse oder aus {service}.',
  'new-password.breached': 'Es steht in einer Liste gestohlener Passwörter.',

  'register.title': 'Konto anlegen',
  'register.lead': 'Wir schicken Dir einen Code. Sobald Du ihn hier eingibst, gibt es Dein Konto.',
  'register.email': 'E-Mail-Adresse',
  'register.email-help': 'Niemand sonst sieht sie.',
  'register.username': 'Benutzername',
  'register.username-help': 'Damit meldest Du Dich an, und damit finden Dich andere.',
  'register.name': 'Dein Name',
  'register.password-optional':
    'Du kannst das Passwort leer lassen und Dich mit Codes per Mail anmelden.',
  'register.submit': 'Code schicken',
  'register.back': 'Ich habe schon ein Konto',
  'register.wrong': 'Sieh nach, was Du eingegeben hast.',
  'register.wrong-email': 'Das ist keine E-Mail-Adresse.',
  'register.wrong-name': 'Dieser Name geht nicht.',
  'register.taken': 'Diesen Benutzernamen gibt es schon. Nimm einen anderen.',
  'connect.title': 'Ein anderes Konto verbinden',
  'connect.question': '{account} ({provider}) mit {name} verbinden?',
  'connect.means': 'Wer {account} benutzen kann, kann sich dann als {name} anmelden.',
  'connect.later': 'Nicht jetzt',

  'new-name.title': 'Wähl einen Benutzernamen',
  'new-name.lead': 'Den Namen, den Du anderswo hast, gibt es hier schon.',

  'confirm-register.lead':
    'Sieh in Deine Mail. Wenn kein Code kommt, gibt es vielleicht schon ein Konto.',
  'confirm-register.help': 'Acht Ziffern, eine Stunde lang gültig.',
  'confirm-register.submit': 'Konto anlegen',
  'confirm-register.back': 'Von vorn beginnen',

  'undo.title': 'Neue Adresse zurücknehmen?',
  'undo.former': 'Dein Konto gehört dann wieder zu {address}.',
  'undo.lead':
    'Deine frühere E-Mail-Adresse gehört dann wieder zu Deinem Konto, und es bekommt ein neues ' +
    'Passwort. Alle Geräte werden abgemeldet, und Anmeldewege, die seitdem dazugekommen sind, ' +
    'werden entfernt.',
  'undo.lead-alone':
    'Deine frühere Adresse gehört dann wieder zu Deinem Konto. Alle Geräte werden abgemeldet.',
  'undo.submit': 'Zurücknehmen',

  'note.device-approved-title': 'Fertig',
  'note.device-approved':
    'Das Gerät wird angemeldet. Geh dorthin zurück. Du kannst diese Seite schließen.',
  'note.device-approved-onward': 'Startseite',
  'note.device-denied-title': 'Das Gerät ist nicht angemeldet',
  'note.device-denied': 'Wer angefragt hat, bekommt nichts. Du kannst diese Seite schließen.',
  'note.device-denied-onward': 'Startseite',
  'note.account-deleted-title': 'Dein Konto ist gelöscht',
  'note.account-deleted': 'Alle Deine Geräte sind abgemeldet. Mach es gut.',
  'note.account-deleted-onward': 'Startseite',
  'note.mail-sent-title': 'Sieh in Deine Mail',
  'note.mail-sent':
    'Wenn es dieses Konto gibt, ist eine Mail unterwegs. Der Link gilt 30 Minuten lang.',
  'note.mail-sent-onward': 'Zurück zur Anmeldung',
  'note.password-set-title': 'Dein neues Passwort gilt',
  'note.password-set': 'Alle Deine Geräte wurden abgemeldet.',
  'note.password-set-onward': 'Anmelden',
  'note.address-confirmed-title': 'Deine Adresse ist bestätigt',
  'note.address-confirmed': 'Mail für Dein Konto geht jetzt dorthin.',
  'note.address-confirmed-onward': 'Zurück zu Deinem Konto',
  'note.address-undone-title': 'Deine frühere Adresse gilt wieder',
  'note.address-undone':
    'Alle Deine Geräte wurden abgemeldet, und Anmeldewege, die seitdem dazugekommen waren, ' +
    'wurden entfernt.',
  'note.address-undone-onward': 'Anmelden',
  'note.link-used-title': 'Dieser Link wurde schon benutzt',
  'note.link-used': 'Jeder Link gilt einmal.',
  'note.link-used-onward': 'Neuen Link anfordern',
  'note.link-expired-title': 'Dieser Link ist zu alt',
  'note.link-expired': 'Er galt nur eine begrenzte Zeit.',
  'note.link-expired-onward': 'Neuen Link anfordern',
  'note.link-unknown-title': 'Dieser Link geht nicht',
  'note.link-unknown': 'Er ist unvollständig, oder etwas Neueres hat ihn ersetzt.',
  'note.link-unknown-onward': 'Neuen Link anfordern',

  'note.registration-closed-title': 'Du brauchst eine Einladung',
  'note.registration-closed':
    'Konten bei {service} gibt es auf Einladung. Öffne den Link in Deiner.',
  'note.registration-closed-onward': 'Zurück zur Anmeldung',

  'hand-over.title': 'Einen Moment',
  'hand-over.lead': 'Es geht weiter zu {client}.',
  'hand-over.link': 'Weiter zu {client}',
  'hand-over.close': 'Du kannst dieses Fenster schließen.',

  'sign-out.title': 'Abmelden?',
  'sign-out.lead': 'Du bist hier bei {service} angemeldet, und in den Apps, in die Du damit kamst.',
  'sign-out.submit': 'Abmelden',
  'sign-out.everywhere': 'Auf allen Geräten abmelden',

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
  'error.stale-sign-in': 'Diese Anmeldung ist zu alt oder begann in einem anderen Browser.',
  'error.provider-refused': 'Die Anmeldung mit {client} ging nicht.',
  'error.not-connected': 'Dieses Konto bei {client} ist hier nicht verbunden.',
  'error.identity-in-use': 'Jemand anderes ist mit diesem Konto verbunden.',
  'error.again': 'Von vorn beginnen',
  'error.app': 'Die App',
  'error.go-back':
    'Geh zurück und versuch es noch einmal. Hilft das nicht, sag es denen, die die App betreiben.',
  'error.reference': 'Vorgangsnummer',
  'error.parameter': 'Für Entwickler: Es liegt am Parameter {parameter}.',
}
