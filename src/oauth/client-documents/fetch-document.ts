import { UnexpectedAnswer } from '../../lib/host-call.js'
import type { OfOthers } from '../../lib/safe-url.js'
import { type ClientDocument, readClientDocument } from './client-document.js'

/** A document, and how long it may be used, in seconds. */
export interface FetchedDocument {
  readonly document: ClientDocument
  readonly maxAge: number
}

/**
 * Fetches the document of a client. Rejects with an UnexpectedAnswer if there is no fit one at its
 * address, and with another error if its host is away.
 */
export type FetchDocument = (clientId: string) => Promise<FetchedDocument>

const maxBytes = 8 * 1024
/** Seconds. */
const leastAge = 5 * 60
const mostAge = 60 * 60

export function createFetchDocument(ofOthers: OfOthers): FetchDocument {
  return async function fetchDocument(clientId) {
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
