import { AuthConfigError } from '../errors.js'
import { raceWinners } from '../lib/async.js'
import { randomId, randomSecret, sha256 } from '../lib/secrets.js'
import type { ConsentStore } from './client-contract.js'
import type { IdentityStore } from './identity-contract.js'
import { requireKept } from './kept-members.js'
import { moments, newConsent, newIdentity, newPasskeyRecord } from './new-records.js'
import type { OnceStore } from './one-time-contract.js'
import type { PasskeyStore } from './passkey-contract.js'

/** Whether grants at once add up, and a consent is revoked once. */
export async function probeConsents(consents: ConsentStore, probe: Probe): Promise<void> {
  const { callers, userId } = probe
  const consent = newConsent(moments(), { userId, scopes: [] })
  const { clientId } = consent
  const scopes = Array.from({ length: callers }, (_none, caller) => `mar-probe:${caller}`)
  try {
    await Promise.all(scopes.map((scope) => consents.grant({ ...consent, scopes: [scope] })))
    const found = await consents.find(userId, clientId)
    const { length } = scopes.filter((scope) => found?.scopes?.includes(scope))
    if (length !== callers)
      throw unsafe('consents', `kept the scopes of ${length} of ${callers} callers.`)
    await raceFor('consents', probe)('revoke one consent', async () =>
      isOutcome(await consents.revoke(userId, clientId), 'revoked'),
    )
  } finally {
    await consents.revoke(userId, clientId).catch(() => undefined)
  }
}

/** Whether a key is claimed once, and once more when its note has expired. */
export async function probeOnce(once: OnceStore, probe: Probe): Promise<void> {
  const at = moments()
  const race = raceFor('once', probe)
  await race('claim one key', async () =>
    isOutcome(await once.claim(probe.userId, at(60), at(0)), 'claimed'),
  )
  await race('claim one key whose note has expired', async () =>
    isOutcome(await once.claim(probe.userId, at(120), at(60)), 'claimed'),
  )
}

/**
 * Whether an identity is linked once and kept whole, a last identity spared, and an unlinked
 * identity remembered.
 */
export async function probeIdentities(identities: IdentityStore, probe: Probe): Promise<void> {
  const { userId } = probe
  const at = moments()
  // No provider has this id: an identity left behind is no way in.
  const provider = `probe ${randomSecret()}`
  const identity = newIdentity(at, { userId, provider })
  const other = newIdentity(at, { userId, provider })
  const gone = newIdentity(at, { userId, provider })
  const { subject } = identity
  const raceAll = raceFor('identities', probe)
  const race = (what: string, won: string, attempt: () => Promise<unknown>) =>
    raceAll(what, async () => isOutcome(await attempt(), won))
  try {
    await identities.link(other)
    requireKept('identities', other, await identities.find(provider, other.subject))
    await race('link one identity', 'linked', () =>
      identities.link({ ...identity, id: randomId() }),
    )
    await identities.link(gone)
    await identities.unlink(userId, gone.id, { unlessLast: false })
    if (!isOutcome(await identities.link(gone, { unlessUnlinked: true }), 'exists'))
      throw unsafe('identities', 'linked by an address again what was unlinked.')
    const found = await identities.find(provider, subject)
    let turn = 0
    await race('unlink one of two identities, unless it is the last,', 'unlinked', () => {
      turn += 1
      const { id } = turn % 2 === 0 ? other : (found ?? identity)
      return identities.unlink(userId, id, { unlessLast: true })
    })
  } finally {
    await identities.unlinkAllForUser(userId).catch(() => undefined)
  }
}

/** Whether a counter is moved, a code used and a last passkey spared, each once. */
export async function probePasskeys(passkeys: PasskeyStore, probe: Probe): Promise<void> {
  const { userId } = probe
  const at = moments()
  // Nobody has its key: a passkey left behind is no way in.
  const passkey = newPasskeyRecord(at, { userId, publicKey: randomSecret() })
  const other = newPasskeyRecord(at, { userId, publicKey: randomSecret() })
  const codeHash = sha256(randomSecret())
  const limits = { most: 2, recoveryCodeHashes: [codeHash] }
  const raceAll = raceFor('passkeys', probe)
  const race = (what: string, won: string, attempt: () => Promise<unknown>) =>
    raceAll(what, async () => isOutcome(await attempt(), won))
  const { credentialId, counter } = passkey
  try {
    await race('create a passkey of one id', 'created', () => passkeys.create(passkey, limits))
    let seen = counter
    await race('move one counter', 'used', () => {
      seen += 1
      return passkeys.use(credentialId, counter, {
        counter: seen,
        backedUp: true,
        lastUsedAt: at(0),
      })
    })
    await race('use one recovery code', 'consumed', () =>
      passkeys.consumeRecoveryCode(userId, codeHash),
    )
    await passkeys.create(other, limits)
    let turn = 0
    await race('remove one of two passkeys, unless it is the last,', 'removed', () => {
      turn += 1
      const id = turn % 2 === 0 ? credentialId : other.credentialId
      return passkeys.remove(userId, id, { unlessLast: true })
    })
  } finally {
    await passkeys.removeAllForUser(userId).catch(() => undefined)
  }
}

/** One probe of the stores. */
export interface Probe {
  readonly callers: number
  readonly userId: string
}

/** Runs this many callers at once; each answers whether it has won. */
export type Race = (what: string, wins: () => Promise<boolean>) => Promise<void>

/** Races for one store: anything but one winner is an AuthConfigError that names the store. */
export function raceFor(option: string, { callers }: Probe): Race {
  return async function race(what, wins) {
    const { length } = await raceWinners(callers, wins)
    if (length !== 1)
      throw unsafe(option, `let ${length} of ${callers} callers ${what}, instead of exactly one.`)
  }
}

/** The error for a store that must not be used. */
export function unsafe(option: string, problem: string): AuthConfigError {
  const remedy =
    'make it one conditional write whose result names the winner, and run storeContract() from ' +
    'messaging-auth-router/testing.'
  return new AuthConfigError(option, problem, remedy)
}

/** Whether the answer, which may be anything, has that outcome. */
export function isOutcome(answer: unknown, outcome: string): boolean {
  return (answer as { readonly outcome?: unknown } | null | undefined)?.outcome === outcome
}
