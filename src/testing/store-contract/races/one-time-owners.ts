import { randomId } from '../../../lib/random.js'
import { derivedHash, moments, newSession } from '../../../stores/new-records.js'
import { check, won } from '../harness/checks.js'
import { given } from '../harness/suite.js'
import { type OneTimeOperation, oneWrite, usual } from './one-time-operation.js'

const why =
  'Answer the rows that this very write has changed, not what a query finds before or after it.'

const endAllForClient: OneTimeOperation = {
  ...usual,
  contract: 'sessions',
  name: 'endAllForClient',
  did: 'named one session of a client as ended by them',
  why,
  isOffered: (stores) => given(stores, 'sessions').endAllForClient !== undefined,
  prepare: async (stores) => {
    const clientId = randomId()
    await given(stores, 'sessions').create(newSession(moments(), { clientId }))
    return clientId
  },
  attempt: async (stores, clientId) => {
    const sessions = given(stores, 'sessions')
    const ended = await sessions.endAllForClient?.(clientId, {}, 'client-disabled', moments()(1))
    return ended !== undefined && ended.length > 0
  },
}

const endChildren: OneTimeOperation = {
  ...usual,
  contract: 'sessions',
  name: 'endChildren',
  did: 'named one child of a session as ended by them',
  why,
  isOffered: (stores) => given(stores, 'sessions').endChildren !== undefined,
  prepare: async (stores) => {
    const parentId = randomId()
    await given(stores, 'sessions').create(newSession(moments(), { parentId }))
    return parentId
  },
  attempt: async (stores, parentId) => {
    const ended = await given(stores, 'sessions').endChildren?.(parentId, 'revoked', moments()(1))
    return ended !== undefined && ended.length > 0
  },
}

const replaceSecret: OneTimeOperation = {
  ...usual,
  contract: 'sessions',
  name: 'replaceSecret',
  did: 'replaced one secret',
  why: `Each gives its browser a cookie, and only one of them is good. ${oneWrite}`,
  isOffered: (stores) => given(stores, 'sessions').replaceSecret !== undefined,
  prepare: async (stores) => {
    const id = randomId()
    const secretHash = derivedHash('secret', id)
    await given(stores, 'sessions').create(newSession(moments(), { id, secretHash }))
    return id
  },
  attempt: async (stores, id, caller) => {
    const from = derivedHash('secret', id)
    const to = derivedHash(`secret of ${caller}`, id)
    const replacement = { from, to, formerUntil: moments()(10) }
    const isReplaced = await given(stores, 'sessions').replaceSecret?.(id, replacement)
    return won(isReplaced, 'sessions.replaceSecret', true, false)
  },
  verify: async (stores, id, winner) => {
    const stored = await given(stores, 'sessions').find(id)
    check(
      stored?.secretHash === derivedHash(`secret of ${winner}`, id),
      'After the race the stored secret is not that of the caller who was told true: its browser ' +
        'is signed out.',
    )
  },
}

/** The optional one-time operations of sessions. */
export const sessionOwnerOperations: readonly OneTimeOperation[] = [
  endAllForClient,
  endChildren,
  replaceSecret,
]
