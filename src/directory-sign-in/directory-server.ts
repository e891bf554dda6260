import type { DirectoryLeaving } from '../audit/refusals.js'
import type { DirectoryEntry } from '../directories/contract.js'
import type { GroundKit } from '../kits/ground-kit.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { PasswordElsewhere } from '../kits/sign-in-kit.js'
import { randomId, sha256 } from '../lib/secrets.js'
import type { SignInDoor, StandsInDirectory } from '../sign-in.js'
import type { IdentityRecord, IdentityStore } from '../stores/identity-contract.js'
import { createDirectoryCounts, type DirectoryCounts } from './directories.js'
import type { CheckedDirectoriesOptions } from './directories-options.js'
import { type ConnectedDirectory, failClosedDirectory } from './fail-closed-directory.js'

/** The entry that a user is connected with. */
export interface Connection {
  readonly directory: ConnectedDirectory
  readonly row: IdentityRecord
}

/** The parts that the option `directories` adds. */
export interface DirectoryServer {
  readonly directoriesOptions: CheckedDirectoriesOptions
  readonly directories: readonly ConnectedDirectory[]
  /** The store of connected entries; the option has required it. */
  readonly entries: IdentityStore
  /**
   * The entry of a user; null if a directory has none, or it is no longer in the list. A user of
   * nobody, null, costs the same call. Rejects with 503.
   */
  readonly connectionOf: (userId: string | null) => Promise<Connection | null>
  /** What your rule says of an entry: true, false, or the reason for the user. Rejects with 503. */
  readonly isAllowed: (entry: DirectoryEntry) => Promise<boolean | string>
}

export function createDirectoryServer(
  { callProvider, call, clock }: Pick<GroundKit, 'callProvider' | 'call' | 'clock'>,
  directoriesOptions: CheckedDirectoriesOptions,
  entries: IdentityStore,
  counts?: ReadonlyMap<string, DirectoryCounts>,
): DirectoryServer {
  const { list, allowed } = directoriesOptions
  const directories = list.map((directory) => {
    const ofOne = counts?.get(directory.id) ?? createDirectoryCounts(clock())
    return failClosedDirectory(directory, ofOne, callProvider)
  })
  const byProvider = new Map(directories.map((one) => [one.provider, one]))
  const nobody = randomId()
  async function connectionOf(userId: string | null): Promise<Connection | null> {
    for (const row of await entries.listForUser(userId ?? nobody)) {
      const directory = byProvider.get(row.provider)
      if (directory !== undefined) return { directory, row }
    }
    return null
  }
  return {
    directoriesOptions,
    directories,
    entries,
    connectionOf,
    isAllowed: (entry) =>
      allowed === undefined
        ? Promise.resolve(true)
        : // A rule that answers nothing has not allowed anybody.
          call(
            'directories.allowed',
            () => allowed(entry),
            (told: unknown) => (typeof told === 'string' ? told : told === true),
          ),
  }
}

/** The parts that sign-in by a directory needs. */
export interface DirectorySignInKit extends GroundKit, ManagementKit, DirectoryServer {
  /** Whether an address is kept for a user who can go back to it. */
  readonly isKept: (email: string) => Promise<boolean>
}

/** Why nobody may come in by this entry; null if somebody may. Rejects with 503. */
export async function whyOut(
  { isAllowed }: Pick<DirectoryServer, 'isAllowed'>,
  entry: DirectoryEntry | undefined,
): Promise<Exclude<DirectoryLeaving, 'outage'> | null> {
  if (entry === undefined) return 'gone'
  if (entry.disabled) return 'disabled'
  return (await isAllowed(entry)) === true ? null : 'not-allowed'
}

/** The member `upstream` of the sessions of an entry. */
export function upstreamOfEntry(provider: string, subject: string): string {
  return `${provider} ${sha256(JSON.stringify([provider, subject]))}`
}

/** The row that connects an entry with a user. */
export function newConnection(
  { clock }: Pick<GroundKit, 'clock'>,
  connected: Pick<IdentityRecord, 'provider' | 'subject' | 'userId' | 'label'>,
): IdentityRecord {
  const { provider: issuer } = connected
  const made = { passwordMark: null, createdAt: clock(), lastUsedAt: null }
  return { ...connected, issuer, id: randomId(), ...made }
}

/** See `SignInKit.passwordElsewhere`. */
export function createPasswordElsewhere({
  connectionOf,
}: DirectoryServer): (userId: string) => Promise<PasswordElsewhere | null> {
  return async function passwordElsewhere(userId) {
    const connection = await connectionOf(userId)
    if (connection === null) return null
    const { directory, row } = connection
    const upstream = upstreamOfEntry(row.provider, row.subject)
    return { name: directory.name, url: directory.changePasswordUrl ?? null, upstream }
  }
}

// Doors that go on with a session which is there: an outage of the directory must not stop it.
const goingOn: readonly SignInDoor[] = [
  'authorization-code',
  'code-exchange',
  'named-token',
  'device',
  'device-link',
]
// Doors that have just asked it, or at which the look is near.
const notAsking: readonly SignInDoor[] = ['login', 'refresh', 'service', 'registration']

/**
 * Whether the directory of a user still lets the user in, for the doors that do not ask for its
 * password: a passkey or a mailed code must not outlast the employment.
 */
export function createStandsInDirectory(server: DirectoryServer): StandsInDirectory {
  return async function standsInDirectory(user, { door, methods }) {
    if (notAsking.includes(door)) return true
    if (door === 'reauthenticate' && methods.includes('pwd')) return true
    const connection = await server.connectionOf(user.id)
    if (connection === null) return true
    const { directory, row } = connection
    const looking = directory.look([row.subject])
    // An outage of the directory, and of nothing else.
    const found = await (goingOn.includes(door) ? looking.catch(() => null) : looking)
    if (found === null) return true
    return (
      (await whyOut(
        server,
        found.find(({ subject }) => subject === row.subject),
      )) === null
    )
  }
}
