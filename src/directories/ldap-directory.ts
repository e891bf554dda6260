import { randomBytes } from 'node:crypto'
import type { Filter } from 'ldapts'
import { AuthConfigError } from '../errors.js'
import type { Directory, DirectoryEntry, DirectoryVerdict } from './contract.js'
import { createLdapCheck, type Seek, type Sought } from './ldap-check.js'
import { entryOf, guidBytes, isGuid, wantedAttributes } from './ldap-entries.js'
import { allOf, anyOf, type LdapLibrary } from './ldap-filter.js'
import { createGroupFinder, type LdapGroupFinder } from './ldap-groups.js'
import {
  type CheckedLdapOptions,
  checkLdapOptions,
  type LdapDirectoryOptions,
} from './ldap-options.js'
import { createLdapServers, requireLdapLibrary } from './ldap-servers.js'
import { verdictOf } from './ldap-verdict.js'

/**
 * A directory over LDAP: Active Directory, OpenLDAP, 389 Directory Server, FreeIPA and others. It
 * uses `ldapts` 8, which you install beside this package, and which is loaded at the first use.
 *
 * A name is looked up as the service, on up to four connections that are kept; a password is tried
 * by a bind on a connection of its own, which is closed after. Certificates are always checked,
 * referrals never followed, filters never made of text. An answer that is no whole answer to what
 * was asked is an outage, as is every refusal of the service: everything rejects for it, once each
 * of `urls` was tried, and after at most twice `timeout`.
 *
 * @throws AuthConfigError at once, for an option that is unknown, missing or unsafe, and if
 * `ldapts` is not installed; in a bundle, at the first use
 *
 * @example
 * ```ts
 * import { ldapDirectory } from 'messaging-auth-router/directories'
 *
 * const corp = ldapDirectory({
 *   id: 'corp',
 *   name: 'Example Ltd',
 *   urls: ['ldaps://dc1.example.com', 'ldaps://dc2.example.com'],
 *   bind: {
 *     dn: 'cn=chat,ou=services,dc=example,dc=com',
 *     password: process.env['LDAP_PASSWORD'] ?? 'the password of the service',
 *   },
 *   base: 'ou=people,dc=example,dc=com',
 *   kind: 'active-directory',
 * })
 * ```
 */
export function ldapDirectory(options: LdapDirectoryOptions): Directory {
  const checked = checkLdapOptions(options)
  requireLdapLibrary()
  return createLdapDirectory(checked)
}

/** What is read and made once the library is there. */
interface Prepared {
  readonly people: Filter | null
  readonly groups: LdapGroupFinder
}

/**
 * {@link ldapDirectory} after the checks.
 *
 * @internal
 */
export function createLdapDirectory(
  options: CheckedLdapOptions,
  now: () => number = () => performance.now(),
): Directory {
  const { id, name, changePasswordUrl, base, pageSize } = options
  const servers = createLdapServers(options, now)
  const attributes = wantedAttributes(options)
  const prepare = createPreparation(options, now)

  const seek: Seek = async (given, more) => {
    if (!isAskable(given)) return []
    return servers.asService(async (connection, signal, library) => {
      const { people, groups } = prepare(library)
      const named = anyOf(
        library,
        options.login.map((attribute) => [attribute, given]),
      )
      const filter = allOf(library, people, named)
      const wanted = [...attributes, ...more]
      const search = { base, filter, attributes: wanted, first: enough, mostEntries: enough }
      const found = await connection.search(search, signal)
      const sought: Sought[] = []
      for (const raw of found) {
        const entry = await groups.ofOne(entryOf(options, raw), connection, signal)
        sought.push({ entry, raw })
      }
      return sought
    })
  }

  return {
    id,
    name,
    ...(changePasswordUrl !== undefined && { changePasswordUrl }),

    find: async (name) => (await seek(name, [])).map(({ entry }) => entry),

    async verify(entry, password) {
      if (!isTryable(password) || entry?.dn === '') return wrong
      const dn = entry?.dn ?? `cn=${randomBytes(16).toString('hex')},${base}`
      const verdict = await servers.apart(async (connection, signal) =>
        verdictOf(await connection.bind(dn, password, signal)),
      )
      return entry === null ? wrong : judged(entry, verdict)
    },

    async look(subjects) {
      const asked = new Set(subjects)
      const pairs = [...asked].flatMap((subject) => subjectPair(options, subject))
      if (pairs.length === 0) return []
      return servers.asService(async (connection, signal, library) => {
        const { people, groups } = prepare(library)
        const filter = allOf(library, people, anyOf(library, pairs))
        // One answer, where that is possible: a last page may be an empty one.
        const paged = pairs.length > pageSize ? { pageSize } : {}
        const search = { base, filter, attributes, mostEntries: 2 * pairs.length, ...paged }
        const found = await connection.search(search, signal)
        const entries = found.map((one) => entryOf(options, one))
        const wanted = entries.filter(({ subject }) => asked.has(subject))
        return groups.ofMany(wanted, connection, signal)
      })
    },

    check: createLdapCheck(options, seek),

    async close() {
      servers.close()
    },
  }
}

function createPreparation(
  options: CheckedLdapOptions,
  now: () => number,
): (library: LdapLibrary) => Prepared {
  let prepared: Prepared | undefined
  return function prepare(library) {
    prepared ??= {
      people: readFilter(library, options.filter),
      groups: createGroupFinder(library, options, now),
    }
    return prepared
  }
}

/** Entries of one name: two are as good as more. */
const enough = 2

const wrong: DirectoryVerdict = { outcome: 'wrong', reason: 'wrong-password' }

function isAskable(name: string): boolean {
  return name.trim() !== '' && name.length <= 256 && !name.includes('\0')
}

// With an empty password, or an empty name, a server binds nobody, and calls it a success (RFC 4513
// §5.1).
function isTryable(password: string): boolean {
  return password.trim() !== '' && !password.includes('\0') && Buffer.byteLength(password) <= 1024
}

// Not every server refuses those whom it calls disabled.
function judged({ disabled }: DirectoryEntry, verdict: DirectoryVerdict): DirectoryVerdict {
  const isOther =
    verdict.outcome !== 'wrong' || verdict.reason === 'refused' || verdict.reason === 'locked'
  return disabled && isOther ? { outcome: 'wrong', reason: 'disabled' } : verdict
}

function subjectPair(
  options: CheckedLdapOptions,
  subject: string,
): readonly (readonly [string, string | Buffer])[] {
  const value = isGuid(options) ? guidBytes(subject) : subject
  const isOne = value !== null && subject !== '' && subject.length <= 255
  return isOne ? [[options.subject, value]] : []
}

/**
 * @throws AuthConfigError for a text that is no filter
 */
function readFilter({ FilterParser }: LdapLibrary, text: string | undefined): Filter | null {
  if (text === undefined) return null
  try {
    return FilterParser.parseString(text)
  } catch {
    throw new AuthConfigError(
      'ldapDirectory.filter',
      'is not a filter as in RFC 4515.',
      "pass one such as '(objectClass=inetOrgPerson)'.",
    )
  }
}
