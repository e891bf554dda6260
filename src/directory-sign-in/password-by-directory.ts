import { setTimeout } from 'node:timers/promises'
import { shownNameText, userNameText } from '../accounts/newcomer.js'
import type { RequestContext } from '../audit/events.js'
import type { DirectoryEntryRefusal } from '../audit/refusals.js'
import type { DirectoryEntry, DirectoryVerdict } from '../directories/contract.js'
import { AuthError } from '../errors.js'
import type { PasswordVerdict, VerifyPassword } from '../kits/sign-in-kit.js'
import { parseMailAddress } from '../lib/addresses.js'
import { randomId, randomSecret } from '../lib/secrets.js'
import type { ShownPassword } from '../passwords/contract.js'
import type { CountedGuess, DirectoryGuess, TakeGuess } from '../throttle/directory-limit.js'
import type { AuthUser, LoginIdentifier } from '../users/contract.js'
import {
  type Connection,
  type DirectorySignInKit,
  newConnection,
  upstreamOfEntry,
} from './directory-server.js'
import type { ConnectedDirectory } from './fail-closed-directory.js'

/** An attempt, and what the router and the directories know of its name. */
interface Attempt {
  readonly user: AuthUser | null
  readonly connection: Connection | null
  readonly context: RequestContext
  readonly typed: LoginIdentifier | undefined
  /** Of `typed`, as in `login.failed`; null if a signed-in user proves the password. */
  readonly identifierDigest: string | null
  /** Whether the user's password is the host's. */
  readonly isLocal: boolean
}

/** The entry whose password it must be. */
interface Target {
  readonly directory: ConnectedDirectory
  readonly entry: DirectoryEntry
}

/** The answer of each directory, in their order; a rejection is an outage. */
type Found = readonly PromiseSettledResult<readonly DirectoryEntry[]>[]

const maxPasswordBytes = 1024

/**
 * The check of passwords with the option `directories`. A user who is connected with an entry has
 * its password alone; any other user has the hash of the host. For every name, each directory is
 * asked for one entry and one password, and one hash is computed, so that the time reveals neither
 * who exists nor where (ASVS V6.3.8).
 */
export function createVerifyByDirectory(
  kit: DirectorySignInKit,
  byHash: VerifyPassword,
  takeGuess: TakeGuess,
): VerifyPassword {
  const findOwner = createFindOwner(kit)
  const compare = kit.directoriesOptions.only ? noHash : byHash
  return async function verifyPassword(user, password, context, signal, typed) {
    const connection = await kit.connectionOf(user?.id ?? null)
    // The proof of a signed-in user who has no entry.
    if (connection === null && typed === undefined) return byHash(user, password, context, signal)
    const isLocal = user !== null && connection === null
    const identifierDigest = digestOf(kit, typed)
    const attempt = { user, connection, context, typed, identifierDigest, isLocal }
    const found = await askForEntries(kit, attempt)
    const target = targetOf(kit, attempt, found)
    const guess = await takeGuess(guessOf(kit, attempt, target), context)
    if (guess instanceof AuthError)
      return { right: false, reason: 'account-limit', userId: user?.id ?? null, limit: guess }
    const asking = askForVerdict(kit, attempt, { found, target }, password)
    const hashing = compare(isLocal ? user : null, password, context, signal)
    const [verdict, byHost] = await settle(guess, attempt, [asking, hashing])
    const asked = { kit, attempt, findOwner }
    return isLocal ? ofHost(asked, byHost, found) : ofDirectory(asked, target, verdict)
  }
}

function digestOf({ digestIdentifier }: DirectorySignInKit, typed: LoginIdentifier | undefined) {
  return typed === undefined ? null : digestIdentifier(typed).name
}

// A right password does not count; one that nobody could judge does.
async function settle(
  guess: CountedGuess,
  { isLocal }: Attempt,
  asking: readonly [Promise<DirectoryVerdict>, Promise<PasswordVerdict>],
): Promise<readonly [DirectoryVerdict, PasswordVerdict]> {
  const answers = await Promise.all(asking).catch((error: unknown) => {
    guess.keep()
    throw error
  })
  const [verdict, byHost] = answers
  if (isLocal ? byHost.right : verdict.outcome !== 'wrong') await guess.giveBack()
  else guess.keep()
  return answers
}

const noHash: VerifyPassword = async (user) => ({
  right: false,
  reason: 'no-password',
  userId: user?.id ?? null,
})

// At a sign-in all of them: the time must not reveal which one has the name.
function askForEntries(
  { directories }: DirectorySignInKit,
  { connection, typed }: Attempt,
): Promise<Found> {
  return Promise.allSettled(
    directories.map(async (directory) => {
      if (directory === connection?.directory) return directory.look([connection.row.subject])
      return typed === undefined ? [] : directory.find(typed.value)
    }),
  )
}

// Null: no entry can sign in. Throws 503 if it is not known.
function targetOf(
  { directories, audit }: DirectorySignInKit,
  { user, connection, context, identifierDigest }: Attempt,
  found: Found,
): Target | null {
  const hits = directories.flatMap((directory, index) => {
    const answer = found[index]
    const isAsked = connection === null ? user === null : directory === connection.directory
    if (!isAsked || answer === undefined) return []
    // Of a name that nobody has, each directory must have said so.
    if (answer.status === 'rejected') throw answer.reason
    return answer.value.map((entry) => ({ directory, entry }))
  })
  if (connection !== null)
    return hits.find(({ entry }) => entry.subject === connection.row.subject) ?? null
  if (hits.length <= 1 || identifierDigest === null) return hits[0] ?? null
  const ids = [...new Set(hits.map(({ directory }) => directory.id))]
  audit({ type: 'directory.ambiguous', directories: ids, identifierDigest }, context)
  return null
}

// A name that leads to no entry is counted as well: the limit must not reveal who has one.
function guessOf(
  { directories, entries }: DirectorySignInKit,
  { user, connection, identifierDigest }: Attempt,
  target: Target | null,
): DirectoryGuess {
  const found = target && { provider: target.directory.provider, subject: target.entry.subject }
  const entry = connection?.row ?? found
  const noEntry = user === null ? ['name', identifierDigest ?? ''] : ['user', user.id]
  return {
    identifierDigest,
    of: entry === null ? noEntry : [entry.provider, entry.subject],
    // The host may know the user by another name. Each name costs one call, whoever has it.
    async findUserId() {
      const nobodys = { provider: directories[0]?.provider ?? '', subject: randomId() }
      const { provider, subject } = entry ?? nobodys
      const row = await entries.find(provider, subject)
      return user?.id ?? row?.userId ?? null
    },
  }
}

// The password goes to the directory of the entry alone. All others get one that nobody has, but
// for those that are down: nobody waits for them twice.
async function askForVerdict(
  { directories }: DirectorySignInKit,
  { user, connection, typed }: Attempt,
  { found, target }: { readonly found: Found; readonly target: Target | null },
  password: ShownPassword,
): Promise<DirectoryVerdict> {
  const decoy = randomSecret()
  const isMeant = target !== null && !target.entry.disabled && isUsable(password)
  const asked = directories.filter(
    (directory, index) =>
      found[index]?.status === 'fulfilled' &&
      (typed !== undefined || directory === connection?.directory),
  )
  const answers = await Promise.allSettled(
    asked.map((directory) =>
      isMeant && directory === target.directory
        ? directory.verify(target.entry, password)
        : directory.verify(null, decoy),
    ),
  )
  for (const [index, answer] of answers.entries()) {
    const isOwn = connection === null ? user === null : asked[index] === connection.directory
    if (isOwn && answer.status === 'rejected') throw answer.reason
  }
  const own = answers[asked.indexOf(target?.directory as ConnectedDirectory)]
  if (isMeant && own?.status === 'fulfilled') return own.value
  const reason = target?.entry.disabled === true ? 'disabled' : 'wrong-password'
  return { outcome: 'wrong', reason }
}

// An empty password binds as nobody, which is a success (RFC 4513 §5.1.2).
// https://www.rfc-editor.org/rfc/rfc4513#section-5.1.2
function isUsable(password: ShownPassword): password is string {
  return (
    typeof password === 'string' &&
    password.trim() !== '' &&
    !password.includes('\0') &&
    Buffer.byteLength(password) <= maxPasswordBytes
  )
}

interface Asked {
  readonly kit: DirectorySignInKit
  readonly attempt: Attempt
  readonly findOwner: FindOwner
}

function ofHost(
  { kit, attempt: { user, context } }: Asked,
  verdict: PasswordVerdict,
  found: Found,
): PasswordVerdict {
  const index = found.findIndex((one) => one.status === 'fulfilled' && one.value.length > 0)
  const directory = kit.directories[index]?.id
  if (!verdict.right && directory !== undefined)
    kit.audit({ type: 'directory.name-taken', directory, userId: user?.id ?? null }, context)
  return verdict
}

async function ofDirectory(
  asked: Asked,
  target: Target | null,
  verdict: DirectoryVerdict,
): Promise<PasswordVerdict> {
  const { attempt } = asked
  if (target === null) return refused(asked, attempt.connection?.directory, 'gone')
  const { directory } = target
  if (verdict.outcome === 'wrong') return refused(asked, directory, verdict.reason)
  if (verdict.outcome === 'right') return admitted(asked, target)
  refused(asked, directory, 'must-change')
  throw new AuthError('password-expired', { details: { url: directory.changePasswordUrl ?? null } })
}

// The password was right.
async function admitted(asked: Asked, { directory, entry }: Target): Promise<PasswordVerdict> {
  const { kit, attempt, findOwner } = asked
  const allowed = await kit.isAllowed(entry)
  if (allowed !== true) {
    refused(asked, directory, 'not-allowed')
    const told = typeof allowed === 'string' ? { clientMessage: allowed } : {}
    throw new AuthError('forbidden', told)
  }
  const user = attempt.user ?? (await findOwner({ directory, entry }, attempt))
  if (user === null) return refused(asked, directory, 'not-connected')
  const { signedIn } = kit.directoriesOptions
  if (signedIn !== undefined) await kit.call('directories.signedIn', () => signedIn(user.id, entry))
  return { right: true, user, upstream: upstreamOfEntry(directory.provider, entry.subject) }
}

// Of a name that no directory has, there is nothing to report.
function refused(
  { kit, attempt: { user, context, identifierDigest } }: Asked,
  directory: ConnectedDirectory | undefined,
  reason: DirectoryEntryRefusal | 'wrong-password',
): PasswordVerdict {
  const userId = user?.id ?? null
  if (reason === 'wrong-password') return { right: false, reason, userId }
  const told = { userId, identifierDigest, reason }
  if (directory !== undefined)
    kit.audit({ type: 'directory.refused', directory: directory.id, ...told }, context)
  return { right: false, reason: userId === null ? 'unknown-user' : 'directory-refused', userId }
}

/**
 * The user of an entry whose password was right, who may be new; null if strangers become no users,
 * or another user has the name. Of many calls for one entry, one creates. Rejects with 503.
 */
type FindOwner = (
  of: { readonly directory: ConnectedDirectory; readonly entry: DirectoryEntry },
  by: By,
) => Promise<AuthUser | null>

/** Who wants to sign in. */
type By = Pick<Attempt, 'context' | 'identifierDigest'>

/** Milliseconds after which another process may have connected the user that it has created. */
const looks = [0, 50, 200, 750]

function createFindOwner(kit: DirectorySignInKit): FindOwner {
  const underWay = new Map<string, Promise<AuthUser | null>>()
  return async function findOwner({ directory, entry }, by) {
    // The host may know the user by another name than the one that was typed.
    const row = await kit.entries.find(directory.provider, entry.subject)
    if (row !== null) return kit.users.findById(row.userId)
    if (kit.directoriesOptions.unknown !== 'create') return null
    const key = JSON.stringify([directory.provider, entry.subject])
    const mine = underWay.get(key) ?? create(kit, directory, entry, by)
    underWay.set(key, mine)
    return mine.finally(() => underWay.delete(key))
  }
}

async function create(
  kit: DirectorySignInKit,
  { id: directory, provider }: ConnectedDirectory,
  { subject, username, displayName, email }: DirectoryEntry,
  { context, identifierDigest }: By,
): Promise<AuthUser | null> {
  const { users, audit, entries } = kit
  const { create: createUser, delete: deleteUser } = users
  if (!createUser || !deleteUser) return null
  if (!userNameText.safeParse(username).success) {
    const told = { userId: null, identifierDigest, reason: 'unfit-name' } as const
    audit({ type: 'directory.refused', directory, ...told }, context)
    return null
  }
  // The host's rules for names hold, too: a company may call somebody `admin`.
  const isFree = (await users.nameIsFree?.(username)) !== false
  const newUser = {
    email: await provenEmailOf(kit, email),
    username,
    name: shownNameText.safeParse(displayName).data ?? username,
    passwordHash: null,
    identity: { provider, issuer: provider, subject },
  }
  const made = isFree ? await createUser(newUser) : null
  if (made === null || made.outcome === 'taken') {
    const winner = await winnerOf(kit, provider, subject)
    if (winner === null) audit({ type: 'directory.name-taken', directory, userId: null }, context)
    return winner
  }
  const { user } = made
  const row = newConnection(kit, { provider, subject, userId: user.id, label: email ?? username })
  // Left behind, the user would have the name of an entry that nobody can sign in by.
  const { outcome } = await entries.link(row).catch(async (error: unknown) => {
    await deleteUser(user.id)
    throw error
  })
  if (outcome === 'exists') {
    await deleteUser(user.id)
    return winnerOf(kit, provider, subject)
  }
  audit({ type: 'identity.linked', userId: user.id, provider, how: 'created' }, context)
  audit({ type: 'account.registered', userId: user.id, invitationId: null }, context)
  return user
}

/** The user whom another call or process has created for this entry; null if there is none. */
async function winnerOf(
  { users, entries }: DirectorySignInKit,
  provider: string,
  subject: string,
): Promise<AuthUser | null> {
  for (const wait of looks) {
    await setTimeout(wait)
    const row = await entries.find(provider, subject)
    if (row !== null) return users.findById(row.userId)
  }
  return null
}

async function provenEmailOf(
  { directoriesOptions, isKept }: DirectorySignInKit,
  given: string | undefined,
): Promise<string | null> {
  const email = directoriesOptions.emailProven && given ? parseMailAddress(given) : null
  // A user who can still undo a change of the address gets it back.
  return email === null || (await isKept(email)) ? null : email
}
