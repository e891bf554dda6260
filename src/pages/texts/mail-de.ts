import type { TextsOfMails } from './mail-en.js'

/** Every text of mails, in German. */
export const mailDe: TextsOfMails = {
  'mail.greeting': 'Hallo {name},',
  'mail.greeting-nameless': 'Hallo,',
  'mail.or-link': 'Oder öffne diesen Link in dem Browser, in dem Du angefangen hast:',
  'mail.until': 'Das gilt einmal, bis {time}.',
  'mail.time': 'Zeit: {time}',
  'mail.device': 'Gerät: {device}',
  'mail.network': 'Netzwerkadresse: {network}',
  'mail.not-asked':
    'Wenn Du das nicht wolltest, musst Du nichts tun. Gib es nie an jemanden weiter.',
  'mail.not-you':
    'Wenn Du das nicht warst, setz sofort ein neues Passwort. Sieh dann Deine Sitzungen, ' +
    'Passkeys und zweiten Faktoren durch und entferne, was nicht von Dir ist.',
  'mail.not-you-device':
    'Wenn Du das nicht warst, melde jenes Gerät sofort in der Liste Deiner Sitzungen ab und setz ' +
    'ein neues Passwort.',
  'mail.not-you-undone':
    'Wenn Du das nicht warst, liest jemand die Post Deiner früheren Adresse: Bitte den Betreiber ' +
    'von {service} um Hilfe.',
  'mail.not-signing-in':
    'Wenn Du Dich gerade nicht anmeldest, kennt jemand Dein Passwort: Ändere es. Gib diesen Code ' +
    'nie an jemanden weiter.',

  'mail.reset-password.subject': 'Ein neues Passwort für {service}',
  'mail.reset-password.text':
    'Jemand möchte ein neues Passwort für Dein Konto bei {service} setzen. Bist Du das, dann ' +
    'öffne diesen Link:',
  'mail.password-elsewhere.subject': 'Dein Passwort für {service}',
  'mail.password-elsewhere.text':
    'Jemand möchte ein neues Passwort für Dein Konto bei {service} setzen. Dort meldest Du Dich ' +
    'mit dem Passwort Deiner Firma an, das nicht bei {service} geändert wird. Ändere es dort, wo ' +
    'Deine Firma es tut.',
  'mail.verify-address.subject': 'Bestätige Deine Adresse bei {service}',
  'mail.verify-address.text':
    'Um diese Adresse für Dein Konto bei {service} zu bestätigen, gib diesen Code in dem Fenster ' +
    'ein, in dem Du ihn angefordert hast:',
  'mail.change-address.subject': 'Bestätige Deine neue Adresse bei {service}',
  'mail.change-address.text':
    'Jemand möchte diese Adresse für ein Konto bei {service} verwenden. Bist Du das, dann gib ' +
    'diesen Code in dem Fenster ein, in dem Du ihn angefordert hast:',
  'mail.address-changed.subject': 'Deine Adresse bei {service} wurde geändert',
  'mail.address-changed.text':
    'Mails für Dein Konto bei {service} gehen jetzt an eine andere Adresse. Hast Du das nicht ' +
    'geändert, dann öffne diesen Link. Du bekommst diese Adresse zurück, setzt ein neues ' +
    'Passwort, und alle werden abgemeldet:',
  'mail.address-undone.subject': 'Dein Konto bei {service} hat seine frühere Adresse zurück',
  'mail.address-undone.text':
    'Diese Adresse gehört nicht mehr zu einem Konto bei {service}. Wer die frühere Adresse hat, ' +
    'hat die Änderung rückgängig gemacht. Alle sind abgemeldet.',
  'mail.address-taken.subject': 'Du hast schon ein Konto bei {service}',
  'mail.address-taken.text':
    'Jemand wollte diese Adresse für ein anderes Konto bei {service} verwenden. Du hast schon ' +
    'eins mit ihr, darum ist nichts geschehen. Warst Du das, dann melde Dich damit an oder setz ' +
    'ein neues Passwort.',
  'mail.phone-changed.subject': 'Deine Telefonnummer bei {service} wurde geändert',
  'mail.phone-changed.text':
    'Dein Konto bei {service} hat jetzt eine andere Telefonnummer. Wenn Du sie nicht geändert ' +
    'hast, öffne diesen Link. Die Nummer ist dann wie vorher, Du setzt ein neues Passwort, und ' +
    'alle werden abgemeldet:',
  'mail.phone-claimed.subject': 'Jemand anders hat Deine Telefonnummer bei {service}',
  'mail.phone-claimed.text':
    'Ein anderer Benutzer von {service} hat gezeigt, dass die Telefonnummer Deines Kontos ihm ' +
    'gehört. In drei Tagen kann Dein Konto sie verlieren. Wenn sie noch Deine ist, melde Dich ' +
    'mit einem Code an, den wir dorthin schicken. Wenn nicht, nimm eine andere.',
  'mail.second-factor-code.subject': 'Dein Code für {service}',
  'mail.second-factor-code.text':
    'Um die Anmeldung bei {service} abzuschließen, gib diesen Code in dem Fenster ein, in dem Du ' +
    'angefangen hast:',
  'mail.sign-in-code.subject': 'Dein Code zur Anmeldung bei {service}',
  'mail.sign-in-code.text':
    'Jemand möchte sich mit diesem Code in Deinem Konto bei {service} anmelden. Bist Du das, ' +
    'dann gib ihn in dem Fenster ein, in dem Du ihn angefordert hast:',
  'mail.register.subject': 'Bestätige Deine Adresse für {service}',
  'mail.register.text':
    'Jemand möchte mit dieser Adresse ein Konto bei {service} anlegen. Bist Du das, dann gib ' +
    'diesen Code in dem Fenster ein, in dem Du angefangen hast:',
  'mail.invitation.subject': 'Eine Einladung zu {service}',
  'mail.invitation.text':
    'Du bist zu {service} eingeladen. Um Dein Konto anzulegen, öffne diesen Link:',
  'mail.confirm-deletion.subject': 'Dein Konto bei {service} löschen?',
  'mail.confirm-deletion.text':
    'Um Dein Konto bei {service} endgültig zu löschen, gib diesen Code in dem Fenster ein, in ' +
    'dem Du ihn angefordert hast:',
  'mail.password-changed.subject': 'Dein Passwort bei {service} wurde geändert',
  'mail.password-changed.text': 'Das Passwort Deines Kontos bei {service} wurde geändert.',
  'mail.factor-changed.subject': 'Dein zweiter Faktor bei {service} wurde geändert',
  'mail.factor-changed.text':
    'Ein zweiter Faktor Deines Kontos bei {service} wurde ein- oder ausgeschaltet.',
  'mail.identity-linked.subject': 'Ein anderes Konto wurde bei {service} verbunden',
  'mail.identity-linked.text':
    'Dein Konto bei {service} wurde mit einem Konto an anderer Stelle verbunden. Wer jenes Konto ' +
    'hat, kann sich in Deinem anmelden.',
  'mail.identity-unlinked.subject': 'Ein Konto wurde bei {service} getrennt',
  'mail.identity-unlinked.text':
    'Ein Konto an anderer Stelle ist nicht mehr mit Deinem Konto bei {service} verbunden.',
  'mail.device-linked.subject': 'Ein weiteres Gerät wurde bei {service} angemeldet',
  'mail.device-linked.text':
    'Du hast ein weiteres Gerät in Deinem Konto bei {service} angemeldet: Sein Bild wurde ' +
    'gelesen und sein Code eingegeben, auf dem Gerät unten.',
  'mail.passkey-added.subject': 'Ein neuer Passkey bei {service}',
  'mail.passkey-added.text': 'Für Dein Konto bei {service} wurde ein Passkey angelegt.',
  'mail.passkey-removed.subject': 'Ein Passkey weniger bei {service}',
  'mail.passkey-removed.text': 'Ein Passkey Deines Kontos bei {service} wurde entfernt.',
  'mail.device-approved.subject': 'Ein Gerät wurde bei {service} angemeldet',
  'mail.device-approved.text':
    'In Deinem Konto bei {service} wurde ein Gerät oder Programm angemeldet, durch einen Code, ' +
    'der in diesem Browser eingegeben wurde:',
  'mail.new-network.subject': 'Eine neue Anmeldung bei {service}',
  'mail.new-network.text':
    'In Deinem Konto bei {service} hat sich jemand aus einem Netzwerk angemeldet, aus dem es ' +
    'bisher nicht benutzt wurde.',
  'mail.acted-for.subject': 'Das Team von {service} hat Dein Konto geöffnet',
  'mail.acted-for.text':
    'Jemand vom Team von {service} handelt für kurze Zeit in Deinem Konto und sieht, was Du dort ' +
    'siehst. Deine Liste der Geräte zeigt das, und beendet es. Der Grund:',
  'mail.clone-suspected.subject': 'Einer Deiner Passkeys bei {service} gilt nicht mehr',
  'mail.clone-suspected.text':
    'Von einem Deiner Passkeys bei {service} gibt es offenbar eine Kopie, darum gilt er nicht ' +
    'mehr. Entferne ihn, leg ihn neu an und beende die Sitzungen, die nicht von Dir sind.',
}
