import { AuthClientError, isRefusal } from './errors.js'
import type { Patience } from './patience.js'
import { requirePair } from './refresh-alone.js'
import { isSameSignIn, ofLogin, type StoredSession, withTokens } from './stored-session.js'
import type { TokenKeeper } from './token-keeper.js'
import { isTokenRefusal, type Transport } from './transport.js'
import type { LoginAnswer, Me, PasskeyRequestOptions } from './wire.js'

/** A name and a password; with a code where the user has typed one already. */
export type Credentials = (
  | { readonly user: string }
  | { readonly email: string }
  | { readonly username: string }
) & { readonly password: string; readonly code?: string }

/**
 * How a sign-in went on.
 * - `signed-in`: the tokens are kept.
 * - `enrolment-needed`: the same, and nothing is open but `client.totp.begin()` and `.confirm()`.
 * - `code-needed`: the password was right. Ask for the code and hand it to `submit`; `wrong` says
 *   that one was sent already. `isSent`: the server has sent a code by `method`.
 */
export type SignInResult = SignedInResult | CodeNeeded

/** Somebody is signed in. */
export interface SignedInResult {
  readonly status: 'signed-in' | 'enrolment-needed'
  readonly me: Me
}

/** The password was right, and a second factor is asked for. */
export interface CodeNeeded {
  readonly status: 'code-needed'
  /** `totp`, `recovery`, `passkey`, and what the host has besides. */
  readonly methods: readonly string[]
  readonly method: string
  readonly isSent: boolean
  readonly wrong: boolean
  /** There where the user has a passkey: `messaging-auth-router/client/passkeys` shows it. */
  readonly passkeyOptions?: PasskeyRequestOptions
  /** Takes the code, or what the browser has answered to `passkeyOptions`, as JSON. */
  readonly submit: (proof: string | PasskeyProof) => Promise<SignInResult>
}

/** A passkey in the place of a code. */
export interface PasskeyProof {
  readonly passkey: object
}

/** The ways in and out. */
export interface SignIn {
  signIn(credentials: Credentials): Promise<SignInResult>
  /** By an endpoint that answers as `POST /login` does. */
  signInBy(
    path: string,
    body: object,
    onLogin?: (answer: LoginAnswer) => void,
  ): Promise<SignInResult>
  /** By an authorization code, RFC 7636. */
  exchange(proof: CodeProof): Promise<Me>
  signOut(options?: SignOutOptions): Promise<void>
}

/** An authorization code, and the verifier that it was asked for with, RFC 7636 §4. */
export interface CodeProof {
  readonly authorizationCode: string
  readonly codeVerifier: string
}

/** How to sign out. */
export interface SignOutOptions {
  /**
   * Forget the tokens also where the server cannot be told. The session then goes on there until
   * nobody has used it for a while: whoever holds a copy of the tokens stays in. Default false.
   */
  readonly evenIfUnreachable?: boolean
}

/** What {@link createSignIn} needs. */
export interface SignInDeps {
  readonly keeper: Pick<TokenKeeper, 'read' | 'fresh' | 'keep' | 'endWith'>
  readonly transport: Transport
  readonly patiently: Patience['patiently']
  readonly clock: () => Date
}

/** Makes it. */
export function createSignIn(deps: SignInDeps): SignIn {
  const { keeper, transport, patiently } = deps

  async function signInBy(
    path: string,
    given: object,
    onLogin?: (answer: LoginAnswer) => void,
  ): Promise<SignInResult> {
    try {
      // `refreshable`: a token that leaks is worth minutes.
      const body = { ...given, tokens: 'refreshable' }
      const request = { method: 'POST', path, body } as const
      const login = requireLogin(await patiently(() => transport.ask(request)))
      const session = ofLogin(login, deps.clock().getTime())
      const endFormer = await keepInPlace(deps, session)
      onLogin?.(login)
      await endFormer()
      const status = session.enrolmentRequired ? 'enrolment-needed' : 'signed-in'
      return { status, me: session.me }
    } catch (error) {
      if (!isRefusal(error, 'totp-required', 'totp-invalid')) throw error
      return codeNeeded(error as AuthClientError, (proof) => {
        const shown = typeof proof === 'string' ? { code: proof } : proof
        return signInBy(path, { ...given, ...shown }, onLogin)
      })
    }
  }

  async function exchange(proof: CodeProof): Promise<Me> {
    const { authorizationCode, codeVerifier } = proof
    const body = { authorizationCode, codeVerifier }
    const request = { method: 'POST', path: '/auth/pkce/token', body } as const
    const pair = requirePair(await patiently(() => transport.ask(request)))
    const token = pair.access_token
    const me = await meBy(deps, token)
    const now = deps.clock().getTime()
    const login = { userId: me._id, me, authToken: token }
    const session = withTokens(ofLogin(login, now), pair, now)
    await (await keepInPlace(deps, session))()
    return me
  }

  const logOut = (session: StoredSession) => endSession(transport, session)

  async function leave(session: StoredSession): Promise<void> {
    await keeper.endWith(session, logOut).catch(async (error: unknown) => {
      if (!isTokenRefusal(error)) throw error
      // The token was over, or the session is: a newer one tells, and says goodbye.
      const newer = await keeper.fresh(session.accessToken)
      // Somebody else may have signed in meanwhile.
      if (isSameSignIn(newer, session)) await keeper.endWith(newer, logOut)
    })
  }

  async function signOut({ evenIfUnreachable = false }: SignOutOptions = {}): Promise<void> {
    const known = await keeper.read()
    if (known === null) return
    try {
      await patiently(async () => {
        const session = await keeper.fresh()
        // While the server was busy, somebody else may have signed in: that is not ended.
        if (session.userId === known.userId) await leave(session)
      })
    } catch (error) {
      // The server has ended it already.
      if (isRefusal(error, 'Unauthorized')) return
      // Nor has an app that is not registered any more a session there.
      if (!evenIfUnreachable && !isRefusal(error, 'invalid_client')) throw error
      await keeper.endWith(known, async () => {})
    }
  }

  const signIn = (credentials: Credentials) => signInBy('/login', credentials)
  return { signIn, signInBy, exchange, signOut }
}

/**
 * Keeps a sign-in, and answers what ends the one whose place it has taken: nobody holds the tokens
 * of that any more, nor of one that cannot be kept. In vain at worst: it then ends by itself when
 * it has not been used for a while. Throws `storage-failed`.
 */
export async function keepInPlace(
  { keeper, transport }: Pick<SignInDeps, 'keeper' | 'transport'>,
  session: StoredSession,
): Promise<() => Promise<unknown>> {
  const end = (one: StoredSession) => endSession(transport, one).catch(() => {})
  const former = await keeper.keep(session).catch(async (error: unknown) => {
    await end(session)
    throw error
  })
  return async () => former && end(former)
}

// Whose token it is. Where that is not answered nobody holds it, so its session is ended.
async function meBy(
  { transport, patiently }: Pick<SignInDeps, 'transport' | 'patiently'>,
  token: string,
): Promise<Me> {
  try {
    return meOf(await patiently(() => transport.ask({ method: 'GET', path: '/me', token })))
  } catch (error) {
    await transport.ask({ method: 'POST', path: '/logout', token }).catch(() => {})
    throw error
  }
}

// What an app may do may not reach as far as /logout: it revokes, RFC 7009.
function endSession({ ask }: Transport, session: StoredSession): Promise<unknown> {
  const { accessToken: token, refreshToken, clientId: client_id } = session
  if (client_id === undefined) return ask({ method: 'POST', path: '/logout', token })
  const body = { token: refreshToken ?? token, client_id }
  return ask({ method: 'POST', path: '/oauth/revoke', body })
}

function codeNeeded(
  { code: name, details }: AuthClientError,
  submit: CodeNeeded['submit'],
): CodeNeeded {
  const { availableMethods, method, codeGenerated, passkeyOptions } = details
  return {
    status: 'code-needed',
    methods: Array.isArray(availableMethods) ? availableMethods.map(String) : [],
    method: typeof method === 'string' ? method : 'totp',
    isSent: codeGenerated === true,
    wrong: name === 'totp-invalid',
    ...(passkeyOptions ? { passkeyOptions: passkeyOptions as PasskeyRequestOptions } : {}),
    submit,
  }
}

function requireLogin(answer: unknown): LoginAnswer {
  const { data } = answer as { readonly data?: Partial<LoginAnswer> }
  const { userId, authToken, me } = data ?? {}
  if (typeof userId === 'string' && typeof authToken === 'string' && typeof me === 'object')
    return data as LoginAnswer
  throw new AuthClientError('unknown', {
    status: 200,
    message: 'The server did not answer a login.',
  })
}

/** `GET /me` has the members beside a word of its own. */
export function meOf(answer: unknown): Me {
  const { success: _success, ...me } = answer as Me & { readonly success: true }
  return me as Me
}
