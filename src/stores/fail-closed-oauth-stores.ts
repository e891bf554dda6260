import {
  type Answers,
  type Check,
  count,
  date,
  failClosed,
  listOf,
  orNull,
  record,
  text,
  theOneAsked,
  unread,
} from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import type { ManagedClientStore, OAuthClient } from './client-contract.js'
import type { ConsentRecord, ConsentStore } from './consent-contract.js'
import type { OnceStore } from './once-contract.js'

// As fail-closed-stores.ts, for the stores that only OAuth has a use for.

const consent = {
  userId: theOneAsked,
  clientId: text,
  scopes: listOf(text),
  grantedAt: date,
  updatedAt: date,
}

const consentAnswers: Answers<ConsentStore> = {
  find: orNull(record<ConsentRecord>(consent)),
  grant: unread,
  revoke: { revoked: {}, unknown: {} },
  listForUser: listOf(record<ConsentRecord>(consent)),
}

/** Consents behind their contract. A consent to another client is a wrong answer. */
export function failClosedConsents(store: ConsentStore, call: HostCall): ConsentStore {
  const { listForUser, grant, revoke } = failClosed('consents', store, call, consentAnswers)
  // The checks know the first argument of a call alone, and this row has two names.
  const ofClient = (clientId: string): Check =>
    orNull(record<ConsentRecord>({ ...consent, clientId: (value) => theOneAsked(value, clientId) }))
  return {
    listForUser,
    grant,
    revoke,
    find: (userId, clientId) =>
      failClosed<Pick<ConsentStore, 'find'>>('consents', store, call, {
        find: ofClient(clientId),
      }).find(userId, clientId),
  }
}

const onceAnswers: Answers<OnceStore> = { claim: { claimed: {}, known: {} }, purge: count }

/** Names that are used once, behind their contract. */
export function failClosedOnce(store: OnceStore, call: HostCall): OnceStore {
  return failClosed('once', store, call, onceAnswers)
}

// Whether the rest of a client is permissible is judged where a listed one is judged, too.
const isAsked = orNull(record<OAuthClient>({ id: theOneAsked }))

const managedClientAnswers: Answers<ManagedClientStore> = {
  find: isAsked,
  create: { created: {}, exists: {} },
  update: { updated: {}, unknown: {} },
  replaceSecrets: { replaced: {}, superseded: {} },
  setDisabled: { changed: {}, unchanged: {} },
  list: listOf(record<OAuthClient>({ id: text })),
}

/** A register of clients that is changed while the server runs, behind its contract. */
export function failClosedManagedClients(
  store: ManagedClientStore,
  call: HostCall,
): ManagedClientStore {
  return failClosed('clients', store, call, managedClientAnswers)
}
