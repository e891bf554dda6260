import { newVerifier } from './pkce.js'
import { askForTokens, patiently, Refusal, request } from './request.js'

/**
 * The sign-in of this browser, which all its tabs share: an access token for some minutes, and the
 * refresh token that gets the next.
 *
 * It is kept in localStorage, so that a reload and a second tab are signed in as well. The price,
 * which is yours to weigh: a script that somebody smuggled into this origin could read it there.
 * The page's Content-Security-Policy lets no script run but its own. A server of yours that shows
 * what others wrote as HTML, or loads scripts from elsewhere, keeps tokens in memory instead, and
 * signs in again.
 */
const place = 'chat.session'
/** The `id` of the sign-in that a tab logs out. It stays: other tabs may hear of the end first. */
const placeOfLeaving = 'chat.leaving'
/**
 * A token that ends sooner than this is replaced before it is used, in milliseconds. More than
 * hidden tabs sleep between two looks.
 */
const margin = 120_000

/**
 * A login that may only enrol in a second factor, and gets no refresh token before it has: in
 * memory, until then.
 */
let held = null

// Read anew each time: another tab may have changed it.
function stored() {
  return JSON.parse(localStorage.getItem(place))
}

function store(session) {
  localStorage.setItem(place, JSON.stringify(session))
}

/**
 * Who is signed in: `{ id, userId, me }`, where `id` tells one sign-in from the next; null for
 * nobody.
 */
export function whoIsHere() {
  return held ?? stored()
}

export function currentToken() {
  return held?.accessToken ?? stored()?.accessToken ?? null
}

/** Keeps a login for as long as this page lives. */
export function hold({ userId, me, authToken }) {
  held = { id: crypto.randomUUID(), userId, me, accessToken: authToken }
}

/**
 * Opens the session that lasts: asks for an authorization code, exchanges it for a pair of tokens
 * (PKCE), and lets the login itself go, whose token cannot be refreshed. `onBusy()` is called when
 * it takes longer.
 */
export async function openSession({ userId, me, authToken }, onBusy) {
  const { codeVerifier, codeChallenge } = await newVerifier()
  const asked = { codeChallenge }
  const { data } = await patiently(
    () => request('POST', '/auth/pkce/authorize', asked, authToken),
    onBusy,
  )
  const proof = { authorizationCode: data.authorizationCode, codeVerifier }
  const tokens = await patiently(() => request('POST', '/auth/pkce/token', proof), onBusy)
  const before = stored()
  store({ id: crypto.randomUUID(), userId, me, ...kept(tokens) })
  held = null
  // In vain at worst: it then ends by itself when nobody uses it.
  for (const token of [authToken, before?.accessToken])
    if (token !== undefined) await request('POST', '/logout', undefined, token).catch(() => {})
}

/**
 * Keeps a session that the pages of the server have opened. `clientId` is whom they opened it for:
 * its tokens are refreshed as those of an app.
 */
export async function keepSession(tokens, clientId, onBusy) {
  const me = await patiently(() => request('GET', '/me', undefined, tokens.access_token), onBusy)
  store({ id: crypto.randomUUID(), userId: me._id, me, clientId, ...kept(tokens) })
}

/** A token that is good for a while yet. `worn`: one that was refused, whatever its time says. */
export async function freshToken(worn = null) {
  if (held !== null) return held.accessToken
  const isFresh = (session) => session.accessToken !== worn && session.until - Date.now() > margin
  const before = stored()
  if (before !== null && isFresh(before)) return before.accessToken
  // One tab at a time. The others find the new pair when their turn comes.
  return navigator.locks.request(place, async () => {
    const session = stored()
    if (session === null) throw signedOut()
    if (isFresh(session)) return session.accessToken
    const { refreshToken } = session
    const tokens = await refresh(session).catch((error) => {
      if (error.code !== 'invalid_grant') throw error
      forgetSession(session.id)
      throw signedOut()
    })
    // Logged out in the meantime, which stays so.
    if (stored()?.refreshToken !== refreshToken) throw signedOut()
    // Stored before it is used. Should this page die between the two, the next one shows the old
    // refresh token once more, and is given the same pair again, since nobody has used it.
    store({ ...stored(), ...kept(tokens) })
    return tokens.access_token
  })
}

/**
 * Tells the other tabs that the user is about to log out, so that they know why their session ends.
 * Or that it came to nothing.
 */
export function setLeaving(isLeaving) {
  if (held !== null || stored() === null) return
  if (isLeaving) localStorage.setItem(placeOfLeaving, stored().id)
  else localStorage.removeItem(placeOfLeaving)
}

/** Whether this sign-in is one that a tab has logged out, or is about to. */
export function isLeavingElsewhere(id) {
  return localStorage.getItem(placeOfLeaving) === id
}

/** Forgets this sign-in, and none that has come after it. */
export function forgetSession(id) {
  if (held?.id === id) held = null
  if (stored()?.id === id) localStorage.removeItem(place)
}

/**
 * `onChange(now)` is called when another tab has changed the sign-in; null: there is none.
 */
export function watchOtherTabs(onChange) {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === place) onChange(JSON.parse(newValue))
  })
  // A login that is only held ends with the page.
  addEventListener('pagehide', () => {
    if (held === null) return
    const headers = { Authorization: `Bearer ${held.accessToken}` }
    fetch('/api/v1/logout', { method: 'POST', headers, keepalive: true }).catch(() => {})
  })
}

function refresh({ refreshToken, clientId }) {
  if (clientId === undefined) return request('POST', '/auth/refresh', { refreshToken })
  const asked = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }
  return askForTokens(asked)
}

function kept({ access_token: accessToken, refresh_token: refreshToken, expires_in: seconds }) {
  return { accessToken, refreshToken, until: Date.now() + seconds * 1000 }
}

function signedOut() {
  return new Refusal(401, { error: 'Unauthorized', message: 'You are not signed in any more.' })
}
