import type { MailKind } from '../../audit/mail.js'

/** Texts that several kinds of mail have. */
type SharedKey =
  | 'greeting'
  | 'greeting-nameless'
  | 'or-link'
  | 'until'
  | 'time'
  | 'device'
  | 'network'
  | 'not-asked'
  | 'not-you'
  | 'not-you-device'
  | 'not-signing-in'
  | 'not-you-undone'

/** The key of a text of mails. */
export type MailTextKey = `mail.${SharedKey}` | `mail.${MailKind}.${'subject' | 'text'}`

/** The texts of mails in one language; a missing one does not compile. */
export type TextsOfMails = Readonly<Record<MailTextKey, string>>

/**
 * Every text of mails, in English: one line each, a subject or a paragraph. `{service}` is the
 * host's name; the mail supplies the other placeholders in braces.
 */
export const mailEn: TextsOfMails = {
  'mail.greeting': 'Hello {name},',
  'mail.greeting-nameless': 'Hello,',
  'mail.or-link': 'Or open this link in the browser where you started:',
  'mail.until': 'It works once, until {time}.',
  'mail.time': 'Time: {time}',
  'mail.device': 'Device: {device}',
  'mail.network': 'Network address: {network}',
  'mail.not-asked':
    'If you did not ask for this, you need do nothing. Never pass it on to anybody.',
  'mail.not-you':
    'If that was not you, ask for a new password at once. Then look through your sessions, ' +
    'passkeys and second factors, and remove what is not yours.',
  'mail.not-you-device':
    'If that was not you, sign that device out in the list of your sessions at once, and set a ' +
    'new password.',
  'mail.not-you-undone':
    'If that was not you, somebody else reads the mail of your former address: ask the operator ' +
    'of {service} for help.',
  'mail.not-signing-in':
    'If you are not signing in just now, somebody knows your password: change it. Never pass ' +
    'this code on to anybody.',

  'mail.reset-password.subject': 'A new password for {service}',
  'mail.reset-password.text':
    'Somebody wants to set a new password for your account at {service}. If that is you, open ' +
    'this link:',
  'mail.password-elsewhere.subject': 'Your password for {service}',
  'mail.password-elsewhere.text':
    'Somebody wants to set a new password for your account at {service}. You sign in there with ' +
    'the password of your company, which is not changed at {service}. Change it where your ' +
    'company does.',
  'mail.verify-address.subject': 'Confirm your address at {service}',
  'mail.verify-address.text':
    'To confirm this address for your account at {service}, type this code in the window where ' +
    'you asked for it:',
  'mail.change-address.subject': 'Confirm your new address at {service}',
  'mail.change-address.text':
    'Somebody wants to use this address for an account at {service}. If that is you, type this ' +
    'code in the window where you asked for it:',
  'mail.address-changed.subject': 'Your address at {service} was changed',
  'mail.address-changed.text':
    'Mail for your account at {service} now goes to another address. If you did not change it, ' +
    'open this link. You get this address back, set a new password, and everybody is signed out:',
  'mail.address-undone.subject': 'Your account at {service} has its former address back',
  'mail.address-undone.text':
    'This address does not belong to an account at {service} any more. Whoever has the former ' +
    'address has undone the change. Everybody is signed out.',
  'mail.address-taken.subject': 'You have an account at {service} already',
  'mail.address-taken.text':
    'Somebody wanted to use this address for another account at {service}. It belongs to yours, ' +
    'so nothing was changed. If that was you, sign in with it, or ask for a new password.',
  'mail.phone-changed.subject': 'Your phone number at {service} was changed',
  'mail.phone-changed.text':
    'Your account at {service} has another phone number now. If you did not change it, open this ' +
    'link. The number is as before, you set a new password, and everybody is signed out:',
  'mail.phone-claimed.subject': 'Somebody else has your phone number at {service}',
  'mail.phone-claimed.text':
    'Another user of {service} has shown that the phone number of your account is theirs. In ' +
    'three days your account may lose it. If the number is still yours, sign in by a code that ' +
    'we send there. If it is not, take another one.',
  'mail.second-factor-code.subject': 'Your code for {service}',
  'mail.second-factor-code.text':
    'To finish signing in to {service}, type this code in the window where you started:',
  'mail.sign-in-code.subject': 'Your code to sign in to {service}',
  'mail.sign-in-code.text':
    'Somebody wants to sign in to your account at {service} with this code. If that is you, type ' +
    'it in the window where you asked for it:',
  'mail.register.subject': 'Confirm your address for {service}',
  'mail.register.text':
    'Somebody wants to make an account at {service} with this address. If that is you, type this ' +
    'code in the window where you started:',
  'mail.invitation.subject': 'An invitation to {service}',
  'mail.invitation.text': 'You are invited to {service}. To make your account, open this link:',
  'mail.confirm-deletion.subject': 'Delete your account at {service}?',
  'mail.confirm-deletion.text':
    'To delete your account at {service} for good, type this code in the window where you asked ' +
    'for it:',
  'mail.password-changed.subject': 'Your password at {service} was changed',
  'mail.password-changed.text': 'The password of your account at {service} was changed.',
  'mail.factor-changed.subject': 'Your second factor at {service} was changed',
  'mail.factor-changed.text':
    'A second factor of your account at {service} was switched on or off.',
  'mail.identity-linked.subject': 'Another account was connected at {service}',
  'mail.identity-linked.text':
    'Your account at {service} was connected with an account somewhere else. Whoever has that ' +
    'account can sign in to yours.',
  'mail.identity-unlinked.subject': 'An account was disconnected at {service}',
  'mail.identity-unlinked.text':
    'An account somewhere else is no longer connected with your account at {service}.',
  'mail.device-linked.subject': 'Another device was signed in at {service}',
  'mail.device-linked.text':
    'You have signed another device in to your account at {service}: its picture was scanned, ' +
    'and its code typed, on the device below.',
  'mail.passkey-added.subject': 'A passkey was added at {service}',
  'mail.passkey-added.text': 'A passkey was added to your account at {service}.',
  'mail.passkey-removed.subject': 'A passkey was removed at {service}',
  'mail.passkey-removed.text': 'A passkey was removed from your account at {service}.',
  'mail.device-approved.subject': 'A device was signed in at {service}',
  'mail.device-approved.text':
    'A device or program was signed in to your account at {service}, by a code that was typed ' +
    'into this browser:',
  'mail.new-network.subject': 'A new sign-in at {service}',
  'mail.new-network.text':
    'Your account at {service} was signed in to from a network that it had not been used from ' +
    'before.',
  'mail.acted-for.subject': 'The staff of {service} has opened your account',
  'mail.acted-for.text':
    'A member of the staff of {service} acts in your account for a short time, and sees what you ' +
    'see there. Your list of devices shows it, and ends it. The reason:',
  'mail.clone-suspected.subject': 'One of your passkeys at {service} no longer works',
  'mail.clone-suspected.text':
    'There seems to be a copy of one of your passkeys at {service}, so it no longer works. ' +
    'Remove it, add it again, and end the sessions that are not yours.',
}
