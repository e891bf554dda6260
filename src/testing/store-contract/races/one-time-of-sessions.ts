import { randomId, randomSecret } from '../../../lib/secrets.js'
import {
  derivedHash,
  enrolling,
  type Moment,
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
import { codesLeft } from '../harness.js'
import {
  duplicates,
  type OneTimeOperation,
  oneWrite,
  operationsOf,
  outcomeOf,
  outcomes,
  resolves,
  thoseRows,
} from './one-time-operation.js'

/** The one-time operations of codes. */
export const codeOperations: readonly OneTimeOperation[] = operationsOf('codes', [
  {
    name: 'consume',
    did: 'consumed one code',
    why: `RFC 6749 §4.1.2 says a code works once. ${oneWrite}`,
    prepare: async (codes, at) => {
      const code = newCode(at)
      await codes.save(code)
      return code.codeHash
    },
    // Only winners are counted here. Another test checks what the losers are told.
    attempt: async (codes, hash, at) => (await codes.consume(hash, at(1)))?.outcome === 'consumed',
    answers: [true, false],
  },
  {
    ...duplicates,
    name: 'save',
    did: 'saved a code under one hash',
    prepare: async () => randomSecret(),
    attempt: (codes, codeHash, at, caller) =>
      resolves(codes.save(newCode(at, { codeHash, userId: `user ${caller}` }))),
    stored: async (codes, hash, winner) => [(await codes.find(hash))?.userId, `user ${winner}`],
  },
])

/** The one-time operations of sessions. */
export const sessionOperations: readonly OneTimeOperation[] = operationsOf('sessions', [
  {
    name: 'rotateRefresh',
    did: 'rotated one refresh token',
    why: `A stolen token would live on beside its successor (RFC 9700 §4.14.2). ${oneWrite}`,
    prepare: async (sessions, at) => {
      const id = randomId()
      await sessions.create(newRefreshable(at, derivedHash('token', id), { id }))
      return id
    },
    attempt: (sessions, id, at, caller) => {
      const next = newRotation(at, derivedHash(`next ${caller}`, id))
      return sessions.rotateRefresh(id, derivedHash('token', id), next, at(2))
    },
    answers: outcomes('rotated', 'superseded'),
    stored: async (sessions, id, winner) => [
      (await sessions.find(id))?.refresh?.hash,
      derivedHash(`next ${winner}`, id),
    ],
  },
  {
    name: 'end',
    did: 'ended one session',
    why:
      'True is for the one caller who ended it: what is announced, counted and closed hangs on ' +
      `it. ${oneWrite}`,
    prepare: async (sessions, at) => {
      const session = newSession(at)
      await sessions.create(session)
      return session.id
    },
    attempt: (sessions, id, at) => sessions.end(id, 'logout', at(1)),
    answers: [true, false],
  },
  {
    name: 'endAllForUser',
    did: 'named one session as ended by them',
    why: thoseRows,
    withinOneProcess: true,
    prepare: async (sessions, at) => {
      const session = newSession(at)
      await sessions.create(session)
      return session.userId
    },
    attempt: async (sessions, userId, at) =>
      (await sessions.endAllForUser(userId, 'revoked', at(1))).length > 0,
    answers: [true, false],
  },
  {
    name: 'endAllForClient',
    did: 'named one session of a client as ended by them',
    why: thoseRows,
    needs: 'endAllForClient',
    prepare: async (sessions, at) => {
      const clientId = randomId()
      await sessions.create(newSession(at, { clientId }))
      return clientId
    },
    attempt: async (sessions, clientId, at) => {
      const ended = await sessions.endAllForClient?.(clientId, {}, 'client-disabled', at(1))
      return ended !== undefined && ended.length > 0
    },
    answers: [true, false],
  },
  {
    name: 'endChildren',
    did: 'named one child of a session as ended by them',
    why: thoseRows,
    needs: 'endChildren',
    prepare: async (sessions, at) => {
      const parentId = randomId()
      await sessions.create(newSession(at, { parentId }))
      return parentId
    },
    attempt: async (sessions, parentId, at) => {
      const ended = await sessions.endChildren?.(parentId, 'revoked', at(1))
      return ended !== undefined && ended.length > 0
    },
    answers: [true, false],
  },
  {
    name: 'replaceSecret',
    did: 'replaced one secret',
    why: `Each gives its browser a cookie, and only one of them is good. ${oneWrite}`,
    needs: 'replaceSecret',
    prepare: async (sessions, at) => {
      const id = randomId()
      await sessions.create(newSession(at, { id, secretHash: derivedHash('secret', id) }))
      return id
    },
    attempt: async (sessions, id, at, caller) => {
      const from = derivedHash('secret', id)
      const to = derivedHash(`secret of ${caller}`, id)
      return sessions.replaceSecret?.(id, { from, to, formerUntil: at(10) })
    },
    answers: [true, false],
    stored: async (sessions, id, winner) => [
      (await sessions.find(id))?.secretHash,
      derivedHash(`secret of ${winner}`, id),
    ],
  },
  {
    ...duplicates,
    name: 'create',
    did: 'created a session with one id',
    prepare: async () => randomId(),
    attempt: (sessions, id, at, caller) =>
      resolves(sessions.create(newSession(at, { id, userId: `${id} ${caller}` }))),
    stored: async (sessions, id, winner) => [(await sessions.find(id))?.userId, `${id} ${winner}`],
  },
])

/** The one-time operations of tickets. */
export const ticketOperations: readonly OneTimeOperation[] = operationsOf('tickets', [
  {
    name: 'consume',
    did: 'consumed one ticket',
    why: 'A ticket opens one socket. Make it one delete that returns the row.',
    prepare: async (tickets, at) => {
      const ticket = newTicket(at)
      await tickets.save(ticket)
      return ticket.ticketHash
    },
    attempt: (tickets, ticketHash, at) => outcomeOf(tickets.consume(ticketHash, at(1))),
    answers: outcomes('consumed', 'unknown'),
  },
  {
    ...duplicates,
    name: 'save',
    did: 'saved a ticket under one hash',
    prepare: async () => randomSecret(),
    attempt: (tickets, ticketHash, at, caller) =>
      resolves(tickets.save(newTicket(at, { ticketHash, userId: `user ${caller}` }))),
    stored: async (tickets, ticketHash, winner) => {
      const answer = await tickets.consume(ticketHash, new Date())
      return ['ticket' in answer ? answer.ticket.userId : undefined, `user ${winner}`]
    },
  },
])

/** The one-time operations of keys. */
export const keyOperations: readonly OneTimeOperation[] = operationsOf('keys', [
  {
    name: 'insert',
    did: 'inserted one generation',
    why:
      'Processes would sign with keys that the others do not know. Insert, and let the primary ' +
      'key refuse the rest.',
    prepare: async (_keys, at) => String(newKey(at).generation),
    attempt: (keys, generation, at, caller) =>
      keys.insert(
        newKey(at, { generation: Number(generation), kid: `${generation} by ${caller}` }),
      ),
    answers: outcomes('inserted', 'exists'),
    stored: async (keys, generation, winner) => {
      const all = await keys.list()
      await keys.remove(Number(generation))
      const stored = all.filter((key) => key.generation === Number(generation))
      return [stored.map(({ kid }) => kid), [`${generation} by ${winner}`]]
    },
  },
])

const codesOf = (caller: number, userId: string) => [
  derivedHash(`recovery ${caller}`, userId),
  derivedHash(`spare ${caller}`, userId),
]

async function useEach(factors: SecondFactorStore, userId: string, hashes: readonly string[]) {
  const used: string[] = []
  for (const hash of hashes) used.push((await factors.consumeRecoveryCode(userId, hash)).outcome)
  return used
}

async function activeFactor(factors: SecondFactorStore, at: Moment): Promise<string> {
  const { userId, ...factor } = newFactor(at)
  const sealedSeed = derivedHash('seed', userId)
  await factors.activate({ ...factor, userId, sealedSeed }, [derivedHash('recovery', userId)])
  return userId
}

/** The one-time operations of second factors. */
export const factorOperations: readonly OneTimeOperation[] = operationsOf('secondFactors', [
  {
    name: 'activate',
    did: 'activated a factor for one user',
    why:
      'The user could sign in with one authenticator app only, but was told that several work. ' +
      'Insert, and let the key refuse the rest.',
    withinOneProcess: true,
    prepare: async () => randomId(),
    attempt: (factors, userId, at, caller) =>
      factors.activate(
        newFactor(at, { userId, sealedSeed: `seed ${caller}` }),
        codesOf(caller, userId).slice(0, 1),
      ),
    answers: outcomes('activated', 'already-active'),
    // The codes of the winner work, and those of no other: factor and codes go in together.
    stored: async (factors, userId, winner) => {
      const [loser = ''] = codesOf(winner === 0 ? 1 : 0, userId)
      const [own = ''] = codesOf(winner, userId)
      return [
        [
          (await factors.find(userId))?.sealedSeed,
          ...(await useEach(factors, userId, [loser, own])),
        ],
        [`seed ${winner}`, 'unknown', 'consumed'],
      ]
    },
  },
  {
    name: 'confirm',
    did: 'confirmed one enrolment',
    why:
      'Each was shown recovery codes, and only those of one work. Delete the enrolment on its ' +
      'conditions, and go on only if a row went.',
    prepare: async (factors, at) => {
      const userId = randomId()
      await factors.savePending(newPending(at, { userId, sealedSeed: derivedHash('seed', userId) }))
      return userId
    },
    attempt: (factors, userId, at, caller) =>
      factors.confirm(
        newFactor(at, { userId, sealedSeed: derivedHash('seed', userId), lastStep: caller }),
        codesOf(caller, userId),
        at(1),
      ),
    answers: outcomes('activated', 'not-pending', 'already-active'),
    stored: async (factors, userId, winner) => [
      [
        (await factors.find(userId))?.lastStep,
        await factors.findPending(userId, enrolling),
        await codesLeft(factors, userId),
        await useEach(factors, userId, codesOf(winner, userId)),
      ],
      [winner, null, 2, ['consumed', 'consumed']],
    ],
  },
  {
    name: 'advanceStep',
    did: 'used one TOTP step',
    why: `RFC 6238 §5.2 says a one-time password works once. ${oneWrite}`,
    prepare: activeFactor,
    attempt: (factors, userId) => factors.advanceStep(userId, 58_000_000),
    answers: outcomes('advanced', 'stale'),
  },
  {
    name: 'reseal',
    did: 'resealed one seed',
    why: `A seed sealed under an older key would replace a newer one. ${oneWrite}`,
    withinOneProcess: true,
    prepare: activeFactor,
    attempt: (factors, userId, _at, caller) =>
      factors.reseal(userId, derivedHash('seed', userId), `resealed by ${caller}`),
    answers: outcomes('resealed', 'superseded'),
    stored: async (factors, userId, winner) => [
      (await factors.find(userId))?.sealedSeed,
      `resealed by ${winner}`,
    ],
  },
  {
    name: 'consumeRecoveryCode',
    did: 'used one recovery code',
    why:
      'Whoever reads a code over a shoulder would get in with it. Make it one delete of one row, ' +
      'and answer by the rows it deleted.',
    prepare: activeFactor,
    attempt: (factors, userId) =>
      factors.consumeRecoveryCode(userId, derivedHash('recovery', userId)),
    answers: outcomes('consumed', 'unknown'),
  },
  {
    name: 'deactivate',
    did: 'deactivated one factor',
    why: 'Answer by the rows that this very delete has deleted.',
    withinOneProcess: true,
    prepare: activeFactor,
    attempt: (factors, userId) => factors.deactivate(userId),
    answers: outcomes('deactivated', 'not-active'),
  },
])
