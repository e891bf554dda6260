import type { PasskeyPurpose, PasskeyRefusal } from './refusals.js'

/** The audit events of passkeys. */
export type PasskeyEvent =
  /** A user has added a passkey; `backedUp`: it is on several devices. Notify the user. */
  | {
      readonly type: 'passkey.added'
      readonly userId: string
      readonly passkeyId: string
      readonly name: string
      readonly backedUp: boolean
    }
  /**
   * A passkey was removed: by its user, or after a new password or an undo, since a thief may have
   * added it. The user's other sessions end. Notify the user.
   */
  | {
      readonly type: 'passkey.removed'
      readonly userId: string
      readonly passkeyId: string
      readonly name: string
      readonly reason: 'by-user' | 'password-changed'
    }
  /** The host has removed all passkeys of a user, whose sessions end. */
  | { readonly type: 'passkey.reset'; readonly userId: string; readonly removed: number }
  /** A passkey was verified. The sign-in may still fail. */
  | {
      readonly type: 'passkey.used'
      readonly userId: string
      readonly passkeyId: string
      readonly purpose: PasskeyPurpose
    }
  /** A passkey was refused. `userId`: of the passkey or of the calling session, if known. */
  | {
      readonly type: 'passkey.refused'
      readonly purpose: PasskeyPurpose
      readonly reason: PasskeyRefusal
      readonly userId: string | null
    }
  /** The counter of a synced passkey went backwards; it was accepted. */
  | {
      readonly type: 'passkey.counter-regressed'
      readonly userId: string
      readonly passkeyId: string
    }
  /**
   * The counter of a passkey on a single device went backwards: there is a copy. It is refused
   * until its user removes it and adds it again. Its sessions continue: notify the user, and end
   * those that the user does not recognise.
   */
  | {
      readonly type: 'passkey.clone-suspected'
      readonly userId: string
      readonly passkeyId: string
      readonly name: string
    }
  /** A passkey is now on several devices, or no longer. */
  | {
      readonly type: 'passkey.backup-changed'
      readonly userId: string
      readonly passkeyId: string
      readonly backedUp: boolean
    }
