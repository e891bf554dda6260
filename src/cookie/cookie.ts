import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import {
  type CountSockets,
  type SessionSummary,
  summarizeAll,
} from '../account/sessions.endpoint.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthConfigError, invalidRequest } from '../errors.js'
import { reportRefusal } from '../guard/authenticate.js'
import { requirePages } from '../guard/credentials-from.js'
import type {
  OpenedSession,
  OpenSession,
  OpenSessionRequest,
} from '../host-sign-in/open-session.js'
import type { Capability } from '../http/capability.js'
import { watchRequest } from '../http/client-abort.js'
import { keepPrivate } from '../http/cookies.js'
import { requireOptions, requireRequest } from '../http/host-input.js'
import type { Pages } from '../http/page-origin.js'
import type { Contexts } from '../http/request-context.js'
import type { LogIn } from '../login/log-in.js'
import { parseFormCredentials } from '../login/login-request.js'
import { browserLifetime, endUnlessKept, findSessionOfCookie } from '../sessions/browser-session.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import type { CookieForHost, SignedInByCookie } from './cookie-for-host.js'

/** Signs browsers of the host's pages in by a cookie. */
export interface Cookie extends Capability {
  readonly cookie: CookieForHost
}

export interface CookieDeps {
  /** Undefined if the host has no pages. */
  readonly pages: Pages | undefined
  readonly logIn: LogIn
  readonly openSession: OpenSession
  readonly sessions: Pick<Sessions, 'findBySecret' | 'end'>
  readonly countSockets: CountSockets
  readonly contexts: Pick<Contexts, 'of'>
  readonly audit: Audit
}

/** Has no routes: the host's own forms call it. */
export function createCookie(deps: CookieDeps): Cookie {
  const { logIn, openSession, sessions } = deps

  async function signIn(visit: Visit, given: unknown, stay: boolean): Promise<SignedInByCookie> {
    const request = parseFormCredentials(given)
    const { context } = visit
    // If the client disconnects before its turn, no password is hashed.
    const watched = watchRequest(visit.request)
    try {
      const aborted = () => watched.signal
      const asked = {
        request,
        lifetime: browserLifetime(stay),
        context,
        aborted,
        setHeaders: () => {},
      }
      return await settle(deps, visit, await logIn({ ...asked, tokens: 'cookie' }), stay)
    } finally {
      watched.end()
    }
  }

  return {
    routes: [],
    cookie: {
      async signIn(request, response, credentials, options = {}) {
        const visit = await beginVisit(deps, 'signIn', request, response)
        return signIn(visit, credentials, parse(stayOptions, options).stay)
      },

      async open(request, response, opening) {
        const visit = await beginVisit(deps, 'open', request, response)
        const { stay, ...vouched } = parse(openOptions, opening)
        const asked = { ...vouched, lifetime: browserLifetime(stay), request } as OpenSessionRequest
        return settle(deps, visit, await openSession(asked, 'cookie'), stay)
      },

      async signOut(request, response) {
        const { session, cookie, context } = await beginVisit(deps, 'signOut', request, response)
        // Stored before the browser deletes the cookie, so that a failure can be repeated.
        const ended = session !== null && (await sessions.end(session, 'logout', context))
        cookie.forget(response)
        return ended
      },
    },
  }
}

/** A request of one of the host's pages. */
interface Visit extends Pick<Pages, 'cookie'> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly context: RequestContext
  /** The browser's live session; null if it has none. */
  readonly session: SessionRecord | null
}

// 400, 403, 503
async function beginVisit(
  { pages: given, sessions, contexts, audit }: CookieDeps,
  called: keyof CookieForHost,
  asking: unknown,
  response: ServerResponse,
): Promise<Visit> {
  const pages = requirePages(given, `auth.cookie.${called}()`)
  const request = requireRequest(asking)
  requireResponse(response, called)
  keepPrivate(response)
  const context = contexts.of(request)
  await reportRefusal(audit, context, async () => pages.requireOwnPage(request))
  const session = await findSessionOfCookie(pages, sessions, request)
  return { request, response, context, cookie: pages.cookie, session }
}

function requireResponse(response: Partial<ServerResponse> | null | undefined, called: string) {
  const isOpen = typeof response?.setHeader === 'function' && response.headersSent === false
  if (isOpen) return
  throw new AuthConfigError(
    `cookie.${called}()`,
    'was given no response, or one whose headers are sent: no cookie can be set in it.',
    'pass the request and the response of Express, before anything is answered.',
  )
}

async function settle(
  { sessions, countSockets }: CookieDeps,
  { cookie, response, context, session: earlier }: Visit,
  { session, token, expiresIn, me, mustEnrol }: OpenedSession,
  stay: boolean,
): Promise<SignedInByCookie> {
  await endUnlessKept(sessions, session, context, async () => {
    if (earlier !== null) await sessions.end(earlier, 'logout', context)
    cookie.keep(response, token, stay ? expiresIn : null)
  })
  const [summary] = await summarizeAll([session], countSockets)
  const enrolment = mustEnrol ? { enrolmentRequired: true as const } : {}
  return { userId: session.userId, session: summary as SessionSummary, me, ...enrolment }
}

const stayOptions = z.strictObject({ stay: z.boolean().default(false) })
// The other members are checked where they are used.
const openOptions = stayOptions.extend({
  userId: z.unknown(),
  methods: z.unknown().optional(),
  // Forms also send empty fields.
  code: z.preprocess((code) => (code === '' ? undefined : code), z.unknown().optional()),
})

function parse<Schema extends typeof stayOptions | typeof openOptions>(
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(requireOptions(given))
  if (parsed.success) return parsed.data as z.output<Schema>
  throw invalidRequest(
    parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
  )
}
