import { AuthConfigError } from '../errors.js'
import {
  callable,
  checkOptions,
  type Filled,
  flag,
  listOf,
  oneOf,
  optionsOf,
  ownMembers,
  text,
} from '../lib/check-options.js'
import { isOneLine } from '../lib/texts.js'
import { redirectProblem } from '../oauth/redirect-uri.js'
import type { Provider } from '../providers/contract.js'
import type { AuthUser } from '../users/contract.js'

/** The option `providers`: users sign in with their account somewhere else. */
export interface ProvidersOptions {
  /**
   * The URL that the router is mounted at, such as `https://chat.example.com/api/v1`. Providers
   * send browsers back to `<baseUrl>/auth/providers/<id>/callback`: register that address there.
   * Default: `oauth.baseUrl`.
   */
  readonly baseUrl?: string
  /**
   * The providers, in the order of their buttons: see `messaging-auth-router/providers`.
   *
   * @example
   * ```ts
   * import type { ProvidersOptions } from 'messaging-auth-router'
   * import { googleProvider } from 'messaging-auth-router/providers'
   *
   * const providers: ProvidersOptions = {
   *   list: [googleProvider({ clientId: 'id', clientSecret: 'secret' })],
   *   unknown: 'connect',
   * }
   * ```
   */
  readonly list: readonly Provider[]
  /**
   * Addresses of your own client that a sign-in may return to, compared as text, with the rules of
   * redirect URIs. Only for clients without the router's pages. Default: none.
   */
  readonly returnTo?: readonly string[]
  /**
   * What happens to somebody whom no user is connected with. `refuse`: nothing. `connect`: the user
   * signs in once as usual, on the router's pages, and is connected then. `create`: becomes a user,
   * if the provider has proven the address; needs `create` of your users. Default `refuse`.
   */
  readonly unknown?: UnknownIdentity
  /**
   * True takes passwords from nobody: the pages have no password fields, and `POST /login` is 403,
   * or with `passwordFor` 401 for all others.
   * Passkeys, codes by mail and registration are options of their own: leave them out, and the
   * providers are the only way in. Default false.
   */
  readonly only?: boolean
  /** Who may sign in by password all the same, such as an administrator. Default: nobody. */
  readonly passwordFor?: (user: AuthUser) => boolean | Promise<boolean>
}

/** See {@link ProvidersOptions.unknown}. */
export type UnknownIdentity = 'refuse' | 'connect' | 'create'

/** {@link ProvidersOptions}, checked and with defaults. */
export type CheckedProvidersOptions = Filled<ProvidersOptions, 'baseUrl' | 'passwordFor'>

type Names = keyof ProvidersOptions

const shape = () =>
  ({
    baseUrl: text().optional(),
    // Each is checked by itself, with errors that name it.
    list: listOf<Provider>(() => true, 'is not a list of 1 to 50 providers.', 1, 50),
    returnTo: listOf<string>(() => true, 'is not a list of at most 100 addresses.', 0, 100).default(
      [],
    ),
    unknown: oneOf('refuse', 'connect', 'create').default('refuse'),
    only: flag().default(false),
    passwordFor: callable<NonNullable<ProvidersOptions['passwordFor']>>().optional(),
  }) satisfies Record<Names, unknown>

const remedies: Readonly<Partial<Record<Names, string>>> = {
  list: "pass those of 'messaging-auth-router/providers', such as [googleProvider({ … })].",
  returnTo: "pass addresses such as ['https://chat.example.com/signed-in'], or leave it out.",
}

/**
 * Checks the option and fills in its defaults.
 *
 * @throws AuthConfigError with every member that is unknown, missing or unsafe
 */
export function checkProvidersOptions(given: unknown): CheckedProvidersOptions {
  const schema = optionsOf(shape())
  const checked = checkOptions({ factory: 'providers', schema, remedies }, given)
  const list = Array.from(checked.list)
  list.forEach(requireProvider)
  const twice = list.find(({ id }, index) => list.findIndex((one) => one.id === id) !== index)
  if (twice !== undefined)
    throw wrong('list', `has the id ${twice.id} twice.`, 'give one of them another id.')
  for (const one of list) requireAccounts(one, list)
  Array.from(checked.returnTo).forEach(requireReturn)
  const returnTo = Object.freeze([...checked.returnTo])
  // A polluted Object.prototype must not add an option.
  return Object.freeze(ownMembers({ ...checked, list: Object.freeze(list), returnTo }))
}

/** A URL that cannot be mistaken for another route of a provider. */
const idPattern = /^(?!finish$)[a-z0-9-]{1,32}$/

function requireProvider(provider: unknown, index: number): void {
  const { id, name, start, finish } = (provider ?? {}) as Partial<Provider>
  const at = `list[${index}]`
  if (typeof start !== 'function' || typeof finish !== 'function')
    throw wrong(at, 'is no provider: it lacks start or finish.', remedies.list as string)
  if (typeof id !== 'string' || !idPattern.test(id))
    throw wrong(
      `${at}.id`,
      'is not 1 to 32 lower-case letters, digits and -.',
      'pass an id such as google. It is stored with identities: never change it.',
    )
  if (typeof name !== 'string' || name.trim() === '' || name.length > 40 || !isOneLine(name))
    throw wrong(`${at}.name`, 'is not a line of 1 to 40 characters.', 'pass what users call it.')
}

// Not one that has them from a third: the accounts of each are stored under one id.
function requireAccounts({ id, sameAccountsAs }: Provider, list: readonly Provider[]): void {
  if (sameAccountsAs === undefined) return
  const other = list.find((one) => one.id === sameAccountsAs)
  if (other !== undefined && other.id !== id && other.sameAccountsAs === undefined) return
  throw wrong(
    'list',
    `has sameAccountsAs for ${id}, which is no other provider with accounts of its own.`,
    'pass the id of another provider in the list, or leave it out.',
  )
}

function requireReturn(address: unknown, index: number): void {
  const problem =
    typeof address === 'string'
      ? (redirectProblem(address, 'native') ?? repeated(address))
      : 'is not a text.'
  if (problem !== null) throw wrong(`returnTo[${index}]`, problem, remedies.returnTo as string)
}

function repeated(address: string): string | null {
  return /[?&]ticket(?:[=&]|$)/.test(address) ? 'has the parameter ticket in its query.' : null
}

function wrong(option: string, problem: string, remedy: string): AuthConfigError {
  return new AuthConfigError(`providers.${option}`, problem, remedy)
}
