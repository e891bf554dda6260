import { type AuthClientError, isRefusal, noAnswer } from './errors.js'
import type { KeptSession } from './kept-session.js'
import { actionsIn, requiring } from './required.js'
import { isSameSignIn, ofLogin, type StoredSession, withTokens } from './stored-session.js'
import { requirePair, type TokenKeeper } from './token-keeper.js'
import { isObject, isText, isTokenRefusal, type Retry, type Transport } from './transport.js'
import type { LoginAnswer, Me, PasskeyRequestOptions, RequiredAction } from './wire.js'

/**
 * A name and a password, and a code if the user has typed one already. `remember`: see
 * {@link CodeNeeded.submit}.
 */
export type Credentials = (
  | { readonly user: string }
  | { readonly email: string }
  | { readonly username: string }
) & { readonly password: string; readonly code?: string } & RememberWish

/** What the user wants of this browser. */
export interface RememberWish {
  /**
   * Whether the server is not to ask for the second factor here for some days, if it has the option
   * `secondFactor.remember`. The token for it is stored beside the sign-in and stays when the user
   * signs out. `false` also asks for the second factor here, this once: after
   * `reauthentication-required`. Left out: neither.
   */
  readonly remember?: boolean
}

/**
 * The result of a sign-in.
 * - `signed-in`: the tokens are stored.
 * - `enrolment-needed`: the tokens are stored, but the server allows only `client.totp.begin()` and
 *   `.confirm()`.
 * - `action-required`: the tokens are stored, but the server allows only what does the first of
 *   `required`, then the next.
 * - `code-needed`: the password was right. Ask for the code and pass it to `submit`. `wrong`: the
 *   last code was wrong. `isSent`: the server has sent a code by `method`.
 */
export type SignInResult = SignedInResult | CodeNeeded

/** The user is signed in. */
export interface SignedInResult {
  readonly status: 'signed-in' | 'enrolment-needed' | 'action-required'
  readonly me: Me
  /** What the user must do first, in this order. Empty if `signed-in`. */
  readonly required: readonly RequiredAction[]
}

/** The password was right; the server asks for a second factor. */
export interface CodeNeeded {
  readonly status: 'code-needed'
  /** `totp`, `recovery`, `passkey`, and factors of the host. */
  readonly methods: readonly string[]
  readonly method: string
  readonly isSent: boolean
  readonly wrong: boolean
  /** If the user has a passkey: `messaging-auth-router/client/passkeys` asks the browser for it. */
  readonly passkeyOptions?: PasskeyRequestOptions
  /**
   * Takes the code, or the browser's response to `passkeyOptions` as JSON; and whether this browser
   * is to be remembered.
   */
  readonly submit: (proof: string | PasskeyProof, wish?: RememberWish) => Promise<SignInResult>
}

/** A passkey instead of a code. */
export interface PasskeyProof {
  readonly passkey: object
}

/** Signing in and out. */
export interface SignIn {
  signIn(credentials: Credentials): Promise<SignInResult>
  /** At an endpoint with the answers of `POST /login`. */
  signInBy(
    path: string,
    body: object,
    onLogin?: (answer: LoginAnswer) => void,
    codeField?: string,
  ): Promise<SignInResult>
  /** With an authorization code, RFC 7636. */
  exchange(proof: CodeProof): Promise<Me>
  signOut(options?: SignOutOptions): Promise<void>
}

/** An authorization code and its verifier, RFC 7636 §4. */
export interface CodeProof {
  readonly authorizationCode: string
  readonly codeVerifier: string
}

export interface SignInDeps extends SignOutDeps {
  readonly keeper: SignOutDeps['keeper'] & Pick<TokenKeeper, 'keep'>
  readonly kept: Pick<KeptSession, 'rememberToken'>
  readonly clock: () => Date
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { transport, withRetry } = deps

  async function signInBy(
    path: string,
    given: object & RememberWish,
    onLogin?: (answer: LoginAnswer) => void,
    codeField = 'code',
  ): Promise<SignInResult> {
    try {
      // `refreshable` tokens live for minutes, which limits the damage of a leak.
      // JSON leaves it out if there is none.
      const rememberToken = given.remember === false ? undefined : await deps.kept.rememberToken()
      const body = { ...given, rememberToken, tokens: 'refreshable' }
      const request = { method: 'POST', path, body } as const
      const login = requireLogin(await withRetry(() => transport.ask(request)))
      // A server of before names the enrolment alone.
      const required = actionsIn(login.required ?? (login.enrolmentRequired && ['enrol']))
      const session = { ...ofLogin(login, deps.clock().getTime()), ...requiring(required) }
      const endFormer = await keepInPlace(deps, session, login.rememberToken)
      onLogin?.(login)
      await endFormer()
      return { status: statusOf(required), me: session.me, required }
    } catch (error) {
      if (!isRefusal(error, 'totp-required', 'totp-invalid')) throw error
      return codeNeeded(error as AuthClientError, (proof, wish) => {
        const shown = typeof proof === 'string' ? { [codeField]: proof } : proof
        return signInBy(path, { ...given, ...shown, ...wish }, onLogin, codeField)
      })
    }
  }

  async function exchange(proof: CodeProof): Promise<Me> {
    const { authorizationCode, codeVerifier } = proof
    const body = { authorizationCode, codeVerifier }
    const request = { method: 'POST', path: '/auth/pkce/token', body } as const
    const pair = requirePair(await withRetry(() => transport.ask(request)))
    const token = pair.access_token
    const me = await meBy(deps, token)
    const now = deps.clock().getTime()
    const login = { userId: me._id, me, authToken: token }
    const session = withTokens(ofLogin(login, now), pair, now)
    await (await keepInPlace(deps, session))()
    return me
  }

  const signIn = (credentials: Credentials) => signInBy('/login', credentials)
  return { signIn, signInBy, exchange, signOut: createSignOut(deps) }
}

function statusOf([next]: readonly RequiredAction[]): SignedInResult['status'] {
  if (next === undefined) return 'signed-in'
  return next === 'enrol' ? 'enrolment-needed' : 'action-required'
}

/**
 * Stores a sign-in. Resolves with a function that ends the session it replaced, since nobody holds
 * the tokens of that any more. If the store fails, ends the new session for the same reason and
 * throws `storage-failed`. A session that cannot be ended expires unused.
 */
export async function keepInPlace(
  { keeper, transport }: Pick<SignInDeps, 'keeper' | 'transport'>,
  session: StoredSession,
  rememberToken?: string,
): Promise<() => Promise<unknown>> {
  const end = (one: StoredSession) => endSession(transport, one).catch(() => {})
  const former = await keeper.keep(session, rememberToken).catch(async (error: unknown) => {
    await end(session)
    throw error
  })
  return async () => former && end(former)
}

// The user of the token. After a failure nobody holds the token, so its session is ended.
async function meBy(
  { transport, withRetry }: Pick<SignInDeps, 'transport' | 'withRetry'>,
  token: string,
): Promise<Me> {
  try {
    return meOf(await withRetry(() => transport.ask({ method: 'GET', path: '/me', token })))
  } catch (error) {
    await transport.ask({ method: 'POST', path: '/logout', token }).catch(() => {})
    throw error
  }
}

function codeNeeded(
  { code: name, details }: AuthClientError,
  submit: CodeNeeded['submit'],
): CodeNeeded {
  const { availableMethods, method, codeGenerated, passkeyOptions } = details
  return {
    status: 'code-needed',
    methods: Array.isArray(availableMethods) ? availableMethods.filter(isText) : [],
    method: typeof method === 'string' ? method : 'totp',
    isSent: codeGenerated === true,
    wrong: name === 'totp-invalid',
    ...(passkeyOptions ? { passkeyOptions: passkeyOptions as PasskeyRequestOptions } : {}),
    submit,
  }
}

// An answer in another form must not be stored as a sign-in.
function requireLogin(answer: unknown): LoginAnswer {
  const { data } = answer as { readonly data?: Partial<LoginAnswer> }
  const { userId, authToken, me, refreshToken = '', expiresIn = 0 } = data ?? {}
  const isLogin = [userId, authToken, refreshToken].every(isText) && Number.isFinite(expiresIn)
  if (isLogin && isObject(me)) return data as LoginAnswer
  throw noAnswer()
}

/** The user in an answer of `GET /me`, without the member `success`. */
export function meOf(answer: unknown): Me {
  const { success: _success, ...me } = answer as Me & { readonly success: true }
  if (isText(me._id)) return me as Me
  throw noAnswer()
}

/** How to sign out. */
interface SignOutOptions {
  /**
   * Delete the tokens even if the server cannot be reached. The session then lives until it expires
   * unused, and copies of the tokens still work. Default false.
   */
  readonly evenIfUnreachable?: boolean
  /**
   * Also end this browser's sign-in at the server's own pages, so that the next sign-in there asks
   * for the password. For pages of the server's origin; others link to `/oauth/sign-out`. Only if
   * the server has the option `oauth`. Default false.
   */
  readonly browser?: boolean
}

interface SignOutDeps {
  readonly keeper: Pick<TokenKeeper, 'read' | 'fresh' | 'endWith'>
  readonly transport: Transport
  readonly withRetry: Retry['withRetry']
}

function createSignOut(deps: SignOutDeps): (options?: SignOutOptions) => Promise<void> {
  const { keeper } = deps
  return async function signOut(options) {
    const isForced = options?.evenIfUnreachable === true
    const known = await keeper.read()
    // This comes first: if it fails, the user is still signed in here and can try again.
    if (options?.browser === true)
      await endBrowser(deps).catch((error: unknown) => {
        if (!isForced) throw error
      })
    if (known === null) return
    await endOwn(deps, known).catch((error: unknown) => {
      // The session has ended already.
      if (isRefusal(error, 'Unauthorized')) return
      // An app that is not registered any more has no session either.
      if (!isForced && !isRefusal(error, 'invalid_client')) throw error
      return keeper.endWith(known, async () => {})
    })
  }
}

// `same-origin`, so that the browser sends its cookie.
function endBrowser({
  transport,
  withRetry,
}: Pick<SignOutDeps, 'transport' | 'withRetry'>): Promise<unknown> {
  const path = '/auth/browser-session'
  const request = { method: 'DELETE', path, credentials: 'same-origin' } as const
  return withRetry(() => transport.ask(request))
}

function endOwn(
  { keeper, transport, withRetry }: SignOutDeps,
  known: StoredSession,
): Promise<void> {
  return withRetry(async () => {
    const session = await keeper.fresh()
    // While the server was busy, another user may have signed in; that session stays.
    if (session.userId === known.userId) await leave({ keeper, transport }, session)
  })
}

async function leave(
  { keeper, transport }: Pick<SignOutDeps, 'keeper' | 'transport'>,
  session: StoredSession,
): Promise<void> {
  const logOut = (one: StoredSession) => endSession(transport, one)
  await keeper.endWith(session, logOut).catch(async (error: unknown) => {
    if (!isTokenRefusal(error)) throw error
    // The token has expired, or the session has ended: a newer token tells which.
    const newer = await keeper.fresh(session.accessToken)
    // Another user may have signed in meanwhile.
    if (isSameSignIn(newer, session)) await keeper.endWith(newer, logOut)
  })
}

/**
 * Ends a session at the server. A token of an app may lack the scope for `/logout`, so apps revoke
 * it, RFC 7009.
 */
function endSession({ ask }: Transport, session: StoredSession): Promise<unknown> {
  const { accessToken: token, refreshToken, clientId: client_id } = session
  if (client_id === undefined) return ask({ method: 'POST', path: '/logout', token })
  const body = { token: refreshToken ?? token, client_id }
  return ask({ method: 'POST', path: '/oauth/revoke', body })
}
