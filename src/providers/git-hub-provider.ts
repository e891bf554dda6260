import type { z } from 'zod'
import { isSafeUrl } from '../lib/addresses.js'
import {
  callable,
  checkOptions,
  fitting,
  optionsOf,
  ownMembers,
  text,
} from '../lib/check-options.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { idOption, nameOption } from '../lib/named-options.js'
import { outgoing } from '../lib/outgoing.js'
import { randomSecret, sha256 } from '../lib/secrets.js'
import type { FlowToFinish, Identity, Provider } from './contract.js'
import { boundedText, present } from './open-id-identity.js'
import type { OpenIdSettings, ProviderTokens } from './open-id-options.js'
import { errorReason } from './open-id-server.js'
import { commonMembers, commonShape, type ProviderOptions } from './provider-options.js'

/** Options of {@link gitHubProvider}. */
export interface GitHubProviderOptions extends ProviderOptions {
  /** The client id of your OAuth app or GitHub app. */
  readonly clientId: string
  readonly clientSecret: string
  /** Default `github`. */
  readonly id?: string
  /** Default `GitHub`. */
  readonly name?: string
  /**
   * The address of GitHub Enterprise, such as `https://github.example.com`. Default
   * `https://github.com`.
   */
  readonly baseUrl?: string
  /** Separated by blanks. Default `read:user user:email`. */
  readonly scope?: string
  /**
   * Chooses among the addresses that GitHub has verified: for example the address at your company,
   * for `trustEmail`. The primary address comes first. Undefined: none of them. Default: the
   * primary one, if it is verified.
   */
  readonly chooseEmail?: (verified: readonly string[]) => string | undefined
  /** Is handed the tokens, once, before the sign-in is decided. If it rejects, that is a 503. */
  readonly onTokens?: OpenIdSettings['onTokens']
}

const schema = optionsOf({
  id: idOption.default('github'),
  name: nameOption.default('GitHub'),
  clientId: text(),
  clientSecret: text(),
  baseUrl: fitting<string>(isOrigin, 'is not an https origin without a slash at its end.').default(
    'https://github.com',
  ),
  scope: text().default('read:user user:email'),
  chooseEmail: callable<NonNullable<GitHubProviderOptions['chooseEmail']>>().optional(),
  onTokens: callable<NonNullable<OpenIdSettings['onTokens']>>().optional(),
  ...commonShape,
} satisfies Record<keyof GitHubProviderOptions, z.ZodType>)
type Checked = z.output<typeof schema>

const remedies = {
  clientId: 'pass the client id of your OAuth app at GitHub.',
  clientSecret: 'pass a client secret of your OAuth app at GitHub.',
  baseUrl: "pass an origin such as 'https://github.example.com', or leave it out.",
}

/**
 * Sign-in with [GitHub](https://docs.github.com/apps/oauth-apps), which speaks OAuth 2.0 and not
 * OpenID Connect. The subject is the number of the account, since names can be given away; the
 * address is the primary one, if GitHub has verified it. GitHub cannot be told to ask for the
 * password again, and proves no age of a sign-in: a flow with `maxAge` is refused.
 *
 * @throws AuthConfigError at once, for an option that is unknown, missing or unsafe
 *
 * @example
 * ```ts
 * import { gitHubProvider } from 'messaging-auth-router/providers'
 *
 * const github = gitHubProvider({
 *   clientId: 'Iv1.0123456789abcdef',
 *   clientSecret: process.env['GITHUB_CLIENT_SECRET'] ?? '',
 * })
 * ```
 */
export function gitHubProvider(options: GitHubProviderOptions): Provider {
  const rules = { factory: 'gitHubProvider', schema, remedies }
  const checked = checkOptions(rules, options)
  const { id, name, clientId, scope, baseUrl, onTokens } = checked
  return {
    id,
    name,
    ...commonMembers(checked),

    async start(flow) {
      const { state, callbackUrl, maxAge } = ownMembers(flow)
      const verifier = randomSecret()
      const url = new URL(`${baseUrl}/login/oauth/authorize`)
      url.search = new URLSearchParams({
        client_id: clientId,
        redirect_uri: callbackUrl,
        scope,
        state,
        code_challenge: sha256(verifier),
        code_challenge_method: 'S256',
      }).toString()
      return { url: url.href, keep: { verifier, ...(maxAge !== undefined && { maxAge }) } }
    },

    async finish(flow) {
      const fault = faultOf(flow)
      if (fault !== null) return { outcome: 'refused', reason: fault }
      const tokens = await exchange(checked, flow)
      if (tokens === null) return { outcome: 'refused', reason: 'code' }
      const identity = await identityOf(checked, tokens.accessToken)
      await onTokens?.(identity, tokens)
      return { outcome: 'identified', identity }
    },
  }
}

/** The fault of the answer itself; null if the answer can be exchanged. */
function faultOf({ state, parameters, keep }: FlowToFinish): string | null {
  const given = ownMembers(parameters)
  if (given['state'] !== state) return 'wrong-state'
  if (given['error'] !== undefined) return errorReason(given['error'])
  if (!given['code'] || given['code'].length > 4096) return 'no-code'
  return Object.hasOwn(keep, 'maxAge') ? 'age' : null
}

// GitHub answers errors with status 200.
async function exchange(
  { baseUrl, clientId, clientSecret }: Checked,
  { parameters, callbackUrl, keep }: FlowToFinish,
): Promise<ProviderTokens | null> {
  const { verifier } = ownMembers(keep) as { verifier?: unknown }
  const body = new URLSearchParams({
    client_id: clientId,
    client_secret: clientSecret,
    code: parameters['code'] ?? '',
    redirect_uri: callbackUrl,
    code_verifier: String(verifier),
  })
  const headers = { ...common, 'content-type': 'application/x-www-form-urlencoded' }
  const address = `${baseUrl}/login/oauth/access_token`
  const answer = await outgoing(address, { method: 'POST', headers, body })
  const given = ownMembers(await objectIn(answer))
  if (given['error'] === 'bad_verification_code') return null
  const accessToken = given['access_token']
  if (typeof accessToken === 'string' && /^[\w.~+/=-]{1,2048}$/.test(accessToken))
    return tokensOf(accessToken, given)
  throw new UnexpectedAnswer(
    `GitHub answers ${errorReason(given['error'])}: are clientId and clientSecret right, and the ` +
      'address of the callback registered?',
  )
}

function tokensOf(accessToken: string, given: Readonly<Record<string, unknown>>): ProviderTokens {
  const { refresh_token, scope, expires_in } = given
  return {
    accessToken,
    ...(typeof refresh_token === 'string' && { refreshToken: refresh_token }),
    ...(typeof scope === 'string' && { scope }),
    ...(typeof expires_in === 'number' && { expiresIn: expires_in }),
  }
}

const common = { accept: 'application/json', 'user-agent': 'messaging-auth-router' }

async function identityOf(
  { baseUrl, chooseEmail }: Checked,
  accessToken: string,
): Promise<Identity> {
  const api = apiOf(baseUrl)
  const headers = {
    ...common,
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${accessToken}`,
  }
  const ask = (path: string) => outgoing(`${api}${path}`, { method: 'GET', headers })
  const [asked, listed] = await Promise.all([ask('/user'), ask('/user/emails?per_page=100')])
  const user = ownMembers(await objectIn(asked))
  // The app may not see addresses: its scope, or its permissions, are less.
  const emails = listed.status === 403 || listed.status === 404 ? [] : await bodyOf(listed)
  const { id, name, login } = user
  if (!Number.isSafeInteger(id) || (id as number) <= 0)
    throw new UnexpectedAnswer('GitHub names no number of the account.')
  const email = emailOf(emails, chooseEmail)
  return present({
    issuer: baseUrl,
    subject: String(id),
    email,
    emailVerified: email === undefined ? undefined : true,
    name: boundedText(name, 255),
    username: boundedText(login, 255),
  })
}

/** The primary address, if it is verified; or the verified one that the host chooses. */
function emailOf(emails: unknown, choose: Checked['chooseEmail']): string | undefined {
  if (!Array.isArray(emails)) throw new UnexpectedAnswer('GitHub lists no addresses.')
  const own = emails.map((one) => ownMembers(one) as Readonly<Record<string, unknown>> | null)
  const verified = own.filter((one) => one?.['verified'] === true)
  const textsOf = (isPrimary: boolean) =>
    verified
      .filter((one) => (one?.['primary'] === true) === isPrimary)
      .flatMap((one) => boundedText(one?.['email'], 254) ?? [])
  if (choose === undefined) return textsOf(true)[0]
  const all = [...textsOf(true), ...textsOf(false)]
  const chosen = choose(all)
  if (chosen === undefined || all.includes(chosen)) return chosen
  throw new UnexpectedAnswer('chooseEmail() returned none of the addresses.')
}

// GitHub Enterprise Server has its API below the host; with data residency it has a host.
function apiOf(baseUrl: string): string {
  const { host } = new URL(baseUrl)
  if (host === 'github.com' || host.endsWith('.ghe.com')) return `https://api.${host}`
  return `${baseUrl}/api/v3`
}

async function objectIn(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  const body = await bodyOf(answer)
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Readonly<Record<string, unknown>>
  throw new UnexpectedAnswer('GitHub answers no object.')
}

async function bodyOf(answer: Response): Promise<unknown> {
  if (answer.status !== 200)
    throw new UnexpectedAnswer(`GitHub answers with status ${answer.status}.`)
  try {
    return await answer.json()
  } catch {
    // The parser quotes what it has read.
    throw new UnexpectedAnswer('GitHub answers no JSON.')
  }
}

function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 255 || !URL.canParse(value)) return false
  const url = new URL(value)
  return url.origin === value && isSafeUrl(url)
}
