// Nothing is counted that is not the right answer: the first wrong one ends the run.

/**
 * Throws unless the answer is the one that was expected; answers the tokens in it, where it is one
 * with tokens.
 */
export function requireAnswer(answer, expected, what) {
  if (answer.status === expected.status && fits(answer, expected)) return
  const shown = `${answer.status} ${answer.body.slice(0, 300)}`
  throw new Error(
    `${what} was answered wrongly, so nothing here can be compared: ${shown}; expected ` +
      `${JSON.stringify(expected)}`,
  )
}

function fits({ head, body }, { exact, holds, location, tokens, idToken = false }) {
  if (exact !== undefined) return body === exact
  if (holds !== undefined) return body.includes(holds)
  if (location !== undefined) return locationIn(head)?.startsWith(location) === true
  return tokens === true && areTokens(body) && (id.test(body) || !idToken)
}

function locationIn(head) {
  return /\r\nlocation: *([^\r]+)/i.exec(head)?.[1]
}

const access = /"access_token":"(eyJ[\w-]+)\.[\w-]+\.[\w-]{86}"/
const id = /"id_token":"eyJ[\w-]+\.[\w-]+\.[\w-]{86}"/

// RFC 6749 §5.1, and the access token is a JWT with an ES256 signature: that is most of the work,
// and nobody may leave it out.
function areTokens(body) {
  const header = access.exec(body)?.[1]
  if (
    header === undefined ||
    refreshTokenIn(body) === undefined ||
    !/"token_type":"Bearer"/i.test(body)
  )
    return false
  return JSON.parse(Buffer.from(header, 'base64url').toString()).alg === 'ES256'
}

/** The refresh token of an answer. */
function refreshTokenIn(body) {
  return /"refresh_token":"([^"]+)"/.exec(body)?.[1]
}
