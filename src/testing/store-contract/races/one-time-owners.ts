import { randomId } from '../../../lib/random.js'
import { moments, newSession } from '../../../stores/new-records.js'
import { given } from '../harness/suite.js'
import { type OneTimeOperation, usual } from './one-time-operation.js'

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

/** What ends the sessions of a client, or of a session that has opened others. */
export const sessionOwnerOperations: readonly OneTimeOperation[] = [endAllForClient, endChildren]
