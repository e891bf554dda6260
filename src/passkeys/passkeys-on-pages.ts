import type { AuthUser } from '../users/contract.js'
import type { AddPasskey } from './add-passkey.js'
import type { ApproveByPasskey } from './approve-by-passkey.js'
import type { PasskeyCreationOptions, PasskeyRequestOptions } from './ceremony-options.js'
import type { OpenByPasskey } from './open-by-passkey.js'
import type { OwnPasskeys } from './own-passkeys.js'

/** Passkeys for the sign-in pages. */
export interface PasskeysOnPages {
  /** Request options for a sign-in: the same for everybody. */
  readonly signInOptions: () => PasskeyRequestOptions
  readonly approve: ApproveByPasskey
  readonly open: OpenByPasskey
  /**
   * Request options for a passkey besides a password; null if the user has none. Rejects with 503.
   */
  readonly offer: (user: AuthUser) => Promise<object | null>
  /** Whether the user has a passkey. Rejects with 503. */
  readonly hasAny: (userId: string) => Promise<boolean>
  /** Creation options. Rejects with 503. */
  readonly creationOptions: (user: AuthUser, sessionId: string) => Promise<PasskeyCreationOptions>
  readonly add: AddPasskey
  readonly own: OwnPasskeys
}
