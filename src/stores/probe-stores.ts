import { AuthConfigError, AuthError } from '../errors.js'
import { raceWinners } from '../lib/async.js'
import { checkOptions, optionsOf, whole, withMethods } from '../lib/check-options.js'
import { withTimeout } from '../lib/host-call.js'
import { randomId, randomSecret, sha256 } from '../lib/secrets.js'
import type { KeyStore } from '../signers/contract.js'
import type { ConsentStore } from './client-contract.js'
import type { SessionRecord, SessionStore } from './contract.js'
import type { IdentityStore } from './identity-contract.js'
import { requireKept } from './kept-members.js'
import {
  longestSealed,
  moments,
  newDeviceCode,
  newFactor,
  newProof,
  newRefresh,
  newRefreshable,
  newRotation,
  newTicket,
  newWholeCode,
  newWholeSession,
} from './new-records.js'
import type {
  AuthorizationCodeStore,
  DeviceCodeStore,
  OnceStore,
  ProofStore,
  SocketTicketStore,
} from './one-time-contract.js'
import type { PasskeyStore } from './passkey-contract.js'
import {
  isOutcome,
  type Probe,
  probeConsents,
  probeIdentities,
  probeOnce,
  probePasskeys,
  type Race,
  raceFor,
  unsafe,
} from './probe-oauth-stores.js'
import type { SecondFactorStore } from './second-factor-contract.js'

/**
 * The stores that {@link probeStores} tries: yours, as you hand them to `createAuthRouter` and
 * `keyRing`.
 */
export interface StoresToProbe {
  readonly codes: AuthorizationCodeStore
  readonly sessions: SessionStore
  readonly secondFactors?: SecondFactorStore
  readonly tickets?: SocketTicketStore
  readonly proofs?: ProofStore
  readonly identities?: IdentityStore
  readonly deviceCodes?: DeviceCodeStore
  readonly keys?: KeyStore
  readonly consents?: ConsentStore
  readonly once?: OnceStore
  readonly passkeys?: PasskeyStore
}

/** Options of {@link probeStores}. */
export interface ProbeStoresOptions {
  /** How many callers race for each thing, from 2 to 1000. Default 20. */
  readonly callers?: number
}

/** How long the probe of one store may take. */
const timeoutMs = 10_000

const rules = {
  factory: 'probeStores',
  schema: () => optionsOf({ callers: whole(2, 1000).default(20) }),
}
const storeRules = {
  factory: 'probeStores(stores)',
  schema: () =>
    optionsOf({
      codes: withMethods<AuthorizationCodeStore>('save', 'consume'),
      sessions: withMethods<SessionStore>(
        'create',
        'find',
        'rotateRefresh',
        'end',
        'endAllForUser',
      ),
      secondFactors: withMethods<SecondFactorStore>(
        'activate',
        'advanceStep',
        'consumeRecoveryCode',
        'deactivate',
      ).optional(),
      tickets: withMethods<SocketTicketStore>('save', 'consume').optional(),
      proofs: withMethods<ProofStore>(
        'save',
        'find',
        'takeTry',
        'consume',
        'voidForUser',
      ).optional(),
      identities: withMethods<IdentityStore>(
        'find',
        'wasUnlinked',
        'link',
        'unlink',
        'unlinkAllForUser',
      ).optional(),
      deviceCodes: withMethods<DeviceCodeStore>(
        'save',
        'find',
        'claim',
        'takeTry',
        'decide',
        'poll',
      ).optional(),
      keys: withMethods<KeyStore>('list', 'insert').optional(),
      consents: withMethods<ConsentStore>('find', 'grant', 'revoke').optional(),
      once: withMethods<OnceStore>('claim').optional(),
      passkeys: withMethods<PasskeyStore>('create', 'use', 'remove').optional(),
    }),
  remedies: {
    codes: 'pass the stores that createAuthRouter is given.',
    sessions: 'pass the stores that createAuthRouter is given.',
    clients: 'take it out: a client that is there for a moment could be asked for.',
  },
}

/**
 * Races each one-time operation of the real stores once, in about a dozen rounds of `callers` calls
 * at a time. Call it at start-up, before the server listens: a store that passed its tests over one
 * database may be unsafe over another, or behind a pool or proxy that repeats what fails.
 *
 * It works on rows of its own, of a user whose id begins with `mar-probe-`, and leaves nothing that
 * opens anything: the hashes in the rows have no secret, and all rows are used up or ended. `purge`
 * deletes what is left of them. Of a key store it only inserts once more the newest key that is
 * already there, since running key rings would take any other key for theirs; an empty key store is
 * not probed. Clients are not probed: one that is there for a moment could be asked for.
 *
 * Of the codes, sessions, proofs, identities and device codes it saves one in which no member is
 * left out, and reads it back: a store that drops a member is refused.
 *
 * It also warns (`MAR_REDEMPTION_NOT_USED`, by `process.emitWarning`) when `codes.redemption` is
 * for another session store than `sessions`: the router then does not use it.
 *
 * Resolves when all is well. It finds out the worst only; what else a store has promised is tried
 * by `storeContract` of `messaging-auth-router/testing`.
 *
 * @throws AuthConfigError for an unknown name, and for a store that let several callers win, or
 * none, or drops members of a code, session, proof, identity or device code; `option` names it. Do
 * not listen: codes and tokens could be used twice
 * @throws AuthError (`temporarily-unavailable`) for a store that failed, or was not done within 10
 * seconds, with the error as `cause`. Nothing is known then: try again
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
export async function probeStores(
  stores: StoresToProbe,
  options: ProbeStoresOptions = {},
): Promise<void> {
  const checked = checkOptions(storeRules, stores)
  const { codes, sessions, secondFactors, tickets, proofs, identities } = checked
  const { deviceCodes, keys, consents, once, passkeys } = checked
  const probe = { ...checkOptions(rules, options), userId: `mar-probe-${randomId()}` }
  // The probes run one after the other: together they would measure the size of the connection
  // pool.
  await unlessUnreachable('codes', () => probeCodes(codes, probe))
  await unlessUnreachable('sessions', () => probeSessions(sessions, probe))
  warnOfUnusedRedemption(stores)
  if (secondFactors !== undefined)
    await unlessUnreachable('secondFactors', () => probeSecondFactors(secondFactors, probe))
  if (tickets !== undefined) await unlessUnreachable('tickets', () => probeTickets(tickets, probe))
  if (proofs !== undefined) await unlessUnreachable('proofs', () => probeProofs(proofs, probe))
  if (identities !== undefined)
    await unlessUnreachable('identities', () => probeIdentities(identities, probe))
  if (deviceCodes !== undefined)
    await unlessUnreachable('deviceCodes', () => probeDeviceCodes(deviceCodes, probe))
  if (keys !== undefined) await unlessUnreachable('keys', () => probeKeys(keys, probe))
  if (consents !== undefined)
    await unlessUnreachable('consents', () => probeConsents(consents, probe))
  if (once !== undefined) await unlessUnreachable('once', () => probeOnce(once, probe))
  if (passkeys !== undefined)
    await unlessUnreachable('passkeys', () => probePasskeys(passkeys, probe))
}

// No fault: codes and sessions may lie in different databases. But a host that has wrapped the
// session store has turned the redemption off, and was not told.
function warnOfUnusedRedemption({ codes, sessions }: StoresToProbe): void {
  if (codes.redemption === undefined || codes.redemption.sessions === sessions) return
  process.emitWarning(
    'codes.redemption.sessions is another object than `sessions`, so the router makes two ' +
      'writes of a code exchange, and a crash between ' +
      'them costs the user the code. Hand out the very object, or leave redemption out where ' +
      'the two lie in different databases.',
    { code: 'MAR_REDEMPTION_NOT_USED' },
  )
}

async function probeCodes(codes: AuthorizationCodeStore, probe: Probe): Promise<void> {
  const at = moments()
  // Not sooner: a database that expires rows itself would take the code away during the race.
  const code = newWholeCode(at, { ...nothingOf(probe), retainUntil: at(60) })
  await codes.save(code)
  const kept = codes.find(code.codeHash).then((found) => requireKept('codes', code, found))
  // The code is used up even if the store has lost something: no code that opens anything is left
  // behind.
  await kept.catch(() => codes.consume(code.codeHash, at(0)))
  await kept
  await raceFor('codes', probe)('consume one code', async () =>
    isOutcome(await codes.consume(code.codeHash, at(0)), 'consumed'),
  )
}

async function probeSessions(sessions: SessionStore, probe: Probe): Promise<void> {
  const at = moments()
  const times = { idleExpiresAt: at(60), expiresAt: at(60) }
  const hash = randomSecret()
  const rotated = newWholeSession(at, {
    ...nothingOf(probe),
    ...times,
    refresh: newRefresh(at, hash),
  })
  const ended = newRefreshable(at, randomSecret(), { ...nothingOf(probe), ...times })
  const seen = { lastSeenAt: at(0), idleExpiresAt: at(60), ip: null }
  const next = () => ({ ...newRotation(at, randomSecret()), ...seen })
  const race = raceFor('sessions', probe)
  try {
    await sessions.create(rotated)
    requireKept('sessions', rotated, await sessions.find(rotated.id))
    await race('rotate one refresh token', async () =>
      isOutcome(await sessions.rotateRefresh(rotated.id, hash, next(), at(0)), 'rotated'),
    )
    await race(
      'end one session',
      async () => (await sessions.end(rotated.id, 'revoked', at(0))) === true,
    )
    await sessions.create(ended)
    await race('end all sessions of one user, and be told the same one,', async () =>
      (await sessions.endAllForUser(probe.userId, 'revoked', at(0))).includes(ended.id),
    )
    await probeOwners(sessions, { ...nothingOf(probe), ...times }, race)
  } finally {
    await endEach(sessions, [rotated, ended])
  }
}

// All are optional: a store is asked for what it has.
async function probeOwners(sessions: SessionStore, given: Partial<SessionRecord>, race: Race) {
  const at = moments()
  const [ofClient, ofParent] = [newWholeSession(at, given), newWholeSession(at, given)]
  const ofBrowser = newWholeSession(at, given)
  try {
    if (sessions.endAllForClient !== undefined) {
      await sessions.create(ofClient)
      await race('end all sessions of one client, and be told the same one,', async () =>
        named(await sessions.endAllForClient?.(ofClient.clientId, {}, 'revoked', at(0)), ofClient),
      )
    }
    if (sessions.endChildren !== undefined) {
      await sessions.create(ofParent)
      await race('end all sessions that one has opened, and be told the same one,', async () =>
        named(await sessions.endChildren?.(ofParent.parentId, 'revoked', at(0)), ofParent),
      )
    }
    if (sessions.replaceSecret !== undefined) {
      await sessions.create(ofBrowser)
      const { id, secretHash: from } = ofBrowser
      await race('replace one secret', async () => {
        const replacement = { from, to: randomSecret(), formerUntil: at(0) }
        return (await sessions.replaceSecret?.(id, replacement)) === true
      })
    }
  } finally {
    await endEach(sessions, [ofClient, ofParent, ofBrowser])
  }
}

async function endEach(sessions: SessionStore, rows: readonly SessionRecord[]): Promise<void> {
  for (const { id } of rows) await sessions.end(id, 'revoked', moments()(0)).catch(() => false)
}

async function probeSecondFactors(factors: SecondFactorStore, probe: Probe): Promise<void> {
  const { userId } = probe
  const codeHash = sha256(randomSecret())
  // No key unseals this: a factor left behind is no way in.
  const factor = newFactor(moments(), { userId, sealedSeed: `probe ${randomSecret()}` })
  const raceAll = raceFor('secondFactors', probe)
  const race = (what: string, won: string, attempt: () => Promise<unknown>) =>
    raceAll(what, async () => isOutcome(await attempt(), won))
  try {
    await race('activate a factor for one user', 'activated', () =>
      factors.activate(factor, [codeHash]),
    )
    await race('use one TOTP step', 'advanced', () => factors.advanceStep(userId, 1))
    await race('use one recovery code', 'consumed', () =>
      factors.consumeRecoveryCode(userId, codeHash),
    )
    await race('deactivate one factor', 'deactivated', () => factors.deactivate(userId))
  } finally {
    await factors.deactivate(userId).catch(() => undefined)
  }
}

async function probeTickets(tickets: SocketTicketStore, probe: Probe): Promise<void> {
  const at = moments()
  const ticket = newTicket(at, { userId: probe.userId, scope: '' })
  await tickets.save(ticket)
  await raceFor('tickets', probe)('consume one ticket', async () =>
    isOutcome(await tickets.consume(ticket.ticketHash, at(0)), 'consumed'),
  )
}

async function probeKeys(keys: KeyStore, { callers }: Probe): Promise<void> {
  // The newest is the one that no ring is about to delete, so that the copy cannot bring it back.
  const newest = (await keys.list()).sort((one, other) => other.generation - one.generation)[0]
  if (newest === undefined) return
  const winners = await raceWinners(
    callers,
    async () => !isOutcome(await keys.insert(newest), 'exists'),
  )
  if (winners.length === 0) return
  throw unsafe(
    'keys',
    `let ${winners.length} of ${callers} callers insert a generation that was already there.`,
  )
}

function named(ids: readonly string[] | undefined, { id }: SessionRecord): boolean {
  return ids?.includes(id) === true
}

async function unlessUnreachable(option: string, probe: () => Promise<void>): Promise<void> {
  try {
    await withTimeout(probe, timeoutMs)
  } catch (cause) {
    if (cause instanceof AuthConfigError) throw cause
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new AuthError('temporarily-unavailable', {
      message: `${option}: the store could not be probed: ${said}`,
      cause,
    })
  }
}

// Rows of the probe may do nothing.
function nothingOf({ userId }: Probe) {
  return { userId, scope: '', methods: [] }
}

/** Whether a proof is kept whole, and tried, consumed and voided once. */
async function probeProofs(proofs: ProofStore, probe: Probe): Promise<void> {
  const { userId } = probe
  const at = moments()
  // Nobody has its token or its code: a proof left behind proves nothing.
  const proof = newProof(at, { userId, triesLeft: 1, sealed: longestSealed() })
  const other = newProof(at, { userId })
  const { idHash, purpose } = proof
  const race = raceFor('proofs', probe)
  try {
    await proofs.save(proof)
    requireKept('proofs', proof, await proofs.find(idHash, purpose))
    await race('take the last try of one proof', async () =>
      isOutcome(await proofs.takeTry(idHash, purpose, at(0)), 'taken'),
    )
    await race('consume one proof', async () =>
      isOutcome(await proofs.consume(idHash, purpose, at(0)), 'consumed'),
    )
    await proofs.save(other)
    await race(
      'void the proofs of one user, and be told of the same one,',
      async () => (await proofs.voidForUser(userId, [purpose], at(0))) === 1,
    )
  } finally {
    await proofs.voidForUser(userId, [purpose], at(0)).catch(() => undefined)
  }
}

/** Whether a device code is kept whole, and claimed, tried, decided and polled once. */
async function probeDeviceCodes(codes: DeviceCodeStore, probe: Probe): Promise<void> {
  const { userId } = probe
  const at = moments()
  // No device has its secret: a code left behind signs nobody in.
  const code = newDeviceCode(at, { triesLeft: 1 })
  const { userCodeHash, deviceCodeHash } = code
  const race = raceFor('deviceCodes', probe)
  await codes.save(code)
  requireKept('deviceCodes', code, await codes.find(userCodeHash))
  await race('claim one device code', async () =>
    isOutcome(await codes.claim(userCodeHash, `${userId}-${randomId()}`, at(0)), 'claimed'),
  )
  const owner = (await codes.find(userCodeHash))?.userId ?? userId
  await race('take the last try of one device code', async () =>
    isOutcome(await codes.takeTry(userCodeHash, owner, at(0)), 'taken'),
  )
  await race('poll one device code', async () =>
    isOutcome(await codes.poll(userCodeHash, deviceCodeHash, at(0)), 'polled'),
  )
  await race('decide one device code', async () =>
    isOutcome(await codes.decide(userCodeHash, owner, { state: 'denied' }, at(0)), 'decided'),
  )
}
