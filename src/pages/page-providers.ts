import type { RequestContext } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import type { KeptCookie } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { LoggedIn } from '../login/log-in.js'
import { addressAt } from '../oauth/base-url.js'
import type { AskedLifetime } from '../sessions/session-times.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AssertionResponse } from '../two-factor/passkey-response.js'
import { logoFile, type ServedFile } from './assets.endpoint.js'
import { type PageRequest, pageQuery } from './page-request.js'
import { assetAddress, type PageSite } from './page-site.js'
import type { ProviderButton } from './view-parts.js'

/** A provider, for its button. */
export interface ProviderOnPages {
  readonly id: string
  readonly name: string
  readonly logo: { readonly type: string; readonly body: string | Uint8Array } | undefined
}

/** A session that an account elsewhere is connected from. */
export interface ConnectingSession {
  readonly userId: string
  readonly sessionId: string
}

/** A connected account. */
export interface ConnectedAccount {
  readonly id: string
  /** The id of the provider. */
  readonly provider: string
  readonly label: string | null
  readonly lastUsedAt: Date | null
}

/** A ticket, and what its owner adds to it. */
export interface TicketLogin {
  readonly ticket: string
  readonly code: string | null
  readonly passkey: AssertionResponse | null
  /** For a new user, instead of a name that is taken. */
  readonly username: string | undefined
  readonly lifetime: AskedLifetime | undefined
}

/** What comes of a ticket. */
export type TicketOutcome =
  | { readonly outcome: 'logged-in'; readonly loggedIn: LoggedIn }
  /** `error`: `totp-required` or `totp-invalid`. */
  | {
      readonly outcome: 'factor-due'
      readonly error: AuthError
      readonly userId: string
      readonly provider: string
    }
  /** A new user needs another name. */
  | { readonly outcome: 'name-due'; readonly provider: string }
  /** No user has this identity. `canConnect`: one may sign in as usual, and connect it then. */
  | {
      readonly outcome: 'unknown'
      readonly provider: string
      readonly name: string
      readonly canConnect: boolean
    }

/** The providers, with what their buttons need. */
export interface PageProviders {
  readonly server: ProvidersOnPages
  /** The buttons that lead on with a request. */
  buttonsFor(asked: Pick<PageRequest, 'raw' | 'language'>): readonly ProviderButton[]
  /** Their logos. */
  readonly files: readonly ServedFile[]
}

/** Makes the buttons. Throws AuthConfigError for a logo that is no picture. */
export function createPageProviders(
  server: ProvidersOnPages,
  site: Pick<PageSite, 'baseUrl'>,
): PageProviders {
  const buttons = server.list.map(({ id, name, logo }) => {
    const file = logo === undefined ? null : logoFile(id, logo)
    return { id, name, file, logo: file && assetAddress(site, file) }
  })
  return {
    server,
    buttonsFor: (asked) =>
      buttons.map(({ id, name, logo }) => ({
        name,
        logo,
        href: providerAddress(site.baseUrl, id, asked),
      })),
    files: buttons.flatMap(({ file }) => file ?? []),
  }
}

/** The address that leads to a provider. */
export function providerAddress(
  baseUrl: URL,
  id: string,
  { raw, language }: Pick<PageRequest, 'raw' | 'language'>,
): string {
  return addressAt(baseUrl, `/oauth/providers/${id}?${pageQuery({ raw, language, flow: null })}`)
}

/** Signing in with the account of a provider, on the pages. */
export interface ProvidersOnPages {
  /** In the order of their buttons. */
  readonly list: readonly ProviderOnPages[]
  /** Whether they are the only way in. */
  readonly only: boolean
  /** Whether some users may sign in by password all the same. */
  readonly somePasswords: boolean
  /**
   * Begins a flow: the address of the provider, and a cookie for the browser. `raw`: the query of
   * the page. Rejects with 404, 429 and 503.
   */
  begin(
    id: string,
    goal: { readonly raw: string; readonly linkTo: ConnectingSession | null },
    hints: ProviderHints,
    request: EndpointRequest,
  ): Promise<{ readonly url: string; readonly cookie: KeptCookie }>
  /** Rejects with 400 `proof-refused`, 401, 403, 429 and 503. */
  signIn(
    given: TicketLogin,
    request: Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>,
  ): Promise<TicketOutcome>
  /**
   * What a new user may be called; empty if that is unknown. Changes nothing. Rejects with 400
   * `proof-refused`, 429 and 503.
   */
  suggestedName(ticket: string, request: EndpointRequest): Promise<string>
  /**
   * What its owner knows the account of a ticket by; null if the ticket is void. Changes nothing.
   * Rejects with 429 and 503.
   */
  labelOf(
    ticket: string,
    request: Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>,
  ): Promise<string | null>
  /**
   * Connects the account of a ticket. `began`: the session that has asked for it; null if it was to
   * be a sign-in. Rejects with 400 `proof-refused`, 401, 409 `identity-in-use`, 429 and 503.
   */
  connect(
    ticket: string,
    to: ConnectingSession,
    began: ConnectingSession | null,
    request: Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>,
  ): Promise<void>
  /** Oldest first. Rejects with 503. */
  listOf(userId: string): Promise<readonly ConnectedAccount[]>
  /**
   * Removes one, for a user with a fresh sign-in. Rejects with 401, 404, 409
   * `last-sign-in-method` and 503.
   */
  remove(session: SessionRecord, id: string, context: RequestContext): Promise<void>
}

/** What a provider is told of the request. */
export interface ProviderHints {
  readonly loginHint?: string | undefined
  readonly prompt?: 'login' | undefined
  /** Seconds. */
  readonly maxAge?: number | undefined
}
