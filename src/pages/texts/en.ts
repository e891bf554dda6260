import type { MailTextKey } from './mail-en.js'

/**
 * Every text of the pages, in English. `{service}` is the host's name; the page supplies the other
 * placeholders in braces.
 */
export const en = {
  'language.name': 'English',
  'page.error-title': 'Error: {title}',
  'page.languages': 'Language',
  'page.help': 'Help',
  'page.privacy': 'Privacy',
  'page.terms': 'Terms',
  'page.home': 'Go to {service}',
  'page.cancel': 'Cancel',
  'page.continue': 'Continue',

  'fault.stale': 'This page had become too old. Please send it again.',
  'fault.too-soon': 'That was too quick to be read. Please read this page, and choose again.',
  'fault.no-cookie': 'Your browser takes no cookies from this site. Allow them, then sign in.',
  'fault.signed-out': 'You were signed out in the meantime. Sign in to go on.',
  'fault.other-account': 'You are signed in as {account} now.',
  'fault.refused': 'This sign-in is not allowed.',
  'fault.wrong-passkey': 'That passkey was not accepted. Please try again, or use another way.',
  'fault.throttled': 'Too many attempts. Please try again in {wait}.',
  'fault.busy': 'A lot is going on here just now. Please try again in {wait}.',

  'sign-in.title': 'Sign in',
  'sign-in.lead': 'to {service}',
  'sign-in.lead-client': 'to continue to {client}',
  'sign-in.username': 'E-mail or user name',
  'sign-in.password': 'Password',
  'sign-in.show-password': 'Show password',
  'sign-in.stay': 'Keep me signed in in this browser',
  'sign-in.submit': 'Sign in',
  'sign-in.continue': 'Continue as {account}',
  'sign-in.forgotten': 'Forgot your password?',
  'sign-in.register': 'Create an account',
  'sign-in.cancel': 'Cancel and go back to {client}',
  'sign-in.wrong': 'Wrong name or password.',

  'passkey.sign-in': 'Sign in with a passkey',
  'passkey.confirm': 'Use a passkey',
  'passkey.create': 'Create a passkey',
  'passkey.nothing': 'Nothing was chosen. You can try again, or use another way.',
  'passkey.known': 'This device has a passkey for your account already.',
  'passkey.failed': 'That did not work with this browser. Please use another way.',
  'passkey.without': 'Passkeys do not work in this browser, or without JavaScript.',

  'second-factor.title': 'Confirm that it is you',
  'second-factor.account': 'Signing in as {account}',
  'second-factor.code': 'Code from your authenticator app',
  'second-factor.code-help': 'The app shows six digits, and new ones every 30 seconds.',
  'second-factor.sent-code': 'Code that we sent you',
  'second-factor.sent-code-help': 'It works once, for a few minutes. Only type it here.',
  'second-factor.recovery': 'Recovery code',
  'second-factor.recovery-help':
    'One of the codes that you kept when you set up the second factor. Each works once.',
  'second-factor.submit': 'Confirm',
  'second-factor.use-recovery': 'Use a recovery code',
  'second-factor.use-code': 'Use the authenticator app',
  'second-factor.use-passkey': 'Use a passkey',
  'second-factor.passkey':
    'Confirm it with your passkey: by finger, face, PIN or security key, as you set it up.',
  'second-factor.send': 'Send me a code: {way}',
  'second-factor.way-email': 'by e-mail',
  'second-factor.way-sms': 'by text message',
  'second-factor.sent': 'A code is on its way to you.',
  'second-factor.wrong-code': 'That code is not right, or it was used already.',
  'second-factor.wrong-recovery': 'That recovery code is not right, or it was used already.',

  'enrol.title': 'Set up a second factor',
  'enrol.lead':
    '{service} asks for a code besides your password. An authenticator app on your phone makes it.',
  'enrol.scan': 'Scan this with your authenticator app.',
  'enrol.qr': 'QR code for your authenticator app',
  'enrol.type': 'Or enter this key there by hand:',
  'enrol.type-only': 'Enter this key in your authenticator app:',
  'enrol.open': 'Open the authenticator app on this device',
  'enrol.code': 'The code that the app shows now',
  'enrol.submit': 'Switch on',
  'enrol.wrong': 'That code is not right. Check the clock of your phone, and take a new code.',

  'enrol-passkey.lead':
    '{service} asks for a passkey besides your password. Your device makes and keeps it.',
  'enrol-passkey.instead': 'A passkey instead of the app:',

  'add-passkey.title': 'Add a passkey?',
  'add-passkey.lead':
    'Next time you sign in by finger, face or PIN, without a password. Your device keeps it.',
  'add-passkey.later': 'Not now',

  'recovery-codes.title': 'Keep your recovery codes',
  'recovery-codes.lead': 'Should you lose your phone, each of these lets you in once.',
  'recovery-codes.keep':
    'They are shown only now. Print them, or keep them in your password manager.',
  'recovery-codes.list': 'Recovery codes',
  'recovery-codes.submit': 'I have kept them',

  'continue.title': 'Continue?',
  'continue.question': 'Do you want to continue to {client} as {account}?',
  'continue.device':
    '{client} is an app on this device. Only continue if you have just started it.',
  'continue.other': 'Use another account',

  'consent.title': 'Allow access?',
  'consent.lead': '{client} wants to use your account.',
  'consent.foreign': 'It is not made by {service}.',
  'consent.scopes': 'It could then:',
  'consent.apis': 'It could do this at:',
  'consent.site': 'You will be sent to {host}.',
  'consent.device': 'You will be sent to an app on this device.',
  'consent.revoke': 'You can take this back at any time.',
  'consent.manage': 'Manage access',
  'consent.allow': 'Allow',

  'account.title': 'Your account',
  'account.sign-out': 'Sign out',
  'account.devices': 'Your devices',
  'account.devices-lead': 'You are signed in on these. End what you do not recognise.',
  'account.unknown-device': 'Unknown device',
  'account.this-device': 'This browser',
  'account.last-seen': 'Last used: {time}',
  'account.end': 'End',
  'account.end-named': 'End {device}',
  'account.end-others': 'End all others',
  'account.apps': 'Apps with access',
  'account.no-apps': 'You have given no app access to your account.',
  'account.unknown-app': 'An app that is gone',
  'account.revoke': 'Take back',
  'account.revoke-named': 'Take back the access of {app}',
  'account.factor': 'Second factor',
  'account.factor-on': 'Your authenticator app is set up. Recovery codes left: {count}',
  'account.factor-off': 'No authenticator app is set up.',
  'account.passkeys': 'Passkeys',
  'account.passkeys-count': 'Passkeys of yours: {count}',
  'account.change-factor': 'Change the second factor',
  'account.change-passkeys': 'Change passkeys',
  'account.back': 'Back to your account',

  'account-factor.begin': 'Set up an authenticator app',
  'account-factor.codes': 'Make new recovery codes',
  'account-factor.codes-help': 'The old ones stop working.',
  'account-factor.off': 'Switch off',
  'account-factor.off-help': 'Your other devices are signed out.',

  'account-passkeys.none': 'You have no passkey.',
  'account-passkeys.name': 'Name',
  'account-passkeys.made': 'Made: {time}',
  'account-passkeys.rename': 'Rename',
  'account-passkeys.remove': 'Remove',
  'account-passkeys.remove-named': 'Remove {passkey}',
  'account-passkeys.add': 'Add a passkey',
  'account-passkeys.wrong':
    'That was not done. A name has up to 100 characters, and your only way in cannot be removed.',

  'account.password': 'Password',
  'account.change-password': 'Change the password',
  'account.email': 'E-mail address',
  'account.change-email': 'Confirm or change the address',

  'account-email.none': 'Your account has no address.',
  'account-email.proven': '{address}, confirmed',
  'account-email.unproven': '{address}, not confirmed yet',
  'account-email.verify': 'Mail me a code to confirm it',
  'account-email.first': 'Address',
  'account-email.new': 'New address',
  'account-email.help': 'We mail a code there. Nothing changes before you have typed it.',
  'account-email.change': 'Mail a code there',
  'account-email.wrong': 'This is not an address that can be used, or it is confirmed already.',

  'confirm-email.title': 'Type the code',
  'confirm-email.code': 'Code from our mail',
  'confirm-email.help': 'Eight digits. They work for 10 minutes.',
  'confirm-email.submit': 'Confirm the address',
  'confirm-email.wrong': 'This code is not right, or no longer valid.',
  'confirm-email.back': 'Back to the address',

  'code-elsewhere.title': 'Your code',
  'code-elsewhere.lead': 'Type {code} in the window where you started.',
  'code-elsewhere.help': 'Nobody else needs it: never tell it to anybody.',

  'forgot.title': 'Forgot your password?',
  'forgot.lead': 'We mail you a link with which you set a new one.',
  'forgot.submit': 'Mail me a link',
  'forgot.back': 'Back to the sign-in',
  'forgot.wrong': 'Type the name or the e-mail address with which you sign in.',

  'new-password.title': 'Set a new password',
  'new-password.account': 'Account',
  'new-password.label': 'New password',
  'new-password.present': 'Present password',
  'new-password.rules': 'At least {count} characters. A few words that nobody guesses will do.',
  'new-password.ends': 'All your devices are signed out.',
  'new-password.ends-others': 'Your other devices are signed out.',
  'new-password.submit': 'Set the password',
  'new-password.wrong': 'This password cannot be used.',
  'new-password.wrong-present': 'The present password is not right.',
  'new-password.too-short': 'It is too short: use {count} characters or more.',
  'new-password.too-long': 'It is too long.',
  'new-password.common': 'It is one that many people use, or one run of characters repeated.',
  'new-password.context': 'It consists of your name, your address, or the name of {service}.',
  'new-password.breached': 'It is in a list of stolen passwords.',

  'undo.title': 'Take the new address back?',
  'undo.lead':
    'Your account gets its former address back. All devices are signed out, and a mail follows.',
  'undo.submit': 'Take it back',

  'note.mail-sent-title': 'Look at your mail',
  'note.mail-sent': 'If this account exists, a mail is on its way. Its link works for 30 minutes.',
  'note.mail-sent-onward': 'Back to the sign-in',
  'note.password-set-title': 'Your new password is set',
  'note.password-set': 'All your devices were signed out.',
  'note.password-set-onward': 'Sign in',
  'note.address-confirmed-title': 'Your address is confirmed',
  'note.address-confirmed': 'Mail for your account goes there now.',
  'note.address-confirmed-onward': 'Back to your account',
  'note.address-undone-title': 'Your former address is back',
  'note.address-undone':
    'All your devices were signed out. A mail with a link for a new password is on its way.',
  'note.address-undone-onward': 'Sign in',
  'note.link-used-title': 'This link was used already',
  'note.link-used': 'Each link works once.',
  'note.link-used-onward': 'Ask for a new link',
  'note.link-expired-title': 'This link is too old',
  'note.link-expired': 'It worked for a limited time only.',
  'note.link-expired-onward': 'Ask for a new link',
  'note.link-unknown-title': 'This link does not work',
  'note.link-unknown': 'It is not complete, or something newer has taken its place.',
  'note.link-unknown-onward': 'Ask for a new link',

  'hand-over.title': 'One moment',
  'hand-over.lead': 'You are being sent on to {client}.',
  'hand-over.link': 'Continue to {client}',
  'hand-over.close': 'You can close this window.',

  'sign-out.title': 'Sign out?',
  'sign-out.lead': 'You are signed in to {service} here, and in the apps that it signed you in to.',
  'sign-out.submit': 'Sign out',

  'signed-out.title': 'You are signed out',
  'signed-out.lead': 'You are no longer signed in to {service} in this browser.',
  'signed-out.again': 'Sign in again',

  'error.title': 'This does not work',
  'error.unknown-client': 'The app that sent you here is not known here, or not any more.',
  'error.no-app': 'This page was opened without an app. Begin where you wanted to sign in.',
  'error.redirect-mismatch':
    '{client} wants to be answered at an address that is not registered for it.',
  'error.malformed': 'The app that sent you here has sent a request that cannot be read.',
  'error.repeated-parameter':
    'The app that sent you here has sent a request in which something is there twice.',
  'error.too-long': 'The app that sent you here has sent a request that is too long.',
  'error.clock': 'The clock of a computer that takes part is wrong.',
  'error.refused': 'Your browser says that another site has sent this, so it was not done.',
  'error.not-found': 'There is no such page.',
  'error.throttled': 'There were too many attempts. Please try again in {wait}.',
  'error.busy': 'This cannot be done just now. Please try again in {wait}.',
  'error.app': 'The app',
  'error.go-back': 'Go back and try again. If that does not help, tell the people who run the app.',
  'error.reference': 'Reference',
  'error.parameter': 'For developers: the parameter at fault is {parameter}.',
} as const

/** The texts of the pages in one language; a missing one does not compile. */
export type TextsOfPages = Readonly<Record<keyof typeof en, string>>

/** The key of a text. */
export type TextKey = keyof typeof en | MailTextKey

/** A complete language. */
export type Texts = Readonly<Record<TextKey, string>>
