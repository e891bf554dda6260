import { storedProviderOf } from '../directories/stored-directory.js'
import { AuthError, invalidRequest } from '../errors.js'
import type { Capability } from '../http/endpoint.js'
import { contextOfAction, type HostAction, requireIds } from '../http/input.js'
import { off } from '../lib/off.js'
import { newConnection } from './directory-server.js'
import {
  type DirectoryLook,
  type DirectoryWatchKit,
  lookAtAll,
  watchDirectories,
} from './directory-watch.js'

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

/** What the router does with directories by itself, at the host's wish. */
export interface DirectoriesForHost {
  /**
   * Looks at every connected user now, as it does each `watchInterval`, and ends the sessions of
   * those who have left. Resolves with a look for each directory. Rejects with
   * `temporarily-unavailable` if one could not be looked at.
   */
  look(): Promise<readonly DirectoryLook[]>
}

/** Users of a company's directory. */
export interface Directories extends Capability {
  readonly identities: IdentitiesForHost
  readonly directories: DirectoriesForHost
  /** For metrics. */
  readonly lookedAt: (directory: string) => Date | null
}

export function createDirectories(kit: DirectoryWatchKit): Directories {
  const watch = watchDirectories(kit)
  return {
    routes: [],
    identities: {
      connect: (entry) => connect(kit, entry),
      disconnect: (entry) => disconnect(kit, entry),
    },
    directories: {
      look: () => Promise.all(kit.directories.map((directory) => lookAtAll(kit, directory))),
    },
    lookedAt: watch.lookedAt,
    close() {
      watch.close()
      for (const directory of kit.directories) directory.close().catch(() => {})
    },
  }
}

async function connect(kit: DirectoryWatchKit, given: EntryToConnect): Promise<void> {
  const { users, entries, audit } = kit
  const { userId, subject } = given
  const context = contextOfAction(given)
  requireIds({ userId, subject })
  const provider = providerIn(kit, given.directory)
  const user = await users.findById(userId)
  if (user === null)
    throw invalidRequest([{ path: 'userId', message: 'Invalid input: no such user' }])
  const before = await kit.connectionOf(userId)
  if (before !== null && (before.row.provider !== provider || before.row.subject !== subject))
    throw new AuthError('identity-in-use')
  const label = user.username
  const { outcome } = await entries.link(newConnection(kit, { provider, subject, userId, label }))
  if (outcome === 'linked') {
    audit({ type: 'identity.linked', userId, provider, how: 'host' }, context)
    return
  }
  const there = await entries.find(provider, subject)
  if (there?.userId !== userId) throw new AuthError('identity-in-use')
}

async function disconnect(
  kit: DirectoryWatchKit,
  given: Omit<EntryToConnect, 'subject'>,
): Promise<boolean> {
  const { userId } = given
  const context = contextOfAction(given)
  requireIds({ userId })
  const provider = providerIn(kit, given.directory)
  const rows = await kit.entries.listForUser(userId)
  const row = rows.find((one) => one.provider === provider)
  if (row === undefined) return false
  const { outcome } = await kit.entries.unlink(userId, row.id, { unlessLast: false })
  if (outcome !== 'unlinked') return false
  kit.audit({ type: 'identity.unlinked', userId, provider }, context)
  return true
}

function providerIn({ directories }: DirectoryWatchKit, id: string): string {
  if (directories.some((directory) => directory.id === id)) return storedProviderOf(id)
  throw invalidRequest([{ path: 'directory', message: 'Invalid input: no such directory' }])
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
