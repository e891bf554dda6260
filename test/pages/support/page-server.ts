// Serves every state of the pages as an endpoint would, with the headers of the real ones.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { passkeyScript, passwordScript } from '../../../src/pages/assets/scripts.js'
import { createStylesheet, passkeyCss } from '../../../src/pages/assets/stylesheet.js'
import { markupOf } from '../../../src/pages/html.js'
import { layout, type PageShell } from '../../../src/pages/layout.js'
import { pageHeadersFor } from '../../../src/pages/show-page.js'
import { shellIn, states } from './states.js'
import { contentOf } from './views.js'

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
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
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
    const file = fileAt(url)
    if (file !== null) send(response, ...file)
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

const passwordScriptPath = '/oauth/assets/show-password-0123456789abcdef.js'
const passkeyScriptPath = '/oauth/assets/passkeys-0123456789abcdef.js'
const linkScriptPath = '/oauth/assets/link-0123456789abcdef.js'

/** What pages load, with its type; null for none of it. */
function fileAt(url: URL): readonly [type: string, text: string] | null {
  if (url.pathname === '/page.css') return ['text/css', cssOf(url)]
  if (url.pathname.endsWith('.svg')) return ['image/svg+xml', logo]
  if (url.pathname === passwordScriptPath) return ['text/javascript', passwordScript]
  // The real one leads away from a page that is to be looked at.
  if (url.pathname === linkScriptPath) return ['text/javascript', '']
  return url.pathname === passkeyScriptPath ? ['text/javascript', passkeyScript] : null
}

function sendPage(response: ServerResponse, name: string, url: URL): void {
  const view = states[name]
  if (view === undefined) throw new Error(`no state ${name}`)
  const tag = url.searchParams.get('lang') ?? 'en'
  const shell: Partial<PageShell> = { stylesheet: `/page.css${url.search}` }
  const withLogo = url.searchParams.has('logo')
    ? { logo: '/logo.svg', brand: { name: 'Grünwald & Söhne', logo: logoOption } }
    : {}
  const all = shellIn(tag, { ...shell, ...withLogo })
  const content = contentOf(view, all)
  const scripts = (content.scripts ?? []).filter((path) => path !== null)
  const allowed = scripts.map((path) => new URL(path, url).href)
  response.writeHead(200, { ...pageHeadersFor(tag, allowed) })
  response.end(markupOf(layout(all, content)))
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
