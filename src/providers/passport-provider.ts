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
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { FinishedFlow, FlowToFinish, Identity, Provider, StartedFlow } from './contract.js'
import { boundedText, isKeyText, methodsOf, present } from './open-id-identity.js'
import { errorReason } from './open-id-outage.js'
import {
  type CommonOptions,
  commonMembers,
  commonShape,
  idOption,
  nameOption,
  type ProviderOptions,
  responseModeOption,
} from './provider-options.js'
import { runStrategy, type StrategyOutcome, type StrategyToRun } from './run-strategy.js'
import { keptJson, strategyRequest } from './strategy-request.js'

/** An identity. With an `issuer`, as SAML names one, it must be that of the options. */
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
  /** Who that is. `info` is what the strategy has passed on besides. */
  readonly identity: (
    profile: Profile,
    info: unknown,
  ) => StrategyIdentity | Promise<StrategyIdentity>
  /** How the answer arrives: `form_post` for SAML. Default `query`. */
  readonly responseMode?: 'query' | 'form_post'
  /**
   * Whether an error of the strategy at the end of a flow says that what the browser has brought
   * is not good, as every error of a SAML strategy with a certificate of your own does. Default: an
   * error is an outage, which is answered with 503.
   */
  readonly isRefusal?: (error: Error) => boolean
}

interface Checked extends CommonOptions {
  readonly id: string
  readonly name: string
  readonly strategy: StrategyToRun
  readonly issuer: string
  readonly identity: (profile: unknown, info: unknown) => unknown
  readonly responseMode?: 'query' | 'form_post' | undefined
  readonly isRefusal?: ((error: Error) => boolean) | undefined
}

const schema = optionsOf({
  id: idOption,
  name: nameOption,
  strategy: withMethods<StrategyToRun>('authenticate'),
  issuer: fitting<string>(isKeyText, 'is not a text of 1 to 255 bytes.'),
  identity: callable<Checked['identity']>(),
  responseMode: responseModeOption,
  isRefusal: callable<(error: Error) => boolean>().optional(),
  ...commonShape,
} satisfies Record<keyof PassportProviderOptions, z.ZodType>)

const remedies = {
  id: "pass a short name that never changes, such as 'saml'.",
  name: "pass what users call the provider, such as 'Example Ltd'.",
  strategy: 'pass what you would pass to passport.use().',
  issuer: 'pass the name of the provider there, such as https://idp.example.com/metadata.',
  identity: 'pass (profile) => ({ subject }), with what never changes as the subject.',
}

/** What is kept from the start to the end of a flow. */
interface Kept {
  readonly session: object
  /** The strategy's own `state`; null if it has none, absent if RelayState is in its place. */
  readonly state?: string | null
  readonly maxAge?: number
}

/**
 * Sign-in with a [passport](https://www.passportjs.org) strategy, unmodified and without
 * express-session: SAML, OAuth 2.0, and what else sends a browser away and reads what it brings
 * back.
 *
 * The strategy runs on a request of its own, with `query`, `body`, `headers`, `url`, `method`, and
 * a `session` that is a plain object, stored encrypted with the flow, up to 4 KiB. There is no
 * `req.user`, `req.login` and `req.res`. What it does first counts: a redirect begins the flow, a
 * success ends it, a fail is refused, an error or ten seconds without any of these are an outage. A
 * strategy that needs `state` or PKCE keeps its own: it is put in the place of ours.
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
  const checked: Checked = checkOptions({ factory: 'passportProvider', schema, remedies }, options)
  const { id, name, responseMode, strategy } = checked
  return {
    id,
    name,
    responseMode,
    ...commonMembers(checked),

    async start(flow) {
      const { state, callbackUrl, prompt, maxAge } = ownMembers(flow)
      const session: object = Object.create(null)
      // Strategies of SAML send it there and back. In the options `state` would be theirs alone.
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
    // No answer in time says nothing about what the browser has brought.
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    if (error instanceof Error && !isLate && isRefusal?.(error) === true) return { kind: 'error' }
    throw error
  }
}

function refused(reason: string): FinishedFlow {
  return { outcome: 'refused', reason }
}

/** What the host's hook says, with nothing in it that was not read. */
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
