import { type CheckedAccountsOptions, mayDemandInvitation } from '../accounts/accounts-options.js'
import { AuthConfigError } from '../errors.js'
import { isPagesOrigin } from '../http/page-origin.js'
import type { OAuthOptions } from '../oauth/oauth-options.js'
import type { SecondFactorRules } from '../two-factor/contract.js'
import type { UserStore } from '../users/contract.js'
import type { CheckedProvidersOptions } from './providers-options.js'

/** The other options, which the option `providers` depends on. */
interface PartsForProviders {
  readonly users: UserStore
  readonly proofs?: unknown
  readonly identities?: unknown
  readonly secondFactor?: Pick<SecondFactorRules, 'acceptHostMfa'> | undefined
  readonly accounts?: Pick<CheckedAccountsOptions, 'registration'> | undefined
  readonly oauth?: Pick<OAuthOptions, 'baseUrl'> | undefined
}

/**
 * Checks that the host's other parts fit the option.
 *
 * @throws AuthConfigError for a missing part
 */
export function requirePartsFor(options: CheckedProvidersOptions, parts: PartsForProviders): void {
  const { proofs, identities, secondFactor, accounts } = parts
  const spread = 'spread a shipped set of stores, or leave providers out.'
  if (proofs === undefined)
    throw wrong('', 'needs proofs, where sign-ins under way are kept.', spread)
  if (identities === undefined)
    throw wrong('', 'needs identities, the store of connected accounts.', spread)
  requireAddress(options, parts)
  requireUsers(options, parts)
  if (options.only && accounts?.registration !== undefined)
    throw wrong(
      '.only',
      'lets nobody in by password, but accounts.registration has new users choose one.',
      "leave accounts.registration out, or pass unknown: 'create' in place of it.",
    )
  if (options.unknown === 'create' && mayDemandInvitation(accounts?.registration))
    throw wrong(
      '.unknown',
      "is 'create', which asks nobody for the invitation that accounts.registration may demand.",
      "pass 'connect' or 'refuse', or registration: 'open'.",
    )
  const demanding = options.list.find(({ acceptMfa }) => acceptMfa === true)
  if (demanding !== undefined && secondFactor?.acceptHostMfa !== true)
    throw wrong(
      '.list',
      `has acceptMfa for ${demanding.id}, but no second factor of somebody else counts here.`,
      'pass secondFactor: { acceptHostMfa: true }, or leave acceptMfa out.',
    )
}

function requireAddress(
  { baseUrl, returnTo, unknown }: CheckedProvidersOptions,
  { oauth }: PartsForProviders,
): void {
  const pagesUrl = oauth?.baseUrl
  const address = baseUrl ?? pagesUrl
  const remedy = 'set it to the URL of the router, such as https://chat.example.com/api/v1.'
  if (address === undefined) throw wrong('.baseUrl', 'is missing, and so is oauth.baseUrl.', remedy)
  if (!isAddress(address))
    throw wrong('.baseUrl', 'is no https URL without a query, or http on the machine.', remedy)
  if (baseUrl !== undefined && pagesUrl !== undefined && baseUrl !== pagesUrl)
    throw wrong('.baseUrl', 'is another URL than oauth.baseUrl.', 'leave it out.')
  if (pagesUrl !== undefined) return
  if (returnTo.length === 0)
    throw wrong(
      '.returnTo',
      'is empty, and without oauth no page of the router takes anybody back.',
      "pass addresses of your client, such as ['https://chat.example.com/signed-in'].",
    )
  if (unknown === 'connect')
    throw wrong(
      '.unknown',
      "is 'connect', which happens on the router's pages, and oauth is missing.",
      'pass oauth, or let your client connect accounts at POST /auth/identities/<provider>.',
    )
}

function requireUsers(
  { list, unknown }: CheckedProvidersOptions,
  { users }: PartsForProviders,
): void {
  const needed: readonly (keyof UserStore)[] = [
    ...(unknown === 'create' ? (['create', 'nameIsFree', 'delete'] as const) : []),
    ...(list.some(({ trustEmail }) => trustEmail === true) ? (['findContact'] as const) : []),
  ]
  const missing = needed.find((method) => users[method] === undefined)
  if (missing === undefined) return
  const [option, otherwise] =
    missing === 'findContact' ? ['.list', 'leave trustEmail out'] : ['.unknown', "pass 'refuse'"]
  throw wrong(
    option,
    `needs users with ${missing}, and they have none.`,
    `add it, as docs/user-store.md says, or ${otherwise}.`,
  )
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && isPagesOrigin(new URL(text).origin) && !/[?#]/.test(text)
}

function wrong(option: string, problem: string, remedy: string): AuthConfigError {
  return new AuthConfigError(`providers${option}`, problem, remedy)
}
