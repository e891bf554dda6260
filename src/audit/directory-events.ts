import type { DirectoryEntryRefusal, DirectoryLeaving } from './refusals.js'

/** The audit events of directories. */
export type DirectoryEvent =
  /**
   * A directory has signed nobody in, for another reason than a wrong password. `userId` is null
   * for a name that only the directory knows, `identifierDigest` if a signed-in user was asked for
   * the password.
   */
  | {
      readonly type: 'directory.refused'
      readonly directory: string
      readonly userId: string | null
      readonly identifierDigest: string | null
      readonly reason: DirectoryEntryRefusal
    }
  /** A name leads to several entries: nobody is signed in by it. */
  | {
      readonly type: 'directory.ambiguous'
      /** The directories with such entries. */
      readonly directories: readonly string[]
      readonly identifierDigest: string
    }
  /**
   * An entry of a directory has the name or address of a user who is not connected with it. If they
   * are one person, call `auth.identities.connect`.
   */
  | {
      readonly type: 'directory.name-taken'
      readonly directory: string
      /** Null if the host did not say whose it is. */
      readonly userId: string | null
    }
  /** Somebody has left a directory; all sessions have ended. `outage`: `watchGrace` is over. */
  | {
      readonly type: 'directory.left'
      readonly directory: string
      readonly userId: string
      readonly reason: DirectoryLeaving
      readonly sessions: number
    }
  /** The users of a directory could not be looked at; the next look is in an interval. */
  | { readonly type: 'directory.not-looked'; readonly directory: string }
