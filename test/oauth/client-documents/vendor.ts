// A host of client documents that only the test's process can reach: names are looked up here, and
// connections to port 443 of what they stand for come to a server of the test.
import { execFileSync } from 'node:child_process'
import { promises as dns } from 'node:dns'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import tls, { type ConnectionOptions } from 'node:tls'
import { onTestFinished, vi } from 'vitest'

export const vendorHost = 'editor.example'
export const editorId = `https://${vendorHost}/oauth/client.json`

/** A document in which nothing is wrong. */
export const editorDocument = {
  client_id: editorId,
  client_name: 'The Editor',
  redirect_uris: ['http://127.0.0.1/callback', `https://${vendorHost}/callback`],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  logo_uri: 'https://127.0.0.1/logo.png',
}

/** What the tests know of the app: the server knows only its address. */
export const editor = {
  id: editorId,
  name: vendorHost,
  type: 'native',
  redirectUris: ['http://127.0.0.1:49152/callback'],
  scopes: ['openid', 'messages:read'],
} as const

const encoding = { encoding: 'utf8' } as const
const made = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
const named = `-subj /CN=${vendorHost} -addext subjectAltName=DNS:${vendorHost}`
const written = '-days 2 -keyout /dev/stdout -out /dev/stdout'
const pem = execFileSync('sh', ['-c', `${made} ${named} ${written} 2>/dev/null | cat`], encoding)

/** What a vendor answers to a request for a path. */
export type Answering = (request: IncomingMessage, response: ServerResponse) => void

/** Answers with a document, as JSON. */
export function documentOf(document: unknown, headers: Record<string, string> = {}): Answering {
  return (_request, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(typeof document === 'string' ? document : JSON.stringify(document))
}

/**
 * Starts the vendor. `answer` may be replaced, and so may `addresses`, which each name stands for.
 */
export async function startVendor(answer: Answering = documentOf(editorDocument)) {
  const vendor = {
    answer,
    addresses: ['93.184.215.14'],
    /** Waited for by each look-up. */
    lookUp: async () => {},
    /** The names that were looked up. */
    lookedUp: [] as string[],
    /** Where connections went: the name in the greeting, and the address. */
    connected: [] as { readonly name: string; readonly address: string }[],
    /** The requests that have come. */
    requests: [] as IncomingMessage[],
  }
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    vendor.requests.push(request)
    vendor.answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    vi.restoreAllMocks()
    server.closeAllConnections()
    server.close()
  })
  const { prototype } = dns.Resolver
  vi.spyOn(prototype, 'resolve4').mockImplementation((async (name: string) => {
    vendor.lookedUp.push(name)
    await vendor.lookUp()
    return vendor.addresses.filter((address) => !address.includes(':'))
  }) as unknown as typeof prototype.resolve4)
  vi.spyOn(prototype, 'resolve6').mockImplementation((async () =>
    vendor.addresses.filter((address) =>
      address.includes(':'),
    )) as unknown as typeof prototype.resolve6)
  const connect = tls.connect
  vi.spyOn(tls, 'connect').mockImplementation(((options: ConnectionOptions) => {
    const { host = '', servername = '', lookup } = options
    lookup?.(host, {}, (_error, address) =>
      vendor.connected.push({ name: servername, address: String(address) }),
    )
    return connect({ ...options, host: '127.0.0.1', port, lookup: undefined, ca: pem })
  }) as unknown as typeof tls.connect)
  return vendor
}
