import type { KeyStore } from '../../../signers/contract.js'
import type { AuthorizationCodeStore } from '../../../stores/code-contract.js'
import type { SessionRecord, SessionStore } from '../../../stores/contract.js'
import {
  enrolling,
  type Moment,
  moments,
  newCode,
  newFactor,
  newKey,
  newPending,
  newRefreshable,
  newRotation,
  newSession,
  newTicket,
} from '../../../stores/new-records.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import type { SocketTicketStore } from '../../../stores/ticket-contract.js'
import { given, type StoreContractName, type StoresUnderTest, same, shared } from '../harness.js'
import {
  clientsOf,
  consentsOf,
  deviceCodesOf,
  identitiesOf,
  onceOf,
  ownersOf,
  passkeysOf,
  proofsOf,
} from './visibility-of-accounts.js'

/** The same stores in this process and in another one. */
export interface BothSides {
  readonly here: StoresUnderTest
  /** Its methods are called in the other process. */
  readonly there: StoresUnderTest
}

/**
 * Each process sees the changes of the other at once. It reads each row before it exists, and again
 * after each change.
 */
export const visibility: Readonly<Record<StoreContractName, (sides: BothSides) => Promise<void>>> =
  {
    codes: bothWays('codes', codesOf),
    sessions: async (sides) => {
      for (const seen of [sessionsOf, usersOf]) await bothWays('sessions', seen)(sides)
      await ownersOf(given(sides.here, 'sessions'), given(sides.there, 'sessions'))
    },
    secondFactors: bothWays('secondFactors', factorsOf),
    consents: bothWays('consents', consentsOf),
    once: bothWays('once', onceOf),
    clients: bothWays('clients', clientsOf),
    passkeys: bothWays('passkeys', passkeysOf),
    proofs: bothWays('proofs', proofsOf),
    identities: bothWays('identities', identitiesOf),
    deviceCodes: bothWays('deviceCodes', deviceCodesOf),
    tickets: bothWays('tickets', ticketsOf),
    keys: bothWays('keys', keysOf),
  }

type Store<Name extends StoreContractName> = NonNullable<StoresUnderTest[Name]>

function bothWays<Name extends StoreContractName>(
  name: Name,
  seen: (one: Store<Name>, other: Store<Name>) => Promise<void>,
): (sides: BothSides) => Promise<void> {
  return async ({ here, there }) => {
    await seen(given(here, name), given(there, name))
    await seen(given(there, name), given(here, name))
  }
}

async function ticketsOf(one: SocketTicketStore, other: SocketTicketStore): Promise<void> {
  const at = moments()
  const ticket = newTicket(at)
  await one.save(ticket)
  const { outcome } = await other.consume(ticket.ticketHash, at(1))
  const what = 'tickets.consume of a ticket that another process has issued.'
  same(outcome, 'consumed', `${what} ${shared}`)
}

async function keysOf(one: KeyStore, other: KeyStore): Promise<void> {
  const key = newKey(moments())
  const isListed = async () =>
    (await other.list()).some(({ generation }) => generation === key.generation)
  const before = await isListed()
  await one.insert(key)
  const inserted = await isListed()
  await one.remove(key.generation)
  const removed = await isListed()
  same(
    [before, inserted, removed],
    [false, true, false],
    `keys.list while another process inserts and removes a key. ${shared}`,
  )
}

async function codesOf(one: AuthorizationCodeStore, other: AuthorizationCodeStore): Promise<void> {
  const at = moments()
  const code = newCode(at)
  same(await other.find(code.codeHash), null, 'codes.find of a code that is not there.')
  await one.save(code)
  same(
    (await other.find(code.codeHash))?.consumedAt,
    null,
    `codes.find of a code that another process has saved. ${shared}`,
  )
  same(
    (await one.consume(code.codeHash, at(1))).outcome,
    'consumed',
    'codes.consume in the process that has saved the code.',
  )
  const found = await other.find(code.codeHash)
  same(
    found?.consumedAt instanceof Date,
    true,
    `codes.find of a code that another process has consumed. ${shared}`,
  )
  const { outcome } = await other.consume(code.codeHash, at(2))
  same(outcome, 'replayed', `codes.consume of a code that another process has consumed. ${shared}`)
}

async function sessionsOf(one: SessionStore, other: SessionStore): Promise<void> {
  const at = moments()
  const session = newRefreshable(at, 'token', { ip: null })
  await changesOf(session, at, one, other)
  await endOf(session, at, one, other)
}

async function changesOf(
  session: SessionRecord,
  at: Moment,
  one: SessionStore,
  other: SessionStore,
): Promise<void> {
  const listed = async () => (await other.listForUser(session.userId, at(3))).map(({ id }) => id)
  same(await other.find(session.id), null, 'sessions.find of a session that is not there.')
  same(await listed(), [], 'sessions.listForUser of a user without sessions.')
  await one.create(session)
  same(
    (await other.find(session.id))?.id,
    session.id,
    `sessions.find of a session that another process has created. ${shared}`,
  )
  same(
    await listed(),
    [session.id],
    `sessions.listForUser of a user whose session another process has created. ${shared}`,
  )
  await one.rotateRefresh(session.id, 'token', newRotation(at, 'next'), at(2))
  const rotated = await other.find(session.id)
  same(
    rotated?.refresh?.hash,
    'next',
    `sessions.find of a session that another process has refreshed. ${shared}`,
  )
  await one.touch(session.id, { lastSeenAt: at(3), idleExpiresAt: at(603), ip: '203.0.113.9' })
  same(
    (await other.find(session.id))?.ip,
    '203.0.113.9',
    `sessions.find of a session that another process has touched. ${shared}`,
  )
  await one.setMethods(session.id, ['host'])
  same(
    (await other.find(session.id))?.methods,
    ['host'],
    `sessions.find after setMethods in another process. ${shared}`,
  )
  const second = await other.rotateRefresh(session.id, 'token', newRotation(at, 'stolen'), at(3))
  same(
    second,
    { outcome: 'superseded' },
    `sessions.rotateRefresh with a token that another process has rotated. ${shared}`,
  )
}

async function endOf(
  session: SessionRecord,
  at: Moment,
  one: SessionStore,
  other: SessionStore,
): Promise<void> {
  await one.end(session.id, 'logout', at(3))
  const ended = await other.find(session.id)
  same(
    ended?.endReason,
    'logout',
    'sessions.find of a session that another process has ended: signing out must hold ' +
      `everywhere. ${shared}`,
  )
  same(
    await other.liveAmong([session.id], at(4)),
    [],
    `sessions.liveAmong of a session that another process has ended. ${shared}`,
  )
  same(
    await other.listForUser(session.userId, at(3)),
    [],
    `sessions.listForUser of a session that another process has ended. ${shared}`,
  )
}

async function usersOf(one: SessionStore, other: SessionStore): Promise<void> {
  const at = moments()
  const own = newSession(at)
  const others = newSession(at, { userId: own.userId })
  const { userId } = own
  await one.create(own)
  await other.create(others)
  await one.find(own.id)
  await one.find(others.id)
  const ended = await other.endAllForUser(userId, 'revoked', at(1))
  const why =
    'sessions.endAllForUser of a user who has a session of each of two processes: "sign out ' +
    `everywhere" must end both. ${shared}`
  same([...ended].sort(), [own.id, others.id].sort(), why)
  const left = [await one.find(own.id), await one.find(others.id)].filter(
    (session) => session?.endedAt === null,
  )
  same(
    left,
    [],
    `sessions.find of sessions that another process has ended with endAllForUser. ${shared}`,
  )
}

async function factorsOf(one: SecondFactorStore, other: SecondFactorStore): Promise<void> {
  const at = moments()
  const pending = newPending(at)
  const { userId, sealedSeed } = pending
  same(
    [await other.find(userId), await other.findPending(userId, enrolling)],
    [null, null],
    'secondFactors.find of a user without a factor.',
  )
  await one.savePending(pending)
  same(
    (await other.findPending(userId, enrolling))?.sealedSeed,
    sealedSeed,
    `findPending of an enrolment that another process has saved. ${shared}`,
  )
  await one.confirm(newFactor(at, { userId, sealedSeed }), ['one', 'other'], at(1))
  same(
    (await other.find(userId))?.lastStep,
    -1,
    `secondFactors.find of a factor that another process has activated. ${shared}`,
  )
  same(
    await other.findPending(userId, enrolling),
    null,
    `findPending of an enrolment that another process has confirmed. ${shared}`,
  )
  await one.advanceStep(userId, 7)
  same(
    await other.advanceStep(userId, 7),
    { outcome: 'stale' },
    `advanceStep of a step that another process has accepted. ${shared}`,
  )
  await one.consumeRecoveryCode(userId, 'one')
  const used = await other.consumeRecoveryCode(userId, 'one')
  same(
    used,
    { outcome: 'unknown' },
    `consumeRecoveryCode of a code that another process has used. ${shared}`,
  )
  await one.deactivate(userId)
  same(
    await other.find(userId),
    null,
    `secondFactors.find of a factor that another process has deactivated. ${shared}`,
  )
  const left = await other.consumeRecoveryCode(userId, 'other')
  same(
    left,
    { outcome: 'unknown' },
    `consumeRecoveryCode of a factor that another process has deactivated. ${shared}`,
  )
}
