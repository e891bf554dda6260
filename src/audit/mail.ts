export const mailKinds = [
  'reset-password',
  'verify-address',
  'change-address',
  'address-changed',
  'address-taken',
  'second-factor-code',
  'sign-in-code',
  'register',
  'invitation',
  'confirm-deletion',
  'password-changed',
  'factor-changed',
  'passkey-added',
  'passkey-removed',
  'identity-linked',
  'identity-unlinked',
  'device-approved',
  'device-linked',
  'new-network',
  'clone-suspected',
] as const

/**
 * What a mail is for. Mails that carry a code or a link: `reset-password`, `verify-address`,
 * `change-address`, `address-changed` (to the old address, with a link that undoes it),
 * `second-factor-code`, `sign-in-code`, `register`, `invitation` and `confirm-deletion`. The others
 * only tell.
 */
export type MailKind = (typeof mailKinds)[number]

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
