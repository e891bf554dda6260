import type { StoredMethod } from '../stores/contract.js'
import type { SignInRefusal } from './refusals.js'

/** Why what a browser has sent of a passkey was refused. Clients are told less. */
export type PasskeyFault =
  | 'malformed'
  | 'unknown-challenge'
  | 'used-challenge'
  | 'unknown-credential'
  | 'credential-of-another-user'
  | 'wrong-type'
  | 'wrong-origin'
  | 'cross-origin'
  | 'wrong-rp-id'
  | 'wrong-user-handle'
  | 'user-not-present'
  | 'user-not-verified'
  | 'impossible-backup-state'
  | 'changed-backup-eligibility'
  | 'not-verified'
  | 'suspected-clone'
  | 'overtaken'

/** Why a passkey did not do what it was shown for. */
export type PasskeyRefusal = PasskeyFault | SignInRefusal

/** What a passkey is shown for. */
export type PasskeyPurpose = 'register' | 'sign-in' | 'second-factor' | 'reauthenticate'

/** What the audit stream says of passkeys. */
export type PasskeyEvent =
  /** A user has added a passkey; `backedUp` where it is on more than one device. Tell the user. */
  | {
      readonly type: 'passkey.added'
      readonly userId: string
      readonly passkeyId: string
      readonly name: string
      readonly backedUp: boolean
    }
  /**
   * A passkey was removed: by its user, or because the host has said that the password is another
   * and that a thief of the old one may have added it. The user's other sessions end. Tell the
   * user.
   */
  | {
      readonly type: 'passkey.removed'
      readonly userId: string
      readonly passkeyId: string
      readonly name: string
      readonly reason: 'by-user' | 'password-changed'
    }
  /** The host has removed all passkeys of a user, as a support desk does. The sessions end. */
  | { readonly type: 'passkey.reset'; readonly userId: string; readonly removed: number }
  /** A passkey was right. Whether its user may sign in is another matter. */
  | {
      readonly type: 'passkey.used'
      readonly userId: string
      readonly passkeyId: string
      readonly purpose: PasskeyPurpose
    }
  /**
   * What was sent of a passkey was refused. `userId` where the passkey, or the session that asks,
   * is somebody's.
   */
  | {
      readonly type: 'passkey.refused'
      readonly purpose: PasskeyPurpose
      readonly reason: PasskeyRefusal
      readonly userId: string | null
    }
  /** The counter of a passkey that may be on several devices went backwards; it was let pass. */
  | {
      readonly type: 'passkey.counter-regressed'
      readonly userId: string
      readonly passkeyId: string
    }
  /**
   * The counter of a passkey that is on one device went backwards: there is a copy of it. It is
   * refused from now on, whoever shows it, until its user removes it and adds it anew. Sessions
   * that it has opened go on: tell its user, and end them where the user does not know them.
   */
  | {
      readonly type: 'passkey.clone-suspected'
      readonly userId: string
      readonly passkeyId: string
      readonly name: string
    }
  /** A passkey is on several devices now, or no longer. */
  | {
      readonly type: 'passkey.backup-changed'
      readonly userId: string
      readonly passkeyId: string
      readonly backedUp: boolean
    }
  /** A signed-in user has proved anew who they are, by `methods`. */
  | {
      readonly type: 'reauthenticated'
      readonly userId: string
      readonly sessionId: string
      readonly methods: readonly StoredMethod[]
    }

/** At which level each is logged. */
export const passkeyLevels: Readonly<Record<PasskeyEvent['type'], 'debug' | 'info' | 'warn'>> = {
  'passkey.added': 'info',
  'passkey.removed': 'info',
  'passkey.reset': 'warn',
  'passkey.used': 'debug',
  'passkey.refused': 'info',
  'passkey.counter-regressed': 'info',
  'passkey.clone-suspected': 'warn',
  'passkey.backup-changed': 'info',
  reauthenticated: 'info',
}
