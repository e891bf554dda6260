import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuthClient } from '../client.js'
import { type Finished, type OAuth, OAuthError, oauth, type StartOptions } from '../oauth/oauth.js'

/** How a program signs its user in by the browser of the system. */
export interface LoopbackOptions extends StartOptions {
  /** The `id` that the app has at the server, as a native one with `http://127.0.0.1/callback`. */
  readonly clientId: string
  /** What the app asks for, with blanks between; see `oauth()`. */
  readonly scope: string
  /** Opens the address in the browser, or shows it to the user. */
  readonly open: (address: string) => Promise<unknown> | unknown
  /** As in the server's tokens. Default: the origin of `baseUrl`. */
  readonly issuer?: string
  /** Where the browser comes back to. Default `/callback`. */
  readonly path?: string
  /** How long the user may take, in milliseconds. Default 300,000. */
  readonly timeoutMs?: number
  /** What the browser shows in the end, as plain text. Default: that the window can be closed. */
  readonly text?: (isSignedIn: boolean) => string
}

/**
 * Signs in a user of a tool or a desktop app by the pages of the server in the system's browser,
 * which comes back to a port of this machine
 * ([RFC 8252 §7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)). The tokens are those of
 * the client from then on. Throws OAuthError, `no-answer` where nobody came back, and
 * AuthClientError.
 *
 * @example
 * ```ts
 * import { createAuthClient } from 'messaging-auth-router/client'
 * import { signInByBrowser } from 'messaging-auth-router/client/loopback'
 *
 * const client = createAuthClient({ baseUrl: 'https://chat.example.com/api/v1' })
 * const { me } = await signInByBrowser(client, {
 *   clientId: 'desktop',
 *   scope: 'openid profile offline_access',
 *   open: (address) => process.stderr.write(`Please open ${address}\n`),
 * })
 * ```
 */
export async function signInByBrowser(
  client: AuthClient,
  options: LoopbackOptions,
): Promise<Finished> {
  const { clientId, scope, issuer, open, path = '/callback', timeoutMs = 300_000 } = options
  const server = createServer()
  // No other machine can reach it.
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const redirectUri = `http://${host}${path}`
  const named = issuer === undefined ? {} : { issuer }
  const app = oauth(client, { clientId, redirectUri, scope, ...named })
  let timer: NodeJS.Timeout | undefined
  try {
    const finished = finishWith(server, app, { host, path, text: options.text ?? closing })
    const late = new Promise<never>((_resolve, reject) => {
      const nobody = new OAuthError('no-answer', 'Nobody came back from the browser.')
      timer = setTimeout(() => reject(nobody), timeoutMs)
    })
    const answer = Promise.race([finished, late])
    // It may be refused while the browser is still being opened.
    answer.catch(() => {})
    // `open` may wait until the browser is closed, which may be long after its answer.
    const opened = Promise.resolve(open(await app.start(options)))
    return await Promise.race([answer, opened.then(() => answer)])
  } finally {
    clearTimeout(timer)
    server.close()
    server.closeAllConnections()
  }
}

const closing = (isSignedIn: boolean) =>
  isSignedIn
    ? 'You are signed in. You can close this window.'
    : 'You are not signed in. You can close this window, and try again.'

interface Answering {
  readonly host: string
  readonly path: string
  readonly text: (isSignedIn: boolean) => string
}

/** The first answer to what was begun here. Other pages can send the browser here as well. */
function finishWith(server: Server, app: OAuth, answering: Answering): Promise<Finished> {
  return new Promise((resolve, reject) => {
    server.on('request', (request, response) => {
      const address = answerIn(request, app, answering)
      if (address === null) return void say(response, 404, 'There is nothing here.', () => {})
      app.finish(address).then(
        (finished) => say(response, 200, answering.text(true), () => resolve(finished)),
        (error: unknown) => {
          const isOfOthers = error instanceof OAuthError && error.code === 'not-begun'
          const end = isOfOthers ? () => {} : () => reject(error)
          say(response, 400, answering.text(false), end)
        },
      )
    })
  })
}

function answerIn(
  { method, url = '', headers }: IncomingMessage,
  app: OAuth,
  { host, path }: Answering,
): string | null {
  // By another name, a page of somebody else would share this origin.
  const isHere = method === 'GET' && headers.host === host && url.split('?')[0] === path
  return isHere && app.isAnswer(url) ? url : null
}

function say(response: ServerResponse, status: number, text: string, then: () => void): void {
  response
    .writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'",
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    })
    // Also where the browser has gone away.
    .once('close', then)
    .end(text)
}
