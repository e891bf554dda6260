import { createAuthClient, localStorageStore } from '/client/index.js'
import { oauth } from '/client/oauth.js'

/**
 * The sign-in of this browser, which all its tabs share.
 *
 * It is kept in localStorage, so that a reload and a second tab are signed in as well. The price,
 * which is yours to weigh: a script that somebody smuggled into this origin could read it there.
 * The page's Content-Security-Policy lets no script run but its own. A server of yours that shows
 * what others wrote as HTML, or loads scripts from elsewhere, keeps tokens in memory instead
 * (`memoryStore()`), and signs in again.
 */
export const client = createAuthClient({
  baseUrl: '/api/v1',
  storage: localStorageStore(),
  onBusy: () => document.dispatchEvent(new Event('busy')),
})

/** The sign-in by the pages of the server, as an app does it that has no secret. */
export const app = oauth(client, {
  clientId: 'chat-page',
  redirectUri: `${location.origin}/`,
  scope: '* offline_access',
})

const longestWait = 20_000

/** Asks the chat's own routes; throws what the router's throw, as far as this page reads it. */
export async function call(method, path, body) {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const signal = AbortSignal.timeout(longestWait)
  const init = { method, headers, body: JSON.stringify(body), cache: 'no-store', signal }
  const response = await client.fetch(path, init).catch((error) => {
    if (!signal.aborted) throw error
    throw new Error('The server cannot be reached.')
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  const { error: code, message = 'Something went wrong.' } = answer
  const retryAfter = Number(response.headers.get('Retry-After')) || undefined
  throw Object.assign(new Error(message), { status: response.status, code, retryAfter })
}
