import type { Directory, DirectoryEntry } from '../directories/contract.js'
import { AuthConfigError } from '../errors.js'
import {
  callable,
  checkOptions,
  type Filled,
  fitting,
  flag,
  listOf,
  oneOf,
  optionsOf,
  ownMembers,
  whole,
} from '../lib/check-options.js'
import { isShownName, isStoredId } from '../lib/named-options.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { UserStore } from '../users/contract.js'

/** The option `directories`: users sign in with the password of a company's directory. */
export interface DirectoriesOptions {
  /**
   * The directories, up to ten: see `messaging-auth-router/directories`.
   *
   * @example
   * ```ts
   * import type { DirectoriesOptions } from 'messaging-auth-router'
   * import { ldapDirectory } from 'messaging-auth-router/directories'
   *
   * const directories: DirectoriesOptions = {
   *   list: [
   *     ldapDirectory({
   *       id: 'corp',
   *       name: 'Example Ltd',
   *       urls: ['ldaps://dc1.example.com'],
   *       bind: { dn: 'cn=chat,ou=services,dc=example,dc=com', password: 'secret' },
   *       base: 'ou=people,dc=example,dc=com',
   *     }),
   *   ],
   *   unknown: 'create',
   * }
   * ```
   */
  readonly list: readonly Directory[]
  /**
   * What happens to somebody of a directory who is no user yet. `refuse`: the answer of a wrong
   * password. `create`: becomes a user; needs `create` and `delete` of your users. Default
   * `refuse`.
   */
  readonly unknown?: 'refuse' | 'create'
  /** Whether the address of an entry counts as proven, and a new user has it. Default false. */
  readonly emailProven?: boolean
  /**
   * Your rule on who may come in, asked at each sign-in and at each look. A text is the reason that
   * the user sees after the right password. Default: everybody whom the directory finds.
   */
  readonly allowed?: (entry: DirectoryEntry) => boolean | string | Promise<boolean | string>
  /**
   * Called after each right password, and awaited: copy roles or names here. If it rejects, the
   * sign-in is 503.
   */
  readonly signedIn?: (userId: string, entry: DirectoryEntry) => void | Promise<void>
  /**
   * Seconds between two looks at all connected users, 10-86400; false: never, and then somebody
   * who has left stays signed in. Default 300.
   */
  readonly watchInterval?: number | false
  /**
   * Seconds of outage after which the sessions of a directory's users end, 300-2592000; false: an
   * outage ends nobody. Default false.
   */
  readonly watchGrace?: number | false
  /**
   * Wrong passwords of one entry that reach its directory in 15 minutes, 2-50. Choose it below the
   * directory's own lockout. The last one is kept for networks that the user has signed in from.
   * Default 3.
   */
  readonly guesses?: number
  /**
   * True if every user with a password is in a directory: the passwords in your own table are not
   * taken, and nothing is hashed. Default false.
   */
  readonly only?: boolean
}

/** {@link DirectoriesOptions}, checked and with defaults. */
export type CheckedDirectoriesOptions = Filled<DirectoriesOptions, 'allowed' | 'signedIn'>

const day = 86_400

const shape = () =>
  ({
    // Each is checked by itself, with errors that name it.
    list: listOf<Directory>(() => true, 'is not a list of 1 to 10 directories.', 1, 10),
    unknown: oneOf('refuse', 'create').default('refuse'),
    emailProven: flag().default(false),
    allowed: callable<NonNullable<DirectoriesOptions['allowed']>>().optional(),
    signedIn: callable<NonNullable<DirectoriesOptions['signedIn']>>().optional(),
    watchInterval: secondsOrNever(10, day).default(300),
    watchGrace: secondsOrNever(300, 30 * day).default(false),
    guesses: whole(2, 50).default(3),
    only: flag().default(false),
  }) satisfies Record<keyof DirectoriesOptions, unknown>

function secondsOrNever(least: number, most: number) {
  const isSeconds = (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
  return fitting<number | false>(
    (value) => value === false || isSeconds(value),
    `is neither false nor a whole number of seconds from ${least} to ${most}.`,
  )
}

const remedies: Readonly<Partial<Record<keyof DirectoriesOptions, string>>> = {
  list: "pass [ldapDirectory({ … })] of 'messaging-auth-router/directories'.",
}

/**
 * Checks the option and fills in its defaults.
 *
 * @throws AuthConfigError with every member that is unknown, missing or unsafe
 */
export function checkDirectoriesOptions(given: unknown): CheckedDirectoriesOptions {
  const schema = optionsOf(shape())
  const checked = checkOptions({ factory: 'directories', schema, remedies }, given)
  const list = Array.from(checked.list)
  list.forEach(requireDirectory)
  const twice = list.find(({ id }, index) => list.findIndex((one) => one.id === id) !== index)
  if (twice !== undefined)
    throw wrong('list', `has the id ${twice.id} twice.`, 'give one of them another id.')
  return Object.freeze(ownMembers({ ...checked, list: Object.freeze(list) }))
}

function requireDirectory(directory: unknown, index: number): void {
  const { id, name, ...methods } = ownMembers(directory ?? {}) as Partial<Directory>
  const at = `list[${index}]`
  const missing = (['find', 'verify', 'look', 'close'] as const).find(
    (method) => typeof (directory as Partial<Directory> | null)?.[method] !== 'function',
  )
  if (missing !== undefined)
    throw wrong(at, `is no directory: it lacks ${missing}.`, remedies.list as string)
  if (!isStoredId(id))
    throw wrong(
      `${at}.id`,
      'is not 1 to 32 lower-case letters, digits and -.',
      'pass an id such as corp. It is stored with identities: never change it.',
    )
  if (!isShownName(name))
    throw wrong(`${at}.name`, 'is not a line of 1 to 40 characters.', 'pass what users call it.')
  requireAddress(`${at}.changePasswordUrl`, methods.changePasswordUrl)
}

// Users are led there with their password in mind.
function requireAddress(option: string, url: unknown): void {
  if (url === undefined) return
  if (typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'https:') return
  throw wrong(option, 'is no https URL.', 'pass the page on which users change their password.')
}

/** The other options, which the option `directories` depends on. */
interface PartsForDirectories {
  readonly users: UserStore
  readonly identities?: IdentityStore | undefined
  readonly proofs?: unknown
}

/**
 * Checks that the host's other parts fit the option.
 *
 * @throws AuthConfigError for a missing part
 */
export function requirePartsForDirectories(
  { unknown, watchInterval }: CheckedDirectoriesOptions,
  { users, identities, proofs }: PartsForDirectories,
): void {
  const spread = 'spread a shipped set of stores, or leave directories out.'
  if (identities === undefined)
    throw wrong('', 'needs identities, the store of connected entries.', spread)
  if (watchInterval !== false && proofs === undefined)
    throw wrong('.watchInterval', 'needs proofs: of several processes, one looks.', spread)
  const missing = (['create', 'delete'] as const).find((method) => users[method] === undefined)
  if (unknown === 'create' && missing !== undefined)
    throw wrong(
      '.unknown',
      `needs users with ${missing}, and they have none.`,
      "add it, as docs/user-store.md says, or pass 'refuse'.",
    )
}

function wrong(option: string, problem: string, remedy: string): AuthConfigError {
  const dot = option === '' || option.startsWith('.') ? '' : '.'
  return new AuthConfigError(`directories${dot}${option}`, problem, remedy)
}
