import { noAnswer } from '../errors.js'
import { type Begun, type BegunStore, keepBegun, takeBegun } from '../oauth/begun.js'
import { OAuthError, toldError } from '../oauth/oauth-error.js'
import { challengeOf, newSecret } from '../oauth/pkce.js'
import { queryOf } from '../oauth/query.js'

/** Options of a start. */
export interface ProviderStart {
  /** Where the browser comes back to: exactly one of the server's option `providers.returnTo`. */
  readonly returnTo: string
  /** A text that `finish` returns, such as the user's last page. It does not leave this browser. */
  readonly carry?: string
  /**
   * Seconds within which the user must have signed in at the provider; 0: signs in there now. After
   * `reauthentication-required`. A provider that cannot say it refuses. Default: whenever.
   */
  readonly maxAge?: number
}

/** The prefix of `state`, by which the page at `returnTo` knows what has come back. */
export type Purpose = 'provider.' | 'identity.'

/** What begins and reads answers of one purpose. */
export interface Flows {
  /** Resolves with the address for the browser; `ask` requests it from the server. */
  begin(start: ProviderStart, ask: (body: object) => Promise<unknown>): Promise<string>
  isAnswer(address: string): boolean
  /** Reads an answer, once. Throws OAuthError. */
  end(address: string): Promise<Ended>
}

/** An answer that was begun here. */
export interface Ended {
  readonly carry: string | null
  /** Exchanges it at the server. */
  readonly proof: { readonly ticket: string; readonly codeVerifier: string }
  /** Lets the same address be finished again. */
  putBack(): Promise<void>
}

export function createFlows(purpose: Purpose, issuer: string, store: BegunStore): Flows {
  function isAnswer(address: string): boolean {
    const query = queryOf(address)
    const isOurs = query.get('state')?.startsWith(purpose) ?? false
    return isOurs && (query.has('ticket') || query.has('error'))
  }

  return {
    isAnswer,

    async begin({ returnTo, carry, maxAge }, ask) {
      const [state, codeVerifier] = [`${purpose}${newSecret()}`, newSecret()]
      const codeChallenge = await challengeOf(codeVerifier)
      const url = addressIn(await ask({ returnTo, codeChallenge, state, maxAge }))
      const flow: Begun = {
        issuer,
        codeVerifier,
        nonce: null,
        maxAge: null,
        returnTo: carry ?? null,
      }
      await keepBegun(store, state, flow)
      return url
    },

    async end(address) {
      const answer = queryOf(address)
      const state = answer.get('state') ?? ''
      const begun = isAnswer(address) ? await takeBegun(store, state) : null
      // An answer begun elsewhere could sign this browser in as an attacker (login CSRF).
      if (begun === null)
        throw new OAuthError('not-begun', 'This sign-in was not begun here, or is finished.')
      // RFC 9207: the ticket of another server must not be sent to this one.
      if (answer.get('iss') !== begun.issuer)
        throw new OAuthError('wrong-issuer', 'Another server has answered.')
      const error = answer.get('error')
      if (error !== undefined) throw errorOf(error)
      const { codeVerifier, returnTo: carry } = begun
      const proof = { ticket: answer.get('ticket') ?? '', codeVerifier }
      return { carry, proof, putBack: () => keepBegun(store, state, begun) }
    },
  }
}

function errorOf(error: string): OAuthError {
  if (error !== 'provider_refused') return toldError(error, undefined)
  return new OAuthError(error, 'This account was refused.')
}

function addressIn(answer: unknown): string {
  const { url } = Object(answer) as { readonly url?: unknown }
  if (typeof url === 'string' && /^https?:\/\//.test(url)) return url
  throw noAnswer()
}
