import type { z } from 'zod'
import { isSafeUrl } from '../lib/addresses.js'
import {
  callable,
  checkOptions,
  fitting,
  optionsOf,
  ownMembers,
  withMethods,
} from '../lib/check-options.js'
import { UnexpectedAnswer, withTimeout } from '../lib/host-call.js'
import { idOption, nameOption } from '../lib/named-options.js'
import type { FinishedFlow, FlowToFinish, Identity, Provider, StartedFlow } from './contract.js'
import { boundedText, isKeyText, methodsOf, present } from './open-id-identity.js'
import { errorReason } from './open-id-server.js'
import {
  commonMembers,
  commonShape,
  type ProviderOptions,
  responseModeOption,
} from './provider-options.js'

/** An identity. An `issuer`, as SAML has it, must equal the `issuer` of the options. */
export type StrategyIdentity = Omit<Identity, 'issuer'> & { readonly issuer?: string }

/** Options of {@link passportProvider}. `Profile` is what the verify callback passes on. */
export interface PassportProviderOptions<Profile = unknown> extends ProviderOptions {
  /** Lower-case letters, digits and `-`, up to 32; stored with identities: never change it. */
  readonly id: string
  readonly name: string
  /** Its verify callback is `(…, profile, done) => done(null, profile)`. */
  readonly strategy: StrategyToRun
  /** Whom the strategy speaks to, such as `https://idp.example.com/metadata`: up to 255 bytes. */
  readonly issuer: string
  /** The identity of the user. `info` is the further value that the strategy has passed on. */
  readonly identity: (
    profile: Profile,
    info: unknown,
  ) => StrategyIdentity | Promise<StrategyIdentity>
  /** How the answer arrives: `form_post` for SAML. Default `query`. */
  readonly responseMode?: 'query' | 'form_post'
  /**
   * Whether an error of the strategy at the end of a flow says that the answer of the browser is
   * not good, as every error of a SAML strategy with a certificate of your own does. Default: an
   * error is an outage, which is answered with 503.
   */
  readonly isRefusal?: (error: Error) => boolean
}

const schema = optionsOf({
  id: idOption,
  name: nameOption,
  strategy: withMethods<StrategyToRun>('authenticate'),
  issuer: fitting<string>(isKeyText, 'is not a text of 1 to 255 bytes.'),
  identity: callable<(profile: unknown, info: unknown) => unknown>(),
  responseMode: responseModeOption,
  isRefusal: callable<(error: Error) => boolean>().optional(),
  ...commonShape,
} satisfies Record<keyof PassportProviderOptions, z.ZodType>)
type Checked = z.output<typeof schema>

const remedies = {
  id: "pass a short name that never changes, such as 'saml'.",
  name: "pass what users call the provider, such as 'Example Ltd'.",
  strategy: 'pass what you would pass to passport.use().',
  issuer: 'pass the name of the provider there, such as https://idp.example.com/metadata.',
  identity: 'pass (profile) => ({ subject }), with what never changes as the subject.',
}

/** The values that are kept from the start to the end of a flow. */
interface Kept {
  readonly session: object
  /** The strategy's own `state`; null if it has none, absent if RelayState is in its place. */
  readonly state?: string | null
  readonly maxAge?: number
}

/**
 * Sign-in with a [passport](https://www.passportjs.org) strategy, unmodified and without
 * express-session: SAML, OAuth 2.0, and any other that sends a browser away and reads the answer it
 * brings back.
 *
 * The strategy runs on a request of its own, with `query`, `body`, `headers`, `url`, `method`, and
 * a `session` that is a plain object, stored encrypted with the flow, up to 4 KiB. There is no
 * `req.user`, `req.login` and `req.res`. The first action of the strategy counts: a redirect begins
 * the flow, a success ends it, a fail is refused, an error or ten seconds without any of these are
 * an outage. A strategy that needs `state` or PKCE keeps its own: it is put in the place of ours.
 *
 * Identities are only as good as the strategy: configure it so that it verifies signatures. A flow
 * with `maxAge` is refused, unless `identity` returns an `authenticatedAt` that is young enough.
 *
 * @throws AuthConfigError at once, for an option that is unknown, missing or unsafe
 *
 * @example
 * ```ts
 * import { passportProvider } from 'messaging-auth-router/providers'
 *
 * declare const strategy: { authenticate(request: object): void }
 *
 * const saml = passportProvider({
 *   id: 'saml',
 *   name: 'Example Ltd',
 *   strategy,
 *   issuer: 'https://idp.example.com/metadata',
 *   identity: ({ issuer, nameID }: { issuer: string; nameID: string }) => ({
 *     issuer,
 *     subject: nameID,
 *   }),
 *   responseMode: 'form_post',
 *   isRefusal: () => true,
 * })
 * ```
 */
export function passportProvider<Profile>(options: PassportProviderOptions<Profile>): Provider {
  const checked = checkOptions({ factory: 'passportProvider', schema, remedies }, options)
  const { id, name, responseMode, strategy } = checked
  return {
    id,
    name,
    responseMode,
    ...commonMembers(checked),

    async start(flow) {
      const { state, callbackUrl, prompt, maxAge } = ownMembers(flow)
      const session: object = Object.create(null)
      // Strategies of SAML send RelayState there and back. In the options, `state` would be theirs
      // alone.
      const parameters = ownMembers({ RelayState: state })
      const request = strategyRequest({
        method: 'GET',
        callbackUrl,
        parameters,
        headers: {},
        session,
      })
      const given = ownMembers(prompt === undefined ? {} : { prompt })
      const { url, state: theirs } = withState(await runStrategy(strategy, request, given), state)
      const keep = {
        session,
        ...(theirs !== undefined && { state: theirs }),
        ...(maxAge !== undefined && { maxAge }),
      }
      return { url, keep: keptJson(keep) }
    },

    finish: (flow) => finish(checked, flow),
  }
}

/** The address with our state in it, and the state of the strategy that it takes the place of. */
function withState(
  outcome: StrategyOutcome,
  state: string,
): Pick<StartedFlow, 'url'> & Pick<Kept, 'state'> {
  const target = outcome.kind === 'redirect' ? String(outcome.url) : ''
  const url = URL.canParse(target) ? new URL(target) : undefined
  if (url === undefined || !isSafeUrl(url))
    throw new UnexpectedAnswer('the strategy does not redirect to an address over https.')
  // A query that is signed must stay as it is.
  if (url.searchParams.get('RelayState') === state) return { url: url.href }
  const theirs = url.searchParams.get('state')
  url.searchParams.set('state', state)
  return { url: url.href, state: theirs }
}

async function finish(checked: Checked, flow: FlowToFinish): Promise<FinishedFlow> {
  const kept = ownMembers(flow.keep) as Kept
  const given: Record<string, string> = ownMembers(flow.parameters)
  const sent = kept.state === undefined ? 'RelayState' : 'state'
  if (given[sent] !== flow.state) return refused('wrong-state')
  if (sent === 'state' && given['error'] !== undefined) return refused(errorReason(given['error']))
  const { [sent]: _ours, ...others } = given
  const parameters = sent === 'RelayState' ? given : withTheirs(others, kept.state)
  const { method, callbackUrl, headers } = flow
  const session: object = ownMembers(kept.session)
  const request = strategyRequest({ method, callbackUrl, parameters, headers, session })
  const outcome = await outcomeOf(checked, request)
  if (outcome.kind !== 'success') return refused(outcome.kind)
  if (outcome.profile === undefined || outcome.profile === null) return refused('no-profile')
  const answer = await checked.identity(outcome.profile, outcome.info)
  return identified(checked.issuer, answer, kept.maxAge)
}

function withTheirs(
  others: Record<string, string>,
  state: string | null | undefined,
): Record<string, string> {
  return ownMembers(typeof state === 'string' ? { ...others, state } : others)
}

async function outcomeOf(
  { strategy, isRefusal }: Checked,
  request: object,
): Promise<StrategyOutcome | { readonly kind: 'error' }> {
  try {
    return await runStrategy(strategy, request, Object.create(null))
  } catch (error) {
    // A strategy that does not answer in time says nothing about the data that the browser has
    // brought.
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    if (error instanceof Error && !isLate && isRefusal?.(error) === true) return { kind: 'error' }
    throw error
  }
}

function refused(reason: string): FinishedFlow {
  return { outcome: 'refused', reason }
}

/** The answer of the host's hook, with only the members that were read. */
function identified(issuer: string, answer: unknown, maxAge: number | undefined): FinishedFlow {
  const given = ownMembers(answer ?? {}) as Readonly<Record<keyof Identity, unknown>>
  const { subject, authenticatedAt } = given
  if (typeof subject !== 'string')
    throw new UnexpectedAnswer('identity() returned no subject, which is a text.')
  if ((given.issuer ?? issuer) !== issuer) return refused('wrong-issuer')
  if (!isKeyText(subject)) return refused('subject')
  const at = authenticatedAt instanceof Date ? authenticatedAt : undefined
  // NaN, too.
  if (maxAge !== undefined && !(Date.now() - Number(at ?? NaN) <= maxAge * 1000))
    return refused('age')
  const email = boundedText(given.email, 254)
  const identity = present({
    issuer,
    subject,
    email,
    emailVerified: email === undefined ? undefined : given.emailVerified === true,
    name: boundedText(given.name, 255),
    username: boundedText(given.username, 255),
    locale: boundedText(given.locale, 35),
    amr: methodsOf(given.amr),
    acr: boundedText(given.acr, 255),
    authenticatedAt: at,
    sid: boundedText(given.sid, 255),
  })
  return { outcome: 'identified', identity }
}

type Texts = Readonly<Record<string, string>>

/** The request that a strategy sees instead of the host's request. */
export interface StrategyRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly originalUrl: string
  readonly query: Texts
  readonly body: Texts
  readonly headers: Texts
  readonly protocol: string
  readonly secure: boolean
  readonly host: string
  readonly hostname: string
  readonly session: object
  get(name: string): string | undefined
  header(name: string): string | undefined
}

/** The parts that the request is made of. */
interface ReturnedRequest {
  readonly method: 'GET' | 'POST'
  readonly callbackUrl: string
  /** The query of a GET, the form of a POST. */
  readonly parameters: Texts
  readonly headers: Texts
  readonly session: object
}

/**
 * A request of its own for a strategy: no `req.user`, `req.login` or cookies. Its address is the
 * address of the callback, whatever the browser calls this server.
 */
function strategyRequest(parts: ReturnedRequest): StrategyRequest {
  const { method, callbackUrl, parameters, session } = parts
  const { protocol, host, hostname, pathname } = new URL(callbackUrl)
  const headers: Texts = ownMembers({ ...withoutForwarding(parts.headers), host })
  const none: Texts = Object.create(null)
  const query = method === 'GET' ? parameters : none
  const search = new URLSearchParams({ ...query }).toString()
  const url = search === '' ? pathname : `${pathname}?${search}`
  const get = (name: string) => headers[String(name).toLowerCase()]
  return {
    method,
    url,
    originalUrl: url,
    query,
    body: method === 'POST' ? parameters : none,
    headers,
    protocol: protocol.slice(0, -1),
    secure: protocol === 'https:',
    host,
    hostname,
    session,
    get,
    header: get,
  }
}

// Strategies make addresses of them; a browser can send them.
function withoutForwarding(headers: Texts): Texts {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(x-forwarded-.*|forwarded|cookie)$/i.test(name)),
  )
}

/** Of JSON, before it is stored. */
const maxKeepBytes = 4096

/**
 * A copy of what is kept, as JSON has it.
 *
 * @throws UnexpectedAnswer if it is too long, or no JSON
 */
function keptJson<Keep extends object>(keep: Keep): Keep {
  const text = jsonOf(keep)
  if (text !== undefined && Buffer.byteLength(text) <= maxKeepBytes) return JSON.parse(text)
  throw new UnexpectedAnswer(`the strategy keeps no JSON of up to ${maxKeepBytes} bytes.`)
}

function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** A strategy of passport: what `passport.use()` takes. */
export interface StrategyToRun {
  authenticate(request: object, options?: object): unknown
}

/** The decision of a strategy. */
export type StrategyOutcome =
  | { readonly kind: 'redirect'; readonly url: unknown }
  | { readonly kind: 'success'; readonly profile: unknown; readonly info: unknown }
  | { readonly kind: 'fail' | 'pass' }

/** A strategy makes requests of its own, of which nobody else limits the time. */
const maxMilliseconds = 10_000

/**
 * Asks a strategy, and returns its first decision; later actions are ignored. Rejects for an error
 * of it, and if it decides nothing in ten seconds.
 */
function runStrategy(
  strategy: StrategyToRun,
  request: object,
  options: object,
): Promise<StrategyOutcome> {
  return withTimeout(() => firstOutcome(strategy, request, options), maxMilliseconds)
}

// As passport does it: the actions stand on an object of this request, above the strategy.
function firstOutcome(
  strategy: StrategyToRun,
  request: object,
  options: object,
): Promise<StrategyOutcome> {
  return new Promise((resolve, reject) => {
    const actions = {
      redirect: (url: unknown) => resolve({ kind: 'redirect', url }),
      success: (profile: unknown, info: unknown) => resolve({ kind: 'success', profile, info }),
      fail: () => resolve({ kind: 'fail' }),
      pass: () => resolve({ kind: 'pass' }),
      error: (error: unknown) => reject(errorOf(error)),
    }
    const own: StrategyToRun = Object.create(strategy as object)
    // The actions are defined, not assigned: a frozen strategy would forbid an assignment.
    for (const [name, value] of Object.entries(actions)) Object.defineProperty(own, name, { value })
    const authenticate = async () => own.authenticate(request, options)
    authenticate().catch((error: unknown) => reject(errorOf(error)))
  })
}

function errorOf(error: unknown): Error {
  return error instanceof Error
    ? error
    : new UnexpectedAnswer('the strategy failed without an error.')
}
