import type { AuthUser } from '../users/contract.js'
import type { AddPasskey } from './add-passkey.js'
import type { ApproveByPasskey } from './approve-by-passkey.js'
import type { PasskeyCreationOptions, PasskeyRequestOptions } from './ceremony-options.js'
import type { OpenByPasskey } from './open-by-passkey.js'

/** Passkeys, as the pages on which browsers sign in ask for them. */
export interface PasskeysOnPages {
  /** What a browser needs to sign in: the same for everybody. */
  readonly signInOptions: () => PasskeyRequestOptions
  readonly approve: ApproveByPasskey
  readonly open: OpenByPasskey
  /**
   * What a browser needs to show one besides a password; null for a user who has none. Rejects
   * with 503.
   */
  readonly offer: (user: AuthUser) => Promise<object | null>
  /** Whether a user has any. Rejects with 503. */
  readonly hasAny: (userId: string) => Promise<boolean>
  /** What a browser needs to make one. Rejects with 503. */
  readonly creationOptions: (user: AuthUser, sessionId: string) => Promise<PasskeyCreationOptions>
  readonly add: AddPasskey
}
