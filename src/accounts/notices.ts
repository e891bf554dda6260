import type { AuthEventBody } from '../audit/events.js'
import type { MailKind } from '../audit/mail.js'

/** Mails that only tell a user what has happened. */
export type NoticeKind = Extract<
  MailKind,
  | 'password-changed'
  | 'factor-changed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'identity-linked'
  | 'identity-unlinked'
  | 'device-linked'
  | 'clone-suspected'
  | 'device-approved'
  | 'new-network'
>

/** Which event is told by which mail. */
export const noticeOf: Readonly<Partial<Record<AuthEventBody['type'], NoticeKind>>> = {
  'password.changed': 'password-changed',
  'password.reset': 'password-changed',
  'second-factor.enabled': 'factor-changed',
  'second-factor.disabled': 'factor-changed',
  'second-factor.reset': 'factor-changed',
  'recovery-codes.replaced': 'factor-changed',
  'passkey.added': 'passkey-added',
  'passkey.removed': 'passkey-removed',
  'passkey.reset': 'passkey-removed',
  'passkey.clone-suspected': 'clone-suspected',
  'identity.linked': 'identity-linked',
  'identity.unlinked': 'identity-unlinked',
  'device.approved': 'device-approved',
  'device-link.approved': 'device-linked',
  'login.new-network': 'new-network',
}

/** All notices. */
export const noticeKinds: readonly NoticeKind[] = [...new Set(Object.values(noticeOf))]
