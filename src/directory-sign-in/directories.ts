import type { DirectoryVerdict } from '../directories/contract.js'
import type { Capability } from '../http/endpoint.js'
import type { HostAction } from '../http/input.js'
import type { PasswordElsewhere, VerifyPassword } from '../kits/sign-in-kit.js'
import { off } from '../lib/off.js'
import type { StandsInDirectory } from '../sign-in.js'

/** A user, and the entry of a directory that the user has. */
export interface EntryToConnect extends HostAction {
  readonly userId: string
  /** The id of the directory. */
  readonly directory: string
  /** The entry, as the directory names it for ever: for Active Directory its `objectGUID`. */
  readonly subject: string
}

/** What connects users with their entries, for the host's own code. */
export interface IdentitiesForHost {
  /**
   * Connects a user with an entry: from then on the directory alone decides on the password. For
   * users who were there before the directory. Resolves also if they are connected already. Rejects
   * with `AuthError`: `identity-in-use` (another user has the entry, or the user another entry),
   * `invalid-request` for no such user or directory, `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * declare const rows: { userId: string; objectGuid: string }[]
   * for (const { userId, objectGuid } of rows)
   *   await auth.identities.connect({ userId, directory: 'corp', subject: objectGuid })
   * ```
   */
  connect(entry: EntryToConnect): Promise<void>
  /**
   * Takes the entry of a directory away from a user, who then has the password of the host's table
   * again, if there is one. Ends no session. Returns whether there was one.
   */
  disconnect(entry: Omit<EntryToConnect, 'subject'>): Promise<boolean>
}

/** One look at the users of a directory. */
export interface DirectoryLook {
  /** The id of the directory. */
  readonly directory: string
  /** Connected users. */
  readonly people: number
  /** How many of them had sessions, which have ended. */
  readonly left: number
}

/** What the router does with directories by itself, at the host's wish. */
export interface DirectoriesForHost {
  /**
   * Looks at every connected user now, as it does each `watchInterval`, and ends the sessions of
   * those who have left. Resolves with a look for each directory. Rejects with
   * `temporarily-unavailable` if one could not be looked at.
   */
  look(): Promise<readonly DirectoryLook[]>
}

/** What the option `directories` adds: loaded by a router that has it, and by no other. */
export interface DirectorySignIn extends IdentitiesForHost, DirectoriesForHost {
  readonly verifyPassword: VerifyPassword
  readonly standsInDirectory: StandsInDirectory
  readonly passwordElsewhere: (userId: string) => Promise<PasswordElsewhere | null>
  readonly close: () => void
}

/** What is counted of a directory, for metrics: always the same outcomes. */
export interface DirectoryCounts {
  readonly search: EndedCalls<'ok' | 'failed'>
  readonly bind: EndedCalls<DirectoryVerdict['outcome'] | 'failed'>
  /** The last complete look that this process knows of; before it, its start. */
  lookedAt: Date
}

interface EndedCalls<Outcome extends string> {
  readonly outcomes: Record<Outcome, number>
  seconds: number
}

/** Of a directory that was not asked yet. */
export function createDirectoryCounts(lookedAt: Date): DirectoryCounts {
  return {
    search: { outcomes: { ok: 0, failed: 0 }, seconds: 0 },
    bind: { outcomes: { right: 0, wrong: 0, 'must-change': 0, failed: 0 }, seconds: 0 },
    lookedAt,
  }
}

/** Loads it once. */
export type LoadDirectories = () => Promise<DirectorySignIn>

/** Users of a company's directory. */
export interface Directories extends Capability {
  readonly identities: IdentitiesForHost
  readonly directories: DirectoriesForHost
}

/** The capability, whose parts are loaded after the start; undefined without the option. */
export function createDirectories(load: LoadDirectories | undefined): Directories | undefined {
  if (load === undefined) return undefined
  return {
    routes: [],
    identities: {
      connect: async (entry) => (await load()).connect(entry),
      disconnect: async (entry) => (await load()).disconnect(entry),
    },
    directories: { look: async () => (await load()).look() },
    close() {
      load().then(
        (parts) => parts.close(),
        () => {},
      )
    },
  }
}

const problem = 'is not configured, which auth.'
const remedy = 'pass directories to createAuthRouter, as docs/directories.md says.'

/** `auth.identities` without the option `directories`. */
export const withoutIdentities: IdentitiesForHost = off(
  'directories',
  `${problem}identities needs.`,
  remedy,
  ['connect', 'disconnect'],
)
/** `auth.directories` without the option. */
export const withoutDirectories: DirectoriesForHost = off(
  'directories',
  `${problem}directories needs.`,
  remedy,
  ['look'],
)
