/**
 * The purpose of a mail. Mails that carry a code or a link: `reset-password`, `verify-address`,
 * `change-address`, `address-changed` (to the old address, with a link that undoes it),
 * `phone-changed` (to the address, likewise),
 * `second-factor-code`, `sign-in-code`, `register`, `invitation` and `confirm-deletion`. The others
 * only tell.
 */
export type MailKind =
  | 'reset-password'
  | 'password-elsewhere'
  | 'verify-address'
  | 'change-address'
  | 'address-changed'
  | 'address-undone'
  | 'address-taken'
  | 'phone-changed'
  | 'phone-claimed'
  | 'second-factor-code'
  | 'sign-in-code'
  | 'register'
  | 'invitation'
  | 'confirm-deletion'
  | 'password-changed'
  | 'factor-changed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'identity-linked'
  | 'identity-unlinked'
  | 'device-approved'
  | 'device-linked'
  | 'new-network'
  | 'acted-for'
  | 'clone-suspected'

const tellsOwnerOf: Readonly<Record<MailKind, boolean>> = {
  'reset-password': false,
  'password-elsewhere': false,
  'verify-address': false,
  'change-address': false,
  'address-changed': true,
  'address-undone': true,
  'address-taken': false,
  'phone-changed': true,
  'phone-claimed': true,
  'second-factor-code': false,
  'sign-in-code': false,
  register: false,
  invitation: false,
  'confirm-deletion': false,
  'password-changed': true,
  'factor-changed': true,
  'passkey-added': true,
  'passkey-removed': true,
  'identity-linked': true,
  'identity-unlinked': true,
  'device-approved': true,
  'device-linked': true,
  'new-network': true,
  'acted-for': true,
  'clone-suspected': true,
}

/** All kinds. */
export const mailKinds: readonly MailKind[] = Object.keys(tellsOwnerOf) as MailKind[]

/** Whether it tells an owner what has happened; anybody may ask for the others. */
export function tellsOwner(kind: MailKind): boolean {
  return tellsOwnerOf[kind]
}

/** Why a mail was not sent. */
export type MailFault =
  /** Too many mails were under way. */
  | 'overflow'
  /** The host's `send` threw or rejected; `host.failed` has more. */
  | 'rejected'
  /** The host's `send` gave no answer in time. */
  | 'timeout'
  /** The stored address is not one to which mail can be sent. */
  | 'address'
  /** The router is closed. */
  | 'closed'
