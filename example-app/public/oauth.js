import { newVerifier, randomText } from './pkce.js'
import { askForTokens, patiently, Refusal } from './request.js'
import { keepSession } from './session.js'

/**
 * The sign-in by the pages of the server, as an app does it that has no secret: a code and its
 * verifier for tokens. Nothing but the code is ever in an address.
 */

const client_id = 'chat-page'
/** What is known of a sign-in that has set out, in this tab alone. */
const place = 'chat.setting-out'

/** Sends this tab to the pages. It comes back to `/`, with an answer in the query. */
export async function setOut() {
  const { issuer, authorization_endpoint } = await readMetadata()
  const { origin } = new URL(issuer)
  // `localhost` and `127.0.0.1` are two: what this page keeps is not there where it comes back to.
  if (origin !== location.origin) return location.assign(`${origin}/?sign-in${location.hash}`)
  const { codeVerifier, codeChallenge } = await newVerifier()
  const state = randomText()
  const setOff = { issuer, state, codeVerifier, hash: location.hash }
  sessionStorage.setItem(place, JSON.stringify(setOff))
  const asked = new URLSearchParams({
    client_id,
    redirect_uri: `${origin}/`,
    response_type: 'code',
    scope: '* offline_access',
    state,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  })
  location.assign(`${authorization_endpoint}?${asked}`)
}

/** Why this page was opened, as its address says; null for nothing of the kind. */
export function whyOpened() {
  const query = new URLSearchParams(location.search)
  if (query.has('state')) return 'answer'
  return query.has('sign-in') ? 'sign-in' : null
}

/** Takes the answer of the pages: opens the session, or throws a refusal for people. */
export async function comeBack(onBusy) {
  const answer = new URLSearchParams(location.search)
  const setOff = JSON.parse(sessionStorage.getItem(place))
  sessionStorage.removeItem(place)
  // At once: a code is good once, and no reload should show it again.
  history.replaceState(null, '', `/${setOff?.hash ?? ''}`)
  // Somebody else's answer, or another server's (RFC 9207 §2.4), must not sign anybody in.
  if (
    setOff === null ||
    answer.get('state') !== setOff.state ||
    answer.get('iss') !== setOff.issuer
  )
    throw refusal('That sign-in was not begun in this tab. Please sign in again.')
  if (answer.get('error') === 'access_denied') throw refusal('You have not signed in.')
  if (answer.has('error')) throw refusal(answer.get('error_description') ?? answer.get('error'))
  const proof = {
    grant_type: 'authorization_code',
    client_id,
    code: answer.get('code'),
    redirect_uri: `${location.origin}/`,
    code_verifier: setOff.codeVerifier,
  }
  const tokens = await patiently(() => askForTokens(proof), onBusy)
  await keepSession(tokens, client_id, onBusy)
}

// RFC 8414 §3: where everything is.
async function readMetadata() {
  const response = await fetch('/.well-known/oauth-authorization-server').catch(() => null)
  if (response?.ok) return response.json()
  throw new Refusal(response?.status ?? 0, { message: 'The server cannot be reached.' })
}

function refusal(message) {
  return new Refusal(400, { message })
}
