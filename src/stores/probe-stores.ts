import { AuthConfigError, AuthError } from '../errors.js'
import { sha256 } from '../lib/digest.js'
import { raceWinners } from '../lib/race.js'
import { randomId, randomSecret } from '../lib/random.js'
import { withTimeout } from '../lib/timeouts.js'
import type { KeyStore } from '../signers/contract.js'
import type { AuthorizationCodeStore, RefreshState, SecondFactorStore, SessionStore, SocketTicketStore } from './contract.js'

/** The stores that {@link probeStores} tries: yours, as you hand them to `createAuthRouter` and `keyRing`. */
export interface StoresToProbe {
  readonly codes: AuthorizationCodeStore
  readonly sessions: SessionStore
  readonly secondFactors?: SecondFactorStore
  readonly tickets?: SocketTicketStore
  readonly keys?: KeyStore
}

/** Options of {@link probeStores}. */
export interface ProbeStoresOptions {
  /** How many callers race for each thing, from 2 to 1000. Default 20. */
  readonly callers?: number
}

/** How long the probe of one store may take, in milliseconds. */
const patience = 10_000

interface Probe {
  readonly callers: number
  readonly userId: string
}

/**
 * Races each one-time operation of the real stores once, in about ten rounds of `callers` calls at a time. Call it at start-up, before
 * the server listens: a store that passed its tests over one database may be unsafe over another, or behind a pool or proxy that
 * repeats what fails.
 *
 * It works on rows of its own, of a user whose id begins with `mar-probe-`, and leaves nothing that opens anything: no secret belongs
 * to their hashes, and all are used up or ended. `purge` deletes what is left of them. Of a key store it only inserts once more the
 * newest key that is already there, since running key rings would take any other for theirs; an empty one is not probed.
 *
 * Resolves when all is well. It finds out the worst only; what else a store has promised is tried by `storeContract` of
 * `messaging-auth-router/testing`.
 *
 * @throws AuthConfigError for a store that let several callers win, or none; `option` names it. Do not listen: codes and tokens could
 * be used twice
 * @throws AuthError (`temporarily-unavailable`) for a store that failed, or was not done within 10 seconds, with the error as
 * `cause`. Nothing is known then: try again
 *
 * @example
 * ```ts
 * import { probeStores } from 'messaging-auth-router'
 * import { memoryStores } from 'messaging-auth-router/stores/memory'
 *
 * const stores = memoryStores() // yours
 * await probeStores(stores)
 * ```
 */
export async function probeStores(stores: StoresToProbe, options: ProbeStoresOptions = {}): Promise<void> {
  const probe = { callers: checkCallers(options.callers ?? 20), userId: `mar-probe-${randomId()}` }
  // One after the other: together they would measure how large the connection pool is.
  await unlessUnreachable('codes', () => probeCodes(stores.codes, probe))
  await unlessUnreachable('sessions', () => probeSessions(stores.sessions, probe))
  const { secondFactors, tickets, keys } = stores
  if (secondFactors !== undefined) await unlessUnreachable('secondFactors', () => probeSecondFactors(secondFactors, probe))
  if (tickets !== undefined) await unlessUnreachable('tickets', () => probeTickets(tickets, probe))
  if (keys !== undefined) await unlessUnreachable('keys', () => probeKeys(keys, probe))
}

async function probeCodes(codes: AuthorizationCodeStore, { callers, userId }: Probe): Promise<void> {
  const { now, soon } = moments()
  const codeHash = randomSecret()
  await codes.save({
    codeHash,
    userId,
    issuedBySessionId: null,
    opensSessionId: randomId(),
    codeChallenge: randomSecret(),
    scope: '',
    methods: [],
    authenticatedAt: now,
    createdAt: now,
    expiresAt: soon,
    // Not sooner: a database that expires rows itself would take the code away during the race.
    retainUntil: soon,
    consumedAt: null,
  })
  const winners = await raceWinners(callers, async () => outcomeOf(await codes.consume(codeHash, now)) === 'consumed')
  requireOne('codes', winners.length, callers, 'consume one code')
}

async function probeSessions(sessions: SessionStore, { callers, userId }: Probe): Promise<void> {
  const { now, soon } = moments()
  const ids = [randomId(), randomId()] as const
  const hash = randomSecret()
  const seen = { lastSeenAt: now, idleExpiresAt: soon, ip: null }
  const refreshOf = (current: string): RefreshState => ({ hash: current, familyKey: randomSecret(), spent: [] })
  const create = (id: string) =>
    sessions.create({
      ...seen,
      id,
      userId,
      kind: 'pkce',
      scope: '',
      methods: [],
      authenticatedAt: now,
      createdAt: now,
      expiresAt: soon,
      userAgent: null,
      refresh: refreshOf(hash),
      endedAt: null,
      endReason: null,
    })
  const rotate = async () => {
    const answer = await sessions.rotateRefresh(ids[0], hash, { ...seen, refresh: refreshOf(randomSecret()) }, now)
    return outcomeOf(answer) === 'rotated'
  }
  try {
    await create(ids[0])
    requireOne('sessions', (await raceWinners(callers, rotate)).length, callers, 'rotate one refresh token')
    const ended = await raceWinners(callers, async () => (await sessions.end(ids[0], 'revoked', now)) === true)
    requireOne('sessions', ended.length, callers, 'end one session')
    await create(ids[1])
    const named = await raceWinners(callers, async () => (await sessions.endAllForUser(userId, 'revoked', now)).includes(ids[1]))
    requireOne('sessions', named.length, callers, 'end all sessions of one user, and be told the same one,')
  } finally {
    for (const id of ids) await sessions.end(id, 'revoked', now).catch(() => false)
  }
}

async function probeSecondFactors(factors: SecondFactorStore, { callers, userId }: Probe): Promise<void> {
  const codeHash = sha256(randomSecret())
  // No key unseals this: a factor that was left behind would let nobody in.
  const factor = { userId, sealedSeed: `probe ${randomSecret()}`, lastStep: -1, createdAt: new Date() }
  const race = async (what: string, won: string, attempt: () => Promise<unknown>) => {
    const winners = await raceWinners(callers, async () => outcomeOf(await attempt()) === won)
    requireOne('secondFactors', winners.length, callers, what)
  }
  try {
    await race('activate a factor for one user', 'activated', () => factors.activate(factor, [codeHash]))
    await race('use one TOTP step', 'advanced', () => factors.advanceStep(userId, 1))
    await race('use one recovery code', 'consumed', () => factors.consumeRecoveryCode(userId, codeHash))
    await race('deactivate one factor', 'deactivated', () => factors.deactivate(userId))
  } finally {
    await factors.deactivate(userId).catch(() => undefined)
  }
}

async function probeTickets(tickets: SocketTicketStore, { callers, userId }: Probe): Promise<void> {
  const { now, soon } = moments()
  const ticketHash = randomSecret()
  await tickets.save({
    ticketHash,
    sessionId: randomId(),
    userId,
    scope: '',
    tokenExpiresAt: soon,
    createdAt: now,
    expiresAt: soon,
  })
  const winners = await raceWinners(callers, async () => outcomeOf(await tickets.consume(ticketHash, now)) === 'consumed')
  requireOne('tickets', winners.length, callers, 'consume one ticket')
}

async function probeKeys(keys: KeyStore, { callers }: Probe): Promise<void> {
  // The newest is the one that no ring is about to delete, so that the copy cannot bring it back.
  const newest = (await keys.list()).sort((one, other) => other.generation - one.generation)[0]
  if (newest === undefined) return
  const winners = await raceWinners(callers, async () => outcomeOf(await keys.insert(newest)) !== 'exists')
  if (winners.length === 0) return
  throw unsafe('keys', `let ${winners.length} of ${callers} callers insert a generation that was already there.`)
}

function requireOne(option: string, winners: number, callers: number, what: string): void {
  if (winners !== 1) throw unsafe(option, `let ${winners} of ${callers} callers ${what}, instead of exactly one.`)
}

function unsafe(option: string, problem: string): AuthConfigError {
  const remedy =
    'make it one conditional write whose result names the winner, and run storeContract() from messaging-auth-router/testing.'
  return new AuthConfigError(option, problem, remedy)
}

async function unlessUnreachable(option: string, probe: () => Promise<void>): Promise<void> {
  try {
    await withTimeout(probe, patience)
  } catch (cause) {
    if (cause instanceof AuthConfigError) throw cause
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new AuthError('temporarily-unavailable', { message: `${option}: the store could not be probed: ${said}`, cause })
  }
}

// Whatever a store answers; one that answers nothing let nobody win.
function outcomeOf(answer: unknown): unknown {
  return (answer as { readonly outcome?: unknown } | null | undefined)?.outcome
}

function moments(): { readonly now: Date; readonly soon: Date } {
  const now = new Date()
  return { now, soon: new Date(now.getTime() + 60_000) }
}

function checkCallers(callers: unknown): number {
  if (Number.isInteger(callers) && (callers as number) >= 2 && (callers as number) <= 1000) return callers as number
  throw new AuthConfigError('probeStores.callers', 'is not a whole number from 2 to 1000.', 'leave it out for 20.')
}
