import type { CallWire } from './authorised.js'
import { AuthClientError } from './errors.js'
import { requiring } from './required.js'
import { meOf } from './sign-in.js'
import type { TokenKeeper } from './token-keeper.js'
import type {
  AcceptanceDocument,
  Consent,
  DeviceCode,
  MadeNamedToken,
  Me,
  NamedToken,
  NewNamedToken,
  Proof,
  Reauthenticated,
  RememberedBrowser,
  SessionSummary,
  SocketTicket,
  TotpEnrolment,
  TotpStatus,
} from './wire.js'

/** The devices on which the user is signed in. */
export interface SessionMethods {
  list(): Promise<readonly SessionSummary[]>
  /** Ends one of them. Throws `not-found` if the user has no such session. */
  end(id: string): Promise<void>
  /** Ends all sessions but this one; resolves with their number. */
  endOthers(): Promise<number>
}

/** Named tokens, for bots and scripts. Only if the server offers them. */
export interface NamedTokenMethods {
  list(): Promise<readonly NamedToken[]>
  /** Throws `reauthentication-required`: ask for the password, and call again with it. */
  create(asked: NewNamedToken): Promise<MadeNamedToken>
  end(id: string): Promise<void>
  /** Resolves with the number of ended tokens. */
  endAll(): Promise<number>
}

/** The second factor of the user. */
export interface TotpMethods {
  status(): Promise<TotpStatus>
  /** Starts an enrolment. The factor is active only after `confirm`. */
  begin(password: string): Promise<TotpEnrolment>
  /**
   * Activates the factor and ends the other sessions. Resolves with the recovery codes, which the
   * server never shows again.
   */
  confirm(code: string): Promise<readonly string[]>
  disable(password: string, code: string): Promise<void>
  /** Resolves with ten new codes; the old codes stop working. */
  newRecoveryCodes(password: string, code: string): Promise<readonly string[]>
}

/** The apps that the user has authorised. Only if the server has the option `oauth`. */
export interface ConsentMethods {
  list(): Promise<readonly Consent[]>
  /** Also ends the app's sessions; resolves with their number. */
  revoke(clientId: string): Promise<number>
}

/** Browsers in which the user is not asked for the second factor. */
export interface RememberedMethods {
  list(): Promise<readonly RememberedBrowser[]>
  /** The next sign-in there needs the second factor again. No session ends. */
  forget(id: string): Promise<void>
}

/** Documents that users accept. Only if the server has the option `acceptance`. */
export interface AcceptanceMethods {
  /** Those that the user has not accepted yet. */
  list(): Promise<readonly AcceptanceDocument[]>
  /**
   * Accepts them in the versions that the user has seen; resolves with those that are still due.
   * Throws `superseded` for another version: show the list again.
   */
  accept(
    documents: readonly Pick<AcceptanceDocument, 'id' | 'version'>[],
  ): Promise<readonly AcceptanceDocument[]>
}

/** Account management of the signed-in user. Every method throws AuthClientError. */
export interface AccountMethods {
  /** Requests the user from the server and stores the answer. */
  me(): Promise<Me>
  readonly sessions: SessionMethods
  readonly tokens: NamedTokenMethods
  readonly totp: TotpMethods
  readonly consents: ConsentMethods
  /** Only if the server has the option `secondFactor.remember`. */
  readonly rememberedBrowsers: RememberedMethods
  readonly acceptance: AcceptanceMethods
  /**
   * Reauthenticates after `reauthentication-required`. The session then counts as a fresh sign-in.
   * Only if the server has the option `passkeys`.
   */
  reauthenticate(proof: Proof): Promise<Reauthenticated>
  /**
   * A code for another device of this user, bound to its challenge (43 characters, RFC 7636 §4.2).
   * Throws `reauthentication-required` if the sign-in is older than the server allows: sign in
   * again.
   */
  authorizationCode(codeChallenge: string): Promise<DeviceCode>
  socketTicket(): Promise<SocketTicket>
  /**
   * Signs this browser in at the server's own pages, with a cookie, so that apps find the user.
   * Throws `reauthentication-required` if the sign-in is older than the server allows; the pages
   * then ask for the password themselves.
   */
  openBrowserSession(): Promise<void>
}

export function createAccount(
  call: CallWire,
  keeper: Pick<TokenKeeper, 'read' | 'change'>,
): AccountMethods {
  const ask = dataOf(call)
  return {
    async me() {
      const session = await keeper.read()
      const me = meOf(await call({ method: 'GET', path: '/me' }))
      // Not awaited: another tab may hold the lock for a refresh.
      if (session !== null && !(isSame(me, session.me) && session.required.length === 0))
        keeper.change(session, { me, ...requiring([]) }).catch(() => {})
      return me
    },
    sessions: sessionMethods(ask),
    tokens: namedTokenMethods(ask),
    totp: totpMethods(ask),
    consents: consentMethods(ask),
    rememberedBrowsers: rememberedMethods(ask),
    acceptance: acceptanceMethods(ask),
    reauthenticate: (proof) => ask('POST', '/auth/reauthenticate', proof),
    authorizationCode: (codeChallenge) =>
      ask('POST', '/auth/pkce/authorize', { codeChallenge, codeChallengeMethod: 'S256' }),
    socketTicket: () => ask('POST', '/auth/socket-ticket'),
    async openBrowserSession() {
      const path = '/auth/browser-session'
      await call({ method: 'POST', path, body: {}, credentials: 'same-origin' })
    },
  }
}

const isSame = (one: Me, other: Me) => JSON.stringify(one) === JSON.stringify(other)

/** Sends a request; resolves with `data` of the answer. */
export type Ask = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<T>

export function dataOf(call: CallWire): Ask {
  return async <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => {
    const sent = body === undefined ? {} : { body }
    const answer = (await call({ method, path, ...sent })) as { readonly data: T }
    return answer.data
  }
}

/**
 * An id as a path segment. An empty segment, or one of dots, would address the whole collection.
 */
export function segment(id: string): string {
  if (id !== '' && id !== '.' && id !== '..') return encodeURIComponent(id)
  throw new AuthClientError('invalid-request', { status: 0, message: 'This is no id.' })
}

interface Revoked {
  readonly revoked: number
}

function endOne(ask: Ask, path: string): (id: string) => Promise<void> {
  return async (id) => void (await ask('DELETE', `${path}/${segment(id)}`))
}

function sessionMethods(ask: Ask): SessionMethods {
  const path = '/auth/sessions'
  return {
    list: async () => (await ask<{ sessions: SessionSummary[] }>('GET', path)).sessions,
    end: endOne(ask, path),
    endOthers: async () => (await ask<Revoked>('DELETE', path)).revoked,
  }
}

function namedTokenMethods(ask: Ask): NamedTokenMethods {
  const path = '/auth/access-tokens'
  return {
    list: async () => (await ask<{ accessTokens: NamedToken[] }>('GET', path)).accessTokens,
    create: (asked) => ask('POST', path, asked),
    end: endOne(ask, path),
    endAll: async () => (await ask<Revoked>('DELETE', path)).revoked,
  }
}

function totpMethods(ask: Ask): TotpMethods {
  const path = '/auth/totp'
  const codes = async (name: string, body: object) =>
    (await ask<{ recoveryCodes: string[] }>('POST', `${path}/${name}`, body)).recoveryCodes
  return {
    status: () => ask('GET', path),
    begin: (password) => ask('POST', path, { password }),
    confirm: (code) => codes('confirm', { code }),
    disable: async (password, code) =>
      void (await ask('POST', `${path}/disable`, { password, code })),
    newRecoveryCodes: (password, code) => codes('recovery-codes', { password, code }),
  }
}

function rememberedMethods(ask: Ask): RememberedMethods {
  const path = '/auth/remembered-browsers'
  return {
    list: async () => (await ask<{ browsers: RememberedBrowser[] }>('GET', path)).browsers,
    forget: endOne(ask, path),
  }
}

function acceptanceMethods(ask: Ask): AcceptanceMethods {
  const due = async (method: 'GET' | 'POST', body?: object) =>
    (await ask<{ documents: AcceptanceDocument[] }>(method, '/auth/acceptance', body)).documents
  return {
    list: () => due('GET'),
    // Only these two: a body of all that the list says may be too long.
    accept: (given) =>
      due('POST', { documents: given.map(({ id, version }) => ({ id, version })) }),
  }
}

function consentMethods(ask: Ask): ConsentMethods {
  const path = '/auth/consents'
  return {
    list: async () => (await ask<{ consents: Consent[] }>('GET', path)).consents,
    revoke: async (clientId) =>
      (await ask<Revoked>('DELETE', `${path}/${segment(clientId)}`)).revoked,
  }
}
