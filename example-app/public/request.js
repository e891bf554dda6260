/** Requests to the server, and what to do when it is busy. Knows nothing of who is signed in. */

/** An answer that is not a success. `status` is 0 when there was no answer. */
export class Refusal extends Error {
  constructor(
    status,
    { error = 'unknown', message = 'Something went wrong.', details = {} },
    retryAfter = null,
  ) {
    super(message)
    this.status = status
    this.code = error
    this.details = details
    this.retryAfter = retryAfter
  }
}

const longestWait = 20_000

export async function request(method, path, body, token = null) {
  const headers = {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  }
  const signal = AbortSignal.timeout(longestWait)
  const init = { method, headers, body: JSON.stringify(body), cache: 'no-store', signal }
  const response = await fetch(`/api/v1${path}`, init).catch(unreachable)
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  throw new Refusal(response.status, answer, retryAfterOf(response))
}

function unreachable() {
  throw new Refusal(0, { error: 'unreachable', message: 'The server cannot be reached.' })
}

function retryAfterOf({ headers }) {
  return Number(headers.get('Retry-After')) || null
}

/** Asks the token endpoint, which takes forms (RFC 6749 §4.1.3), and has words of its own. */
export async function askForTokens(fields) {
  const signal = AbortSignal.timeout(longestWait)
  const init = { method: 'POST', body: new URLSearchParams(fields), cache: 'no-store', signal }
  const response = await fetch('/api/v1/oauth/token', init).catch(unreachable)
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  const { error, error_description: message } = answer
  throw new Refusal(response.status, { error, message }, retryAfterOf(response))
}

const patience = 60_000

/**
 * Does it again for as long as the server is busy (503), as often as it asks for and up to a second
 * later: clients that were sent away together must not come back together. Gives up after a minute.
 */
export async function patiently(work, onBusy) {
  const until = Date.now() + patience
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (error.status !== 503 || Date.now() > until) throw error
      onBusy()
      const pause = (error.retryAfter ?? 2) + Math.random()
      await new Promise((resolve) => setTimeout(resolve, pause * 1000))
    }
  }
}
