import { randomId } from '../../../lib/secrets.js'
import type { KeyStore } from '../../../signers/contract.js'
import type { ConsentStore, ManagedClientStore } from '../../../stores/client-contract.js'
import type { SessionStore } from '../../../stores/contract.js'
import type { IdentityStore } from '../../../stores/identity-contract.js'
import {
  enrolling,
  moments,
  newClient,
  newCode,
  newConsent,
  newDeviceCode,
  newFactor,
  newIdentity,
  newKey,
  newPasskeyRecord,
  newPending,
  newProof,
  newRefreshable,
  newRotation,
  newSecretHash,
  newSession,
  newTicket,
} from '../../../stores/new-records.js'
import type {
  AuthorizationCodeStore,
  DeviceCodeStore,
  OnceStore,
  ProofStore,
  SocketTicketStore,
} from '../../../stores/one-time-contract.js'
import type { PasskeyStore } from '../../../stores/passkey-contract.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import {
  given,
  type StoreContractName,
  type StoreOf,
  type StoresUnderTest,
  same,
  shared,
} from '../harness.js'

function codes(one: AuthorizationCodeStore, other: AuthorizationCodeStore): readonly Step[] {
  const at = moments()
  const code = newCode(at)
  const found = () => other.find(code.codeHash)
  const consume = (store: AuthorizationCodeStore, seconds: number) => async () =>
    (await store.consume(code.codeHash, at(seconds))).outcome
  const isUsed = async () => (await found())?.consumedAt instanceof Date
  return [
    ['not saved yet', nothing, 'find', found, null],
    ['saved', () => one.save(code), 'find', async () => (await found())?.consumedAt, null],
    ['not used yet', nothing, 'consume', consume(one, 1), 'consumed'],
    ['consumed', nothing, 'find', isUsed, true],
    ['consumed', nothing, 'consume', consume(other, 2), 'replayed'],
  ]
}

function tickets(one: SocketTicketStore, other: SocketTicketStore): readonly Step[] {
  const at = moments()
  const ticket = newTicket(at)
  const consume = async () => (await other.consume(ticket.ticketHash, at(1))).outcome
  return [['issued', () => one.save(ticket), 'consume', consume, 'consumed']]
}

function keys(one: KeyStore, other: KeyStore): readonly Step[] {
  const key = newKey(moments())
  const isListed = async () =>
    (await other.list()).some(({ generation }) => generation === key.generation)
  // Removed before anything is compared: rings that share the store would use it.
  const look = async () => {
    const listed = [await isListed()]
    await one.insert(key)
    listed.push(await isListed())
    await one.remove(key.generation)
    return [...listed, await isListed()]
  }
  return [['inserted and removed', nothing, 'list', look, [false, true, false]]]
}

function consents(one: ConsentStore, other: ConsentStore): readonly Step[] {
  const consent = newConsent(moments(), { scopes: ['openid'] })
  const { userId, clientId } = consent
  const scopesIn = (store: ConsentStore) => async () =>
    [...((await store.find(userId, clientId))?.scopes ?? [])].sort()
  const found = async () => (await other.find(userId, clientId)) ?? null
  const listed = async () => (await other.listForUser(userId)).length
  const add = () => other.grant({ ...consent, scopes: ['profile'] })
  return [
    ['not granted yet', nothing, 'find', found, null],
    ['not granted yet', nothing, 'listForUser', listed, 0],
    ['granted', () => one.grant(consent), 'find', scopesIn(other), ['openid']],
    ['granted', nothing, 'listForUser', listed, 1],
    ['added to', add, 'find', scopesIn(one), ['openid', 'profile']],
    ['revoked', () => one.revoke(userId, clientId), 'find', found, null],
    ['revoked', nothing, 'listForUser', listed, 0],
  ]
}

function once(one: OnceStore, other: OnceStore): readonly Step[] {
  const at = moments()
  const key = randomId()
  const claim = (store: OnceStore) => () => store.claim(key, at(60), at(0))
  return [['claimed', claim(one), 'claim', claim(other), { outcome: 'known' }]]
}

function clients(one: ManagedClientStore, other: ManagedClientStore): readonly Step[] {
  const at = moments()
  const hash = newSecretHash()
  const { secretHashes: _none, ...client } = newClient()
  const { id } = client
  const found = async () => (await other.find(id)) ?? null
  const name = async () => (await found())?.name
  const secretHashes = async () => (await found())?.secretHashes
  const isDisabled = async () => (await found())?.disabled
  const rename = () => one.update({ ...client, name: 'Renamed' }, at(1))
  const addSecret = () => one.replaceSecrets(id, [], [hash], at(1))
  return [
    ['not created yet', nothing, 'find', found, null],
    ['created', () => one.create(client, at(0)), 'find', name, client.name],
    ['updated', rename, 'find', name, 'Renamed'],
    ['given a new secret', addSecret, 'find', secretHashes, [hash]],
    ['disabled', () => one.setDisabled(id, true, at(1)), 'find', isDisabled, true],
  ]
}

function deviceCodes(one: DeviceCodeStore, other: DeviceCodeStore): readonly Step[] {
  const at = moments()
  const code = newDeviceCode(at, { triesLeft: 1 })
  const { userCodeHash, deviceCodeHash } = code
  const found = () => other.find(userCodeHash)
  const poll = (store: DeviceCodeStore) => async () =>
    (await store.poll(userCodeHash, deviceCodeHash, at(1))).outcome
  const take = (store: DeviceCodeStore) => () => store.takeTry(userCodeHash, 'u-alice', at(1))
  const claim = (store: DeviceCodeStore, userId: string) => () =>
    store.claim(userCodeHash, userId, at(1))
  const deny = () => one.decide(userCodeHash, 'u-alice', { state: 'denied' }, at(1))
  const owner = async () => (await found())?.userId
  const state = async () => (await found())?.state
  return [
    ['not saved yet', nothing, 'find', found, null],
    ['saved', () => one.save(code), 'find', found, code],
    ['polled', poll(one), 'poll', poll(other), 'too-soon'],
    ['claimed', claim(one, 'u-alice'), 'find', owner, 'u-alice'],
    ['claimed', nothing, 'claim', claim(other, 'u-eve'), { outcome: 'foreign' }],
    ['tried', take(other), 'takeTry', take(one), { outcome: 'void' }],
    ['decided', deny, 'find', state, 'denied'],
  ]
}

/** The stores of apps, and what is used once. */
const appsVisibility: Readonly<
  Record<
    'codes' | 'tickets' | 'keys' | 'consents' | 'once' | 'clients' | 'deviceCodes',
    (sides: BothSides) => Promise<void>
  >
> = {
  codes: bothWays('codes', codes),
  tickets: bothWays('tickets', tickets),
  keys: bothWays('keys', keys),
  consents: bothWays('consents', consents),
  once: bothWays('once', once),
  clients: bothWays('clients', clients),
  deviceCodes: bothWays('deviceCodes', deviceCodes),
}

function sessions(one: SessionStore, other: SessionStore): readonly Step[] {
  const at = moments()
  const session = newRefreshable(at, 'token', { ip: null })
  const { id, userId } = session
  const next = newRotation(at, 'next')
  const seen = { lastSeenAt: at(3), idleExpiresAt: at(603), ip: '203.0.113.9' }
  const found = () => other.find(id)
  const listed = async () => (await other.listForUser(userId, at(3))).map((row) => row.id)
  const rotate = () => other.rotateRefresh(id, 'token', newRotation(at, 'stolen'), at(3))
  return [
    ['not created yet', nothing, 'find', found, null],
    ['not created yet', nothing, 'listForUser', listed, []],
    ['created', () => one.create(session), 'find', async () => (await found())?.id, id],
    ['created', nothing, 'listForUser', listed, [id]],
    [
      'refreshed',
      () => one.rotateRefresh(id, 'token', next, at(2)),
      'find',
      async () => (await found())?.refresh?.hash,
      'next',
    ],
    ['touched', () => one.touch(id, seen), 'find', async () => (await found())?.ip, seen.ip],
    [
      'changed by setMethods',
      () => one.setMethods(id, ['host']),
      'find',
      async () => (await found())?.methods,
      ['host'],
    ],
    ['rotated', nothing, 'rotateRefresh', rotate, { outcome: 'superseded' }],
    [
      'ended: signing out must hold everywhere',
      () => one.end(id, 'logout', at(3)),
      'find',
      async () => (await found())?.endReason,
      'logout',
    ],
    ['ended', nothing, 'liveAmong', () => other.liveAmong([id], at(4)), []],
    ['ended', nothing, 'listForUser', listed, []],
  ]
}

function sessionsOfBoth(one: SessionStore, other: SessionStore): readonly Step[] {
  const at = moments()
  const { userId, ...rest } = newSession(at)
  const [own, others] = [{ ...rest, userId }, newSession(at, { userId })]
  const ids = [own.id, others.id]
  const create = async () => {
    await one.create(own)
    await other.create(others)
  }
  const living = async () => {
    const found = [await one.find(own.id), await one.find(others.id)]
    return found.filter((session) => session?.endedAt === null).length
  }
  const endAll = async () => [...(await other.endAllForUser(userId, 'revoked', at(1)))].sort()
  return [
    ['created', create, 'find', living, 2],
    ['created: "sign out everywhere" ends both', nothing, 'endAllForUser', endAll, ids.sort()],
    ['ended with endAllForUser', nothing, 'find', living, 0],
  ]
}

function ownedSessions(one: SessionStore, other: SessionStore): readonly Step[] {
  const at = moments()
  const [clientId, parentId] = [randomId(), randomId()]
  const own = [newSession(at, { clientId }), newSession(at, { parentId })]
  const create = async () => {
    for (const session of own) await one.create(session)
  }
  const end = async () => [
    await other.endAllForClient?.(clientId, {}, 'client-disabled', at(1)),
    await other.endChildren?.(parentId, 'revoked', at(1)),
  ]
  // One after the other: a child process answers one question at a time.
  const ended = async () => {
    const answers: boolean[] = []
    for (const { id } of own) answers.push((await one.find(id))?.endedAt instanceof Date)
    return answers
  }
  const ids = own.map(({ id }) => [id])
  return [
    ['created', create, 'endAllForClient and endChildren', end, ids],
    ['ended with its client or parent', nothing, 'find', ended, [true, true]],
  ]
}

async function allSessions(sides: BothSides): Promise<void> {
  await bothWays('sessions', sessions, sessionsOfBoth)(sides)
  // The stand-in for the other process has every method.
  const { endAllForClient, endChildren } = given(sides.here, 'sessions')
  if (endAllForClient === undefined || endChildren === undefined) return
  await bothWays('sessions', ownedSessions)(sides)
}

function secondFactors(one: SecondFactorStore, other: SecondFactorStore): readonly Step[] {
  const at = moments()
  const pending = newPending(at)
  const { userId, sealedSeed } = pending
  const found = () => other.find(userId)
  const waiting = () => other.findPending(userId, enrolling)
  const confirm = () => one.confirm(newFactor(at, { userId, sealedSeed }), ['1', '2'], at(1))
  const use = (store: SecondFactorStore, hash: string) => () =>
    store.consumeRecoveryCode(userId, hash)
  const advance = (store: SecondFactorStore) => () => store.advanceStep(userId, 7)
  const [stale, unknown] = [{ outcome: 'stale' }, { outcome: 'unknown' }]
  return [
    ['not enrolled yet', nothing, 'find', found, null],
    ['not enrolled yet', nothing, 'findPending', waiting, null],
    ['saved', () => one.savePending(pending), 'findPending', waiting, pending],
    ['activated', confirm, 'find', async () => (await found())?.lastStep, -1],
    ['confirmed', nothing, 'findPending', waiting, null],
    ['accepted', advance(one), 'advanceStep', advance(other), stale],
    ['used', use(one, '1'), 'consumeRecoveryCode', use(other, '1'), unknown],
    ['deactivated', () => one.deactivate(userId), 'find', found, null],
    ['deactivated', nothing, 'consumeRecoveryCode', use(other, '2'), unknown],
  ]
}

function passkeys(one: PasskeyStore, other: PasskeyStore): readonly Step[] {
  const at = moments()
  const passkey = newPasskeyRecord(at)
  const { credentialId, userId, userHandle } = passkey
  const found = () => other.find(credentialId)
  const listed = () => other.listForUser(userId)
  const create = () => one.create(passkey, { most: 20, recoveryCodeHashes: [] })
  const use = (store: PasskeyStore) => () =>
    store.use(credentialId, 7, { counter: 8, backedUp: true, lastUsedAt: at(9) })
  const remove = () => one.remove(userId, credentialId, { unlessLast: false })
  const claim = () => other.claimHandle(userId, 'another')
  const rename = () => one.rename(userId, credentialId, 'Other')
  return [
    ['not created yet', nothing, 'find', found, null],
    ['created', create, 'find', found, passkey],
    ['kept', nothing, 'claimHandle', claim, userHandle],
    ['used', use(one), 'use', use(other), { outcome: 'superseded' }],
    ['renamed', rename, 'find', async () => (await found())?.name, 'Other'],
    ['removed', remove, 'find', found, null],
    ['removed', nothing, 'listForUser', listed, []],
  ]
}

function proofs(one: ProofStore, other: ProofStore): readonly Step[] {
  const at = moments()
  const proof = newProof(at, { triesLeft: 2 })
  const { idHash, purpose, userId } = proof
  const found = () => other.find(idHash, purpose)
  const take = (store: ProofStore) => () => store.takeTry(idHash, purpose, at(1))
  const voidAll = () => other.voidForUser(String(userId), [purpose], at(2))
  const consume = () => one.consume(idHash, purpose, at(3))
  return [
    ['not saved yet', nothing, 'find', found, null],
    ['saved', () => one.save(proof), 'find', found, proof],
    ['tried', take(one), 'find', async () => (await found())?.triesLeft, 1],
    ['tried for the last time', take(other), 'takeTry', take(one), { outcome: 'void' }],
    ['saved', nothing, 'voidForUser', voidAll, 1],
    ['used up', nothing, 'consume', consume, { outcome: 'void' }],
  ]
}

function identities(one: IdentityStore, other: IdentityStore): readonly Step[] {
  const at = moments()
  const identity = newIdentity(at)
  const { provider, subject, userId, id } = identity
  const found = () => other.find(provider, subject)
  const listed = () => other.listForUser(userId)
  const linkAgain = () => other.link(newIdentity(at, { provider, subject }))
  const use = () => one.used(provider, subject, at(9))
  const unlink = (store: IdentityStore, unlessLast: boolean) => () =>
    store.unlink(userId, id, { unlessLast })
  const wasUnlinked = () => other.wasUnlinked(provider, subject)
  return [
    ['not linked yet', nothing, 'find', found, null],
    ['not linked yet', nothing, 'listForUser', listed, []],
    ['linked', () => one.link(identity), 'find', found, identity],
    ['linked', nothing, 'listForUser', listed, [identity]],
    ['linked', nothing, 'link', linkAgain, { outcome: 'exists' }],
    ['used', use, 'find', async () => (await found())?.lastUsedAt, at(9)],
    ['linked alone', nothing, 'unlink', unlink(other, true), { outcome: 'last' }],
    ['unlinked', unlink(one, false), 'find', found, null],
    ['unlinked', nothing, 'listForUser', listed, []],
    ['unlinked', nothing, 'wasUnlinked', wasUnlinked, true],
  ]
}

/** The stores of accounts and their sessions. */
const accountsVisibility: Readonly<
  Record<
    'sessions' | 'secondFactors' | 'passkeys' | 'proofs' | 'identities',
    (sides: BothSides) => Promise<void>
  >
> = {
  sessions: allSessions,
  secondFactors: bothWays('secondFactors', secondFactors),
  passkeys: bothWays('passkeys', passkeys),
  proofs: bothWays('proofs', proofs),
  identities: bothWays('identities', identities),
}

/**
 * Each process sees the changes of the other at once. It reads each row before it exists, and again
 * after each change.
 */
export const visibility: Readonly<Record<StoreContractName, (sides: BothSides) => Promise<void>>> =
  { ...accountsVisibility, ...appsVisibility }

/** The same stores in this process and in another one. */
export interface BothSides {
  readonly here: StoresUnderTest
  /** Its methods are called in the other process. */
  readonly there: StoresUnderTest
}

/** A row of the table of a store: what one process changes, and what the other must see at once. */
export type Step = readonly [
  /** What it does, for the message: `created`. */
  done: string,
  change: () => Promise<unknown>,
  /** The methods by which it is seen. */
  methods: string,
  look: () => Promise<unknown>,
  expected: unknown,
]

/** Makes the table for one process that changes a store, and another one that looks at it. */
export type StepsOf<Store> = (one: Store, other: Store) => readonly Step[]

/** Each process sees the changes of the other: each of them takes both parts. */
function bothWays<Name extends StoreContractName>(
  name: Name,
  ...tables: readonly StepsOf<StoreOf<Name>>[]
): (sides: BothSides) => Promise<void> {
  return async ({ here, there }) => {
    for (const stepsOf of tables) {
      await takeSteps(name, stepsOf(given(here, name), given(there, name)))
      await takeSteps(name, stepsOf(given(there, name), given(here, name)))
    }
  }
}

async function takeSteps(contract: StoreContractName, steps: readonly Step[]): Promise<void> {
  for (const [done, change, methods, look, expected] of steps) {
    await change()
    const what = `${contract}.${methods} of what another process has ${done}.`
    same(await look(), expected, `${what} ${shared}`)
  }
}

/** The step before the first change: a store must not remember that nothing was there. */
async function nothing(): Promise<void> {}
