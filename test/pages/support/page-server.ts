// Serves every state of the pages as an endpoint would, with the headers of the real ones.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { passkeyCss } from '../../../src/pages/assets/page-css.js'
import { passkeyScript } from '../../../src/pages/assets/passkey-script.js'
import { markupOf } from '../../../src/pages/html.js'
import type { PageShell } from '../../../src/pages/layout.js'
import { hasScript, pageHeadersFor } from '../../../src/pages/page-headers.js'
import { renderPage } from '../../../src/pages/render.js'
import { createStylesheet } from '../../../src/pages/stylesheet.js'
import { shellIn, states } from './states.js'

/** Where the states are, each at `/<name>?lang=de`. */
export interface PageServer {
  readonly url: string
  /** What forms have been posted, as they came. */
  readonly posted: string[]
  close(): void
}

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" ' +
  'rx="10" fill="#7a2e8e"/><circle cx="20" cy="20" r="9" fill="#fff"/></svg>'

/** Starts it. With `accent=<rrggbb>` in the query a page has that accent, with `logo` a logo. */
export async function startPageServer(): Promise<PageServer> {
  const posted: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (request.method === 'POST') {
      let body = ''
      request.setEncoding('utf8').on('data', (part: string) => {
        body += part
      })
      request.on('end', () => {
        posted.push(body)
        sendPage(response, 'signed-out', url)
      })
      return
    }
    if (url.pathname === '/page.css') send(response, 'text/css', cssOf(url))
    else if (url.pathname.startsWith('/oauth/assets/passkeys-'))
      send(response, 'text/javascript', passkeyScript)
    else if (url.pathname === '/logo.svg') send(response, 'image/svg+xml', logo)
    else if (Object.hasOwn(states, url.pathname.slice(1)))
      sendPage(response, url.pathname.slice(1), url)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posted,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function sendPage(response: ServerResponse, name: string, url: URL): void {
  const view = states[name]
  if (view === undefined) throw new Error(`no state ${name}`)
  const tag = url.searchParams.get('lang') ?? 'en'
  const shell: Partial<PageShell> = { stylesheet: `/page.css${url.search}` }
  const withLogo = url.searchParams.has('logo')
    ? { logo: '/logo.svg', brand: { name: 'Grünwald & Söhne', logo: logoOption } }
    : {}
  response.writeHead(200, { ...pageHeadersFor(tag, hasScript(view)) })
  response.end(markupOf(renderPage(view, shellIn(tag, { ...shell, ...withLogo }))))
}

const logoOption = { file: 'logo.svg', alt: '', width: 40, height: 40 }

function cssOf(url: URL): string {
  const accent = url.searchParams.get('accent')
  return createStylesheet(accent === null ? undefined : `#${accent}`, passkeyCss).css
}

function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' })
  response.end(text)
}
