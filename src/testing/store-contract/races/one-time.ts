import { randomId, randomSecret } from '../../../lib/secrets.js'
import {
  derivedHash,
  moments,
  newCode,
  newKey,
  newRefreshable,
  newRotation,
  newSession,
  newTicket,
} from '../../../stores/new-records.js'
import { check, given, won } from '../harness.js'
import { identityOperations, passkeyOperations, proofOperations } from './one-time-of-accounts.js'
import { deviceCodeOperations, oauthOperations } from './one-time-of-apps.js'
import { factorOperations, sessionOwnerOperations } from './one-time-of-sessions.js'
import { type OneTimeOperation, oneWrite, usual, withinOne } from './one-time-operation.js'

const codes: OneTimeOperation = {
  ...usual,
  contract: 'codes',
  name: 'consume',
  did: 'consumed one code',
  why: `RFC 6749 §4.1.2 says a code works once. ${oneWrite}`,
  prepare: async (stores) => {
    const code = newCode(moments())
    await given(stores, 'codes').save(code)
    return code.codeHash
  },
  attempt: async (stores, codeHash) => {
    const answer = await given(stores, 'codes').consume(codeHash, moments()(1))
    // Only winners are counted here. Another test checks what the losers are told.
    return answer?.outcome === 'consumed'
  },
}

const refresh: OneTimeOperation = {
  ...usual,
  contract: 'sessions',
  name: 'rotateRefresh',
  did: 'rotated one refresh token',
  why: `A stolen token would live on beside its successor (RFC 9700 §4.14.2). ${oneWrite}`,
  prepare: async (stores) => {
    const id = randomId()
    await given(stores, 'sessions').create(
      newRefreshable(moments(), derivedHash('token', id), { id }),
    )
    return id
  },
  attempt: async (stores, id, caller) => {
    const at = moments()
    const next = newRotation(at, derivedHash(`next ${caller}`, id))
    const answer = await given(stores, 'sessions').rotateRefresh(
      id,
      derivedHash('token', id),
      next,
      at(2),
    )
    return won(answer, 'sessions.rotateRefresh', { outcome: 'rotated' }, { outcome: 'superseded' })
  },
  verify: async (stores, id, winner) => {
    const stored = await given(stores, 'sessions').find(id)
    check(
      stored?.refresh?.hash === derivedHash(`next ${winner}`, id),
      'After the race the stored refresh token is not that of the caller who was told ' +
        '`rotated`: the one good client is locked out.',
    )
  },
}

const end: OneTimeOperation = {
  ...usual,
  contract: 'sessions',
  name: 'end',
  did: 'ended one session',
  why:
    'True is for the one caller who ended it: what is announced, counted and closed hangs on ' +
    `it. ${oneWrite}`,
  prepare: async (stores) => {
    const session = newSession(moments())
    await given(stores, 'sessions').create(session)
    return session.id
  },
  attempt: async (stores, id) =>
    won(
      await given(stores, 'sessions').end(id, 'logout', moments()(1)),
      'sessions.end',
      true,
      false,
    ),
}

const endAll: OneTimeOperation = {
  ...withinOne,
  contract: 'sessions',
  name: 'endAllForUser',
  did: 'named one session as ended by them',
  why:
    'Answer the rows that this very write has changed, not what a query finds before or after ' +
    'it.',
  prepare: async (stores) => {
    const session = newSession(moments())
    await given(stores, 'sessions').create(session)
    return session.userId
  },
  attempt: async (stores, userId) =>
    (await given(stores, 'sessions').endAllForUser(userId, 'revoked', moments()(1))).length > 0,
}

const ticket: OneTimeOperation = {
  ...usual,
  contract: 'tickets',
  name: 'consume',
  did: 'consumed one ticket',
  why:
    'A ticket opens one socket. Make it one delete that returns the row, not a read and a ' +
    'delete.',
  prepare: async (stores) => {
    const { ticketHash, ...rest } = newTicket(moments())
    await given(stores, 'tickets').save({ ticketHash, ...rest })
    return ticketHash
  },
  attempt: async (stores, ticketHash) => {
    const answer = await given(stores, 'tickets').consume(ticketHash, moments()(1))
    return won(
      { outcome: answer?.outcome },
      'tickets.consume',
      { outcome: 'consumed' },
      { outcome: 'unknown' },
    )
  },
}

const insertKey: OneTimeOperation = {
  ...usual,
  contract: 'keys',
  name: 'insert',
  did: 'inserted one generation',
  why:
    'Processes would sign with keys that the others do not know. Insert, and let the primary ' +
    'key refuse the rest.',
  prepare: async () => String(newKey(moments()).generation),
  attempt: async (stores, generation, caller) => {
    const key = newKey(moments(), {
      generation: Number(generation),
      kid: `${generation} by ${caller}`,
    })
    return won(
      await given(stores, 'keys').insert(key),
      'keys.insert',
      { outcome: 'inserted' },
      { outcome: 'exists' },
    )
  },
  verify: async (stores, generation, winner) => {
    const stored = (await given(stores, 'keys').list()).filter(
      (key) => key.generation === Number(generation),
    )
    await given(stores, 'keys').remove(Number(generation))
    check(
      stored.length === 1 && stored[0]?.kid === `${generation} by ${winner}`,
      'After the race the store does not hold the one key whose caller was told `inserted`.',
    )
  },
}

const duplicates = {
  callers: [10],
  acrossProcesses: false,
  why: 'All but the first must be rejected. Insert; never upsert.',
}

const saveCode: OneTimeOperation = {
  ...duplicates,
  contract: 'codes',
  name: 'save',
  did: 'saved a code under one hash',
  prepare: async () => randomSecret(),
  attempt: (stores, codeHash, caller) =>
    resolves(
      given(stores, 'codes').save(newCode(moments(), { codeHash, userId: `user ${caller}` })),
    ),
  verify: async (stores, codeHash, winner) =>
    checkRow((await given(stores, 'codes').find(codeHash))?.userId, `user ${winner}`, 'codes.save'),
}

const createSession: OneTimeOperation = {
  ...duplicates,
  contract: 'sessions',
  name: 'create',
  did: 'created a session with one id',
  prepare: async () => randomId(),
  attempt: (stores, id, caller) =>
    resolves(
      given(stores, 'sessions').create(newSession(moments(), { id, userId: `${id} ${caller}` })),
    ),
  verify: async (stores, id, winner) =>
    checkRow(
      (await given(stores, 'sessions').find(id))?.userId,
      `${id} ${winner}`,
      'sessions.create',
    ),
}

const saveTicket: OneTimeOperation = {
  ...duplicates,
  contract: 'tickets',
  name: 'save',
  did: 'saved a ticket under one hash',
  prepare: async () => randomSecret(),
  attempt: (stores, ticketHash, caller) =>
    resolves(
      given(stores, 'tickets').save(newTicket(moments(), { ticketHash, userId: `user ${caller}` })),
    ),
  verify: async (stores, ticketHash, winner) => {
    const answer = await given(stores, 'tickets').consume(ticketHash, moments()(1))
    checkRow(
      answer.outcome === 'consumed' ? answer.ticket.userId : undefined,
      `user ${winner}`,
      'tickets.save',
    )
  },
}

/** Every one-time operation of every contract. */
export const oneTimeOperations: readonly OneTimeOperation[] = [
  codes,
  saveCode,
  refresh,
  end,
  endAll,
  ...sessionOwnerOperations,
  createSession,
  ticket,
  saveTicket,
  ...factorOperations,
  insertKey,
  ...oauthOperations,
  ...passkeyOperations,
  ...proofOperations,
  ...identityOperations,
  ...deviceCodeOperations,
]

function resolves(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  )
}

function checkRow(stored: string | undefined, winners: string, method: string): void {
  check(
    stored === winners,
    `After ${method} was raced, the stored row is not that of the caller whose call resolved.`,
  )
}
