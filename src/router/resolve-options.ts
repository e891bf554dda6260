import { requirePartsForAccounts } from '../accounts/accounts-options.js'
import { requirePartsForLinks } from '../device-links/device-links-options.js'
import { requirePartsForDirectories } from '../directory-sign-in/directories-options.js'
import { AuthConfigError } from '../errors.js'
import { checkOptions, isObject, ownMembers } from '../lib/check-options.js'
import { doAll } from '../lib/mistakes.js'
import { encryptionKeyRemedy } from '../lib/secrets.js'
import { deviceGrant } from '../oauth/client-schema.js'
import type { OAuthOptions } from '../oauth/oauth-options.js'
import { checkBrand } from '../pages/pages-options.js'
import { checkTexts } from '../pages/texts.js'
import { requirePartsFor } from '../provider-sign-in/require-parts.js'
import type { SessionStore } from '../stores/contract.js'
import { optionRules, type ResolvedOptions } from './option-schema.js'
import type { AuthRouterOptions, Lifetimes } from './options.js'

/**
 * Checks every option and adds the defaults. Throws {@link AuthConfigError} with all options that
 * are unknown, missing, of the wrong type or unsafe, in every `NODE_ENV`, so that nothing fails
 * first in production. Checks combinations only if each option is valid by itself.
 */
export function resolveOptions(given: AuthRouterOptions): ResolvedOptions {
  const { brand, texts } = partsOf(partsOf(given)['pages'])
  const [options] = doAll(
    () => checkOptions(optionRules, given),
    () => (isObject(brand) ? void checkBrand(brand) : undefined),
    () => (isObject(texts) ? checkTexts(texts) : undefined),
  )
  refuseConflicts(options)
  return options
}

// The check of all options reports anything that is not an object.
function partsOf(given: unknown): Readonly<Record<string, unknown>> {
  return isObject(given) ? ownMembers(given as Record<string, unknown>) : {}
}

/**
 * Checks combinations of options.
 *
 * @throws AuthConfigError with all conflicts
 */
function refuseConflicts(options: ResolvedOptions): void {
  const { watchPasswordHash, pkce, passkeys, accounts, providers, directories, deviceLinks } =
    options
  doAll(
    () => refuseContradictions(options.lifetimes),
    () => refuseForgottenKeys(options),
    () => refuseUnfitFactors(options),
    // Otherwise the first login would fail, or a session would outlive its password.
    () =>
      watchPasswordHash &&
      requireOfSessions(
        'watchPasswordHash',
        ['addPasswordMark'],
        options,
        'it out and call passwordChanged',
      ),
    () => refuseUnfitOAuth(options),
    // Without the method, sockets of such sessions would stay open.
    () =>
      pkce.endWithIssuer &&
      requireOfSessions('pkce.endWithIssuer', ['endChildren'], options, 'it out'),
    // Reauthentication updates the time of sign-in, which guards with `maxAge` check.
    () => passkeys && requireOfSessions('passkeys', ['setAuthenticated'], options, 'passkeys out'),
    () => refuseFarPasskeys(options),
    () => accounts && requirePartsForAccounts(accounts, options),
    () => providers && requirePartsFor(providers, options),
    () => directories && requirePartsForDirectories(directories, options),
    () => deviceLinks && requirePartsForLinks(deviceLinks, options),
    () => refusePagesOfNobody(options),
    () => refuseMissingKeys(options),
    () => refuseBrokenClock(options.clock),
  )
}

function refuseContradictions(lifetimes: Required<Lifetimes>): void {
  const longer = (['sessionIdle', 'accessToken'] as const).find(
    (name) => lifetimes[name] > lifetimes.sessionAbsolute,
  )
  if (longer === undefined) return
  throw new AuthConfigError(
    `lifetimes.${longer}`,
    'is longer than lifetimes.sessionAbsolute.',
    'make it shorter.',
  )
}

// The authToken of a login lives as long as its session. A key that is deleted sooner would
// silently sign users out.
function refuseForgottenKeys({ lifetimes, signer }: ResolvedOptions): void {
  const { sessionAbsolute } = lifetimes
  const { longestToken } = signer
  if (longestToken === undefined || sessionAbsolute <= longestToken) return
  const problem = `is longer than the signer verifies a token, which is ${longestToken} seconds.`
  throw new AuthConfigError(
    'lifetimes.sessionAbsolute',
    problem,
    `make it shorter, or pass keyRing({ longestToken: ${sessionAbsolute} }).`,
  )
}

function refuseUnfitFactors(options: ResolvedOptions): void {
  const { secondFactor, secondFactors, passkeys, accounts, otherFactors } = options
  const hasEmailFactor = accounts?.emailSecondFactor === true
  const hasPhoneFactor = accounts?.phones?.secondFactor === true
  if (secondFactors === undefined && 'secondFactors' in options) {
    // Without the store, nobody would be asked for an existing factor. A misspelt
    // `stores.secondFactors` looks the same, so it is refused.
    throw new AuthConfigError(
      'secondFactors',
      'is undefined.',
      'leave the name out, or pass a store.',
    )
  }
  if (
    secondFactor?.policy !== undefined &&
    secondFactor.acceptHostMfa !== true &&
    secondFactors === undefined &&
    passkeys === undefined &&
    !hasEmailFactor &&
    !hasPhoneFactor
  ) {
    const remedy = 'spread a shipped set of stores, or leave it out.'
    throw new AuthConfigError(
      'secondFactor',
      'can demand what nobody could set up: secondFactors is missing, and so is passkeys.',
      remedy,
    )
  }
  if (secondFactor?.remember !== undefined && options.proofs === undefined)
    throw new AuthConfigError(
      'secondFactor.remember',
      'has no store for its browsers.',
      'pass proofs, or spread a shipped set of stores.',
    )
  const ofPhones = hasPhoneFactor ? ['sms'] : []
  const own = ['totp', 'recovery', 'passkey', ...(hasEmailFactor ? ['email'] : []), ...ofPhones]
  const names = [...own, ...otherFactors.map(({ name }) => name)]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return
  throw new AuthConfigError(
    'otherFactors',
    `has a factor named ${twice}, and so has somebody else.`,
    'give it another name.',
  )
}

/** Optional methods that an option needs. `left`: how to do without the option. */
function requireOfSessions(
  option: string,
  methods: readonly (keyof SessionStore)[],
  { sessions }: ResolvedOptions,
  left: string,
): void {
  const missing = methods.find((method) => typeof sessions[method] !== 'function')
  if (missing === undefined) return
  throw new AuthConfigError(
    option,
    `needs sessions with ${missing}, and they have none.`,
    `add it to the store, as docs/adapters.md says, or leave ${left}.`,
  )
}

function refuseUnfitOAuth(options: ResolvedOptions): void {
  const { oauth, pagesOrigin } = options
  if (oauth === undefined) return
  refuseUnfitDeviceFlow(oauth, options)
  const needed = ['endAllForClient', 'endChildren', 'replaceSecret'] as const
  requireOfSessions('oauth', needed, options, 'oauth out')
  // Otherwise the cookie would belong to another site than the sign-in pages.
  if (pagesOrigin === undefined || !URL.canParse(oauth.baseUrl)) return
  const { origin } = new URL(oauth.baseUrl)
  if (origin !== pagesOrigin)
    throw new AuthConfigError(
      'pagesOrigin',
      'is another origin than that of oauth.baseUrl, where the cookie has to arrive.',
      `leave it out: it is ${origin} then.`,
    )
}

function refuseUnfitDeviceFlow(
  { deviceFlow = false, clients }: OAuthOptions,
  { deviceCodes }: Pick<ResolvedOptions, 'deviceCodes'>,
): void {
  if (deviceFlow !== false && deviceCodes === undefined)
    throw new AuthConfigError(
      'deviceCodes',
      'is missing, and oauth.deviceFlow needs it.',
      'spread a shipped set of stores, or leave oauth.deviceFlow out.',
    )
  if (deviceFlow !== false || !Array.isArray(clients)) return
  const unfit = clients.findIndex((client) => client?.grants?.includes?.(deviceGrant) === true)
  if (unfit < 0) return
  throw new AuthConfigError(
    `oauth.clients[${unfit}].grants`,
    'has the device grant, and oauth.deviceFlow is off.',
    'pass oauth.deviceFlow: true, or leave it out there.',
  )
}

// A page of another site cannot ask for the passkey, so users who must use one could not sign in.
function refuseFarPasskeys({ passkeys, oauth }: ResolvedOptions): void {
  const { baseUrl = '' } = oauth ?? {}
  if (passkeys === undefined || !URL.canParse(baseUrl)) return
  const { origin } = new URL(baseUrl)
  // After them stand the related ones, on which the pages do not ask.
  const own = passkeys.origins.slice(0, passkeys.origins.length - passkeys.relatedOrigins.length)
  if (own.includes(origin)) return
  throw new AuthConfigError(
    'passkeys.origins',
    `lacks ${origin}, where the pages of oauth.baseUrl ask for passkeys.`,
    'add it. Browsers have no passkeys at an address of IP: to try them out, use localhost.',
  )
}

// Without apps, mails have the texts of the pages.
function refusePagesOfNobody({ oauth, pages, accounts }: ResolvedOptions): void {
  if (oauth !== undefined || pages === undefined || accounts !== undefined) return
  throw new AuthConfigError(
    'pages',
    'has nothing to show: only apps send users to the pages, and oauth is missing.',
    'pass oauth, or leave pages out. For pages of your own there is pagesOrigin.',
  )
}

function refuseBrokenClock(clock: () => Date): void {
  const now: unknown = clock()
  if (now instanceof Date && !Number.isNaN(now.getTime())) return
  throw new AuthConfigError(
    'clock',
    'does not answer a Date.',
    'pass () => new Date(), or leave it out.',
  )
}

// Second factors, apps, passkeys and mailed codes need an encryption key.
function refuseMissingKeys(options: ResolvedOptions): void {
  const { encryptionKeys, secondFactors, oauth, passkeys, accounts, providers } = options
  const { directories, deviceLinks, secondFactor } = options
  if (encryptionKeys.length > 0) return
  // Each process would make its own key, and would not accept the values that another process has
  // made for a browser.
  const remember = { 'secondFactor.remember': secondFactor?.remember }
  const all = { oauth, passkeys, accounts, providers, directories, deviceLinks, ...remember }
  const needing = Object.entries(all).find(([, option]) => option !== undefined)?.[0]
  const need = secondFactors ? 'secondFactors needs it to seal TOTP seeds' : `${needing} needs it`
  if (secondFactors === undefined && needing === undefined) return
  throw new AuthConfigError('encryptionKeys', `is missing, but ${need}.`, encryptionKeyRemedy)
}
