import type { Audit, RequestContext } from '../../audit/events.js'
import { AuthError } from '../../errors.js'
import type { GroundKit } from '../../kits/ground-kit.js'
import type { OfOthers } from '../../lib/addresses.js'
import { type BoundedCache, boundedCache } from '../../lib/bounded-cache.js'
import { ownMembers } from '../../lib/check-options.js'
import { describeFailure, UnexpectedAnswer } from '../../lib/host-call.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import {
  type ClientDocument,
  type DocumentClient,
  documentHost,
  readClientDocument,
} from './client-document.js'

/** Clients that nobody registered: the id of each is the address of a document about it. */
export interface ClientDocuments {
  /**
   * The client with this id, known by its host alone: nothing is fetched, and it has no redirect
   * URIs. Null unless its host is a listed one.
   */
  find(clientId: string): OAuthClient | null
  /** Whether `read` answers without a request. */
  isRead(clientId: string): boolean
  /**
   * The client with the content of its document, which is at most an hour old, or two hours while
   * its host cannot be asked; null if there is no fit document. Rejects with 503 if its host is
   * away, or if many documents are being fetched.
   */
  read(client: OAuthClient, context: RequestContext): Promise<DocumentClient | null>
}

/** The clients that exist by their documents, and the rights of each. */
export interface ListedDocuments {
  /** The hosts that may have documents. */
  readonly documentHosts: ReadonlySet<string>
  /** Ids of clients there that do not exist. */
  readonly exceptDocuments: ReadonlySet<string>
  readonly documentClient: Pick<OAuthClient, 'scopes' | 'resources' | 'idTokenAlgorithm'>
}

interface Known {
  readonly document: ClientDocument
  readonly until: Date
}

const mostKnown = 200
const knownSeconds = 24 * 60 * 60
/** The time for which an old document is used while its host cannot be asked. */
const graceMs = 60 * 60 * 1000
/** Failed documents are kept apart from the known ones, so that invented paths evict no client. */
const mostFailed = 200
const failedSeconds = 30
/** Requests at once, in places that all clients share. */
const mostOfHost = 2
const mostInAll = 10

/** Each host has one of its own, for clients whose document was fit within a day. */
type Place = 'own' | 'shared'

interface Reading {
  readonly host: string
  readonly place: Place
  readonly document: Promise<ClientDocument | null>
}

export function createClientDocuments(
  kit: GroundKit,
  { documentHosts, exceptDocuments, documentClient }: ListedDocuments,
  ofOthers: OfOthers,
): ClientDocuments {
  const { isRead, documentOf } = createReadDocuments(kit, ofOthers)

  function listedHost(clientId: string): string | null {
    const host = documentHost(clientId)
    const isListed = host !== null && documentHosts.has(host) && !exceptDocuments.has(clientId)
    return isListed ? host : null
  }

  return {
    find(clientId) {
      const name = listedHost(clientId)
      if (name === null) return null
      // The host names the client: the name in the document is only claimed.
      const { id, type } = { id: clientId, type: 'native' } as const
      const own = { id, name, type, redirectUris: [], refreshTokens: 'always' } as const
      return ownMembers({ ...documentClient, ...own })
    },
    isRead,
    async read(client, context) {
      // The host is checked again: nothing is fetched from a host that is not listed.
      const host = listedHost(client.id)
      const document = host === null ? null : await documentOf(client.id, host, context)
      if (document === null) return null
      return ownMembers({ ...client, redirectUris: document.redirectUris, document })
    },
  }
}

/** One request for each document, and few at once. */
function createReadDocuments({ watch, clock, audit }: GroundKit, ofOthers: OfOthers) {
  const known: BoundedCache<Known> = boundedCache(mostKnown, knownSeconds)
  /** Null stands for a client without a fit document. */
  const failed: BoundedCache<AuthError | null> = boundedCache(mostFailed, failedSeconds)
  const underWay = new Map<string, Reading>()

  function remembered(clientId: string, moreMs = 0): ClientDocument | undefined {
    const now = clock()
    const found = known.get(clientId, now)
    if (found === undefined || now.getTime() >= found.until.getTime() + moreMs) return undefined
    return found.document
  }

  /** While its host cannot be asked. */
  function insteadOf(failure: AuthError, clientId: string): ClientDocument {
    const old = remembered(clientId, graceMs)
    if (old === undefined) throw failure
    return old
  }

  async function fetchNow(
    clientId: string,
    context: RequestContext,
  ): Promise<ClientDocument | null> {
    const asked = clock()
    try {
      const { document, maxAge } = await watch('outgoing.clientDocument', () =>
        fetchDocument(clientId, ofOthers),
      )
      known.set(clientId, { document, until: new Date(asked.getTime() + maxAge * 1000) }, asked)
      return document
    } catch (cause) {
      const failure = refuse(audit, clientId, cause, context)
      failed.set(clientId, failure, asked)
      if (failure !== null) return insteadOf(failure, clientId)
      known.delete(clientId)
      return null
    }
  }

  async function documentOf(
    clientId: string,
    host: string,
    context: RequestContext,
  ): Promise<ClientDocument | null> {
    const found = remembered(clientId)
    if (found !== undefined) return found
    const failure = failed.get(clientId, clock())
    if (failure === null) return null
    if (failure !== undefined) return insteadOf(failure, clientId)
    const reading = underWay.get(clientId)
    if (reading !== undefined) return reading.document
    const isKnown = known.get(clientId, clock()) !== undefined
    const place = freePlace([...underWay.values()], host, isKnown)
    if (place === undefined)
      return insteadOf(away('many documents of clients are being fetched'), clientId)
    const document = fetchNow(clientId, context).finally(() => underWay.delete(clientId))
    underWay.set(clientId, { host, place, document })
    return document
  }

  const isRead = (clientId: string) => remembered(clientId) !== undefined || underWay.has(clientId)
  return { isRead, documentOf }
}

function freePlace(taken: readonly Reading[], host: string, isKnown: boolean): Place | undefined {
  const ofHost = taken.filter((other) => other.host === host)
  const count = (of: readonly Reading[]) => of.filter(({ place }) => place === 'shared').length
  // Invented paths cannot take this one.
  if (isKnown && ofHost.length === count(ofHost)) return 'own'
  return count(ofHost) < mostOfHost && count(taken) < mostInAll ? 'shared' : undefined
}

/** Null: the document is at fault. */
function refuse(
  audit: Audit,
  clientId: string,
  cause: unknown,
  context: RequestContext,
): AuthError | null {
  if (cause instanceof UnexpectedAnswer) {
    const { message: problem } = cause
    audit({ type: 'client-document.refused', reason: 'unfit', clientId, problem }, context)
    return null
  }
  const { code, error: problem } = describeFailure('client document', cause)
  const refused = { reason: 'away', clientId, problem: code ?? problem } as const
  audit({ type: 'client-document.refused', ...refused }, context)
  return away(`client document: ${refused.problem}`, cause)
}

function away(message: string, cause?: unknown): AuthError {
  return new AuthError('temporarily-unavailable', { message, retryAfter: 5, cause })
}

/** A document, and how long it may be used, in seconds. */
interface FetchedDocument {
  readonly document: ClientDocument
  readonly maxAge: number
}

const maxBytes = 8 * 1024
/** Seconds. */
const leastAge = 5 * 60
const mostAge = 60 * 60

// Fetches the document of a client. Rejects with an UnexpectedAnswer if there is no fit one at its
// address, and with another error if its host is away.
async function fetchDocument(clientId: string, ofOthers: OfOthers): Promise<FetchedDocument> {
  // Loads TLS, so not with the package.
  const { outgoing } = await import('../../lib/outgoing.js')
  const headers = { accept: 'application/json' }
  const asked = { method: 'GET', headers, maxBytes }
  const answer = await outgoing(clientId, asked, ofOthers)
  if (answer.status >= 500) throw new Error(`its host answers ${answer.status}`)
  if (answer.status !== 200) throw new UnexpectedAnswer(`its host answers ${answer.status}.`)
  const type = answer.headers.get('content-type') ?? ''
  if (!/^application\/(?:[a-z0-9.-]{1,60}\+)?json *(?:;|$)/i.test(type))
    throw new UnexpectedAnswer('its Content-Type is not that of JSON.')
  const document = readClientDocument(clientId, textOf(await answer.arrayBuffer()))
  return { document, maxAge: maxAgeOf(answer.headers.get('cache-control') ?? '') }
}

function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UnexpectedAnswer('it is not UTF-8.')
  }
}

// RFC 9111 §5.2.2, https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2
function maxAgeOf(cacheControl: string): number {
  const [, seconds = '0'] = /(?:^|[, ])max-age="?(\d{1,9})/i.exec(cacheControl) ?? []
  const age = /(?:^|[, ])no-(?:store|cache)/i.test(cacheControl) ? 0 : Number(seconds)
  return Math.min(Math.max(age, leastAge), mostAge)
}
