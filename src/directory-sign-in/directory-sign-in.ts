import { endForUser } from '../account/sessions-for-host.js'
import { noRequest } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { contextOfAction, requireIds } from '../http/input.js'
import type { VerifyPassword } from '../kits/sign-in-kit.js'
import { isOfDirectory, storedProviderOf } from '../lib/stored-directory.js'
import type { IdentityRecord, IdentityStore } from '../stores/identity-contract.js'
import type { DirectoryCounts, DirectorySignIn, EntryToConnect } from './directories.js'
import type { CheckedDirectoriesOptions } from './directories-options.js'
import {
  createDirectoryServer,
  createPasswordElsewhere,
  createStandsInDirectory,
  type DirectoryServer,
  newConnection,
} from './directory-server.js'
import { type DirectoryWatchKit, watchDirectories } from './directory-watch.js'
import { createVerifyByDirectory } from './password-by-directory.js'

/** The parts that it is made of. */
export interface DirectoriesGiven
  extends Omit<DirectoryWatchKit, keyof DirectoryServer | 'endLeft'> {
  /** The check of the host's hashes. */
  readonly verifyByHash: VerifyPassword
  /** By the id of the directory. */
  readonly directoryCounts: ReadonlyMap<string, DirectoryCounts>
}

/** @param entries - the store of connected entries, which the option requires */
export function createDirectorySignIn(
  given: DirectoriesGiven,
  options: CheckedDirectoriesOptions,
  entries: IdentityStore,
): DirectorySignIn {
  const server = createDirectoryServer(given, options, entries, given.directoryCounts)
  const { endAllForUser: endAll } = given.sessions
  // The ways in stay: each of them asks the directory.
  const ending = { ...given, removeWaysIn: async () => 0 }
  const endLeft = (userId: string) =>
    endForUser(ending, { userId, reason: 'directory-left', endAll, cause: noRequest })
  const kit = { ...given, ...server, endLeft }
  const takeGuess = given.throttle.limitDirectories(options.guesses)
  const watch = watchDirectories(kit)
  return {
    verifyPassword: createVerifyByDirectory(kit, given.verifyByHash, takeGuess),
    standsInDirectory: createStandsInDirectory(server),
    passwordElsewhere: createPasswordElsewhere(server),
    connect: (entry) => connect(kit, entry),
    disconnect: (entry) => disconnect(kit, entry),
    look: () => Promise.all(server.directories.map(watch.look)),
    close() {
      watch.close()
      for (const directory of server.directories) directory.close().catch(() => {})
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
  const row = newConnection(kit, { provider, subject, userId, label: user.username })
  const { outcome } = await entries.link(row)
  if (outcome === 'linked') {
    await requireOnly(kit, row)
    audit({ type: 'identity.linked', userId, provider, how: 'host' }, context)
    return
  }
  const there = await entries.find(provider, subject)
  if (there?.userId !== userId) throw new AuthError('identity-in-use')
}

// The store knows of one user for an entry, and not of one entry for a user: of calls at the same
// time for one user, those that see another entry take theirs back.
async function requireOnly({ entries }: DirectoryWatchKit, row: IdentityRecord): Promise<void> {
  const rows = await entries.listForUser(row.userId)
  if (!rows.some((one) => isOfDirectory(one) && one.id !== row.id)) return
  await entries.unlink(row.userId, row.id, { unlessLast: false })
  throw new AuthError('identity-in-use')
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
