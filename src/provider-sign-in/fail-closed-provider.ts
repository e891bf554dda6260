import { z } from 'zod'
import { lazily } from '../lib/async.js'
import { ownMembers } from '../lib/check-options.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { isWellFormed } from '../lib/texts.js'
import type {
  FinishedFlow,
  FlowToFinish,
  FlowToStart,
  Identity,
  Provider,
  ProviderLogout,
  StartedFlow,
} from '../providers/contract.js'

/** A provider whose answers are checked. A failure is 503. */
export interface ConnectedProvider
  extends Pick<
    Provider,
    'id' | 'name' | 'logo' | 'responseMode' | 'trustEmail' | 'provesAge' | 'acceptMfa' | 'mfaAcr'
  > {
  /** The id that its accounts are stored under. */
  readonly accounts: string
  start(flow: FlowToStart): Promise<StartedFlow>
  /** `reason` is one for an event; `told`, a text for the user. */
  finish(flow: FlowToFinish): Promise<FinishedFlow | NotAllowed>
  /** Undefined if its logout does not reach us. */
  readonly readLogoutToken: ((token: string) => Promise<ProviderLogout | null>) | undefined
}

/** The host's `allowed` has refused. */
export interface NotAllowed {
  readonly outcome: 'not-allowed'
  readonly told: string | undefined
}

const maxBytes = 255
/** Together with the longest authorization request it must fit into one proof. */
const maxKeptBytes = 3000
const maxUrlChars = 16_384

const schemas = lazily(() => {
  const name = z
    .string()
    .min(1)
    .refine((value) => Buffer.byteLength(value) <= maxBytes && isWellFormed(value))
    .refine((value) => !/\p{Cc}/u.test(value))
  const told = z.string().max(320).refine(isWellFormed)
  return {
    identity: z.object({
      issuer: name,
      subject: name,
      email: told.optional(),
      // Only the boolean `true` proves the address.
      emailVerified: z
        .unknown()
        .transform((value) => value === true)
        .optional(),
      name: told.optional(),
      username: told.optional(),
      locale: told.optional(),
      amr: z.array(told).max(50).optional(),
      acr: told.optional(),
      authenticatedAt: z.date().optional(),
      sid: told.optional(),
    }) as z.ZodType<Identity>,
    finished: z.discriminatedUnion('outcome', [
      z.object({ outcome: z.literal('identified'), identity: z.unknown() }),
      z.object({ outcome: z.literal('refused'), reason: z.unknown() }),
    ]),
    started: z.object({ url: z.string().max(maxUrlChars), keep: z.unknown() }),
    logout: z.object({
      issuer: name,
      subject: name.optional(),
      sid: told.optional(),
      jti: z.string().min(1).max(1000),
      expiresAt: z.date(),
    }),
  }
})

/** Wraps a provider of the host. `call` has a time limit that suits requests to other servers. */
export function failClosedProvider(provider: Provider, call: HostCall): ConnectedProvider {
  const { id, name: shown, logo, responseMode, trustEmail, provesAge, acceptMfa, mfaAcr } = provider
  const { readLogoutToken, sameAccountsAs: accounts = id } = provider
  const about = { id, name: shown, logo, responseMode, trustEmail, provesAge, acceptMfa, mfaAcr }
  return {
    ...about,
    accounts,
    start: (flow) => call(`providers.${id}.start`, () => provider.start(flow), startedOf),
    finish: (flow) =>
      call(`providers.${id}.finish`, async () => judged(provider, await provider.finish(flow))),
    readLogoutToken:
      readLogoutToken === undefined
        ? undefined
        : (token) =>
            call(
              `providers.${id}.readLogoutToken`,
              () => readLogoutToken.call(provider, token),
              logoutOf,
            ),
  }
}

// The browser follows it: nothing but a site, or the machine itself.
function startedOf(answer: unknown): StartedFlow {
  const { success, data } = schemas().started.safeParse(ownMembers(answer))
  if (!success || !isFollowed(data.url)) throw new UnexpectedAnswer('start: no address of a site')
  const { url, keep = {} } = data
  const isKept = typeof keep === 'object' && keep !== null
  if (!isKept || Buffer.byteLength(JSON.stringify(keep)) > maxKeptBytes)
    throw new UnexpectedAnswer(`start: keep is no object of at most ${maxKeptBytes} bytes`)
  return { url, keep }
}

function isFollowed(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:') return true
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

async function judged(provider: Provider, answer: unknown): Promise<FinishedFlow | NotAllowed> {
  const { success, data } = schemas().finished.safeParse(ownMembers(answer))
  if (!success) throw new UnexpectedAnswer('finish: no outcome')
  if (data.outcome === 'refused') return { outcome: 'refused', reason: reasonOf(data.reason) }
  const read = schemas().identity.safeParse(ownMembers(data.identity))
  if (!read.success) throw new UnexpectedAnswer('finish: the identity is malformed')
  // The copy has no prototype: a polluted prototype must prove no address, and no second factor.
  const identity = ownMembers(read.data)
  // A rule that answers nothing has not allowed anybody.
  const allowed = provider.allowed === undefined || (await provider.allowed(identity))
  if (allowed === true) return { outcome: 'identified', identity }
  return { outcome: 'not-allowed', told: typeof allowed === 'string' ? allowed : undefined }
}

// Goes to the log: a word of ours, and nothing that a stranger has written.
function reasonOf(reason: unknown): string {
  return typeof reason === 'string' && /^[a-z][a-z0-9_-]{0,63}$/.test(reason) ? reason : 'refused'
}

function logoutOf(answer: unknown): ProviderLogout | null {
  if (answer === null || answer === undefined) return null
  const { success, data } = schemas().logout.safeParse(ownMembers(answer))
  if (!success) throw new UnexpectedAnswer('readLogoutToken: the answer is malformed')
  return data
}
