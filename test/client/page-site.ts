// A page at `http://localhost`, whose scripts are those that the package ships, in front of a host.
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

const dist = new URL('../../dist/', import.meta.url)

/** Where a page is, and who answers what it asks. */
export interface PageSite {
  readonly origin: string
  /** Requests to the host, as `METHOD path`. */
  readonly asked: string[]
  serveWith(host: { readonly server: { emit(...request: unknown[]): boolean } }): void
}

/**
 * Starts it with this script in the page, and these headers. Only the host's own paths go to the
 * host.
 */
export async function startPageSite(
  script: string,
  isOfHost: RegExp,
  headers: Readonly<Record<string, string>> = {},
): Promise<PageSite> {
  const asked: string[] = []
  let serve: ((request: IncomingMessage, response: ServerResponse) => void) | null = null
  const front = createServer((request, response) => {
    const path = request.url ?? ''
    if (isOfHost.test(path)) {
      asked.push(`${request.method} ${path.split('?')[0]}`)
      return void serve?.(request, response)
    }
    void fileOf(path.split('?')[0] ?? '', script).then(
      ([type, body]) => response.writeHead(200, { 'Content-Type': type, ...headers }).end(body),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    front.closeAllConnections()
    return new Promise<void>((resolve) => front.close(() => resolve()))
  })
  const { port } = front.address() as AddressInfo
  return {
    // Passkeys are not made for addresses in numbers.
    origin: `http://localhost:${port}`,
    asked,
    serveWith({ server }) {
      serve = (request, response) => void server.emit('request', request, response)
    },
  }
}

async function fileOf(path: string, script: string): Promise<[string, string]> {
  if (path === '/' || path === '/callback') return ['text/html', page]
  if (path === '/page.js') return ['text/javascript', script]
  return ['text/javascript', await readFile(new URL(`.${path}`, dist), 'utf8')]
}

const page = `<!doctype html><title>page</title><h1>Landed</h1>
<input autocomplete="username webauthn"><script type="module" src="/page.js"></script>`
