import type { z } from 'zod'
import { AuthConfigError } from '../errors.js'
import { bareHost, isLoopbackAddress } from '../lib/addresses.js'
import {
  checkOptions,
  fitting,
  flag,
  listOf,
  type OrUndefined,
  oneOf,
  optionsOf,
  text,
  whole,
} from '../lib/check-options.js'
import { doAll } from '../lib/mistakes.js'
import { idOption, nameOption } from '../lib/named-options.js'
import { isFilter } from './ldap-filter.js'

/** The kinds of directory that {@link ldapDirectory} has presets for. */
export type LdapKind = 'active-directory' | 'openldap'

/** The account of this server in the directory. It needs to read people, and groups. */
export interface LdapServiceAccount {
  readonly dn: string
  readonly password: string
}

/** Where the groups of a person are found. */
export interface LdapGroups {
  /**
   * The place of the groups. Default: Active Directory the domain; otherwise none, and the groups
   * are those that `attribute` of the person names.
   */
  readonly base?: string
  /**
   * Without `base` the attribute of a person that names groups, default `memberOf`. With `base` the
   * attribute of a group that names its members, default `member`; its values are DNs, or those of
   * `username` for `memberUid`. For Active Directory always the defaults.
   */
  readonly attribute?: string
  /**
   * True counts groups of groups as well. Needs `base`, but for Active Directory. Default true for
   * Active Directory, otherwise false.
   */
  readonly nested?: boolean
}

/** The certificate of the directory. It is always checked. */
export interface LdapTls {
  /** The authorities to trust, as PEM, in place of those that Node trusts. */
  readonly ca?: string | readonly string[]
  /** The name in the certificate. Default: the host of the URL. */
  readonly servername?: string
}

/** Options of {@link ldapDirectory}. */
export interface LdapDirectoryOptions {
  /** Lower-case letters, digits and `-`, up to 32; stored with identities: never change it. */
  readonly id: string
  /** Shown to users, up to 40 characters. */
  readonly name: string
  /**
   * Servers with the same content, 1 to 8, in order: the next one is asked after an outage, and the
   * first one again a minute later. `ldaps://dc1.example.com`, with a port if it is not 636;
   * `ldap://` needs `startTls`, but for this machine itself.
   */
  readonly urls: readonly string[]
  readonly bind: LdapServiceAccount
  /** People are those below this DN. */
  readonly base: string
  /** Chooses the defaults of what follows. Default `openldap`. */
  readonly kind?: LdapKind
  /**
   * The attributes that hold a name to sign in with. Default `['uid', 'mail']`; Active Directory
   * `['sAMAccountName', 'userPrincipalName', 'mail']`.
   */
  readonly login?: readonly string[]
  /**
   * The attribute that tells people apart for ever: never one that is given to somebody else, such
   * as a name, an address or a DN. Default `entryUUID`; Active Directory `objectGUID`.
   */
  readonly subject?: string
  /** Default `uid`; Active Directory `sAMAccountName`. */
  readonly username?: string
  /** Default `cn`; Active Directory `displayName`. */
  readonly displayName?: string
  /** Default `mail`. */
  readonly email?: string
  /**
   * Who of those below `base` is somebody here, as in [RFC
   * 4515](https://www.rfc-editor.org/rfc/rfc4515). Default: everybody; Active Directory
   * `(&(objectCategory=person)(objectClass=user))`.
   */
  readonly filter?: string
  readonly groups?: LdapGroups
  /** True begins on `ldap://` and changes to TLS before anything is said. Default false. */
  readonly startTls?: boolean
  readonly tls?: LdapTls
  /**
   * Seconds that one server has for an answer, 1-60; a call takes at most twice as long. Default 5.
   */
  readonly timeout?: number
  /** Entries of one page of a search, 10-1000. Default 500. */
  readonly pageSize?: number
  /** Where users change their password: an https URL. */
  readonly changePasswordUrl?: string
}

const attributeName = /^[a-z][a-z\d-]{0,63}$/i
const isAttribute = (value: unknown) => typeof value === 'string' && attributeName.test(value)
const isDn = (value: unknown) =>
  typeof value === 'string' && value.length <= 1024 && /^[^=,+\0]+=[^\0]+$/.test(value)
const isCertificate = (value: unknown) =>
  typeof value === 'string' && value.includes('-----BEGIN CERTIFICATE-----')
const isSecret = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' && !value.includes('\0')

const attribute = () => fitting<string>(isAttribute, 'is not the name of an attribute.')
const dn = () => fitting<string>(isDn, 'is not a DN.')

const schema = optionsOf({
  id: idOption,
  name: nameOption,
  urls: listOf<string>(isLdapUrl, 'is not a list of 1 to 8 LDAP URLs without a path.', 1, 8),
  bind: optionsOf({
    dn: dn(),
    // With an empty one the server would be nobody, and told so with a success.
    password: fitting<string>(isSecret, 'is empty.'),
  } satisfies Record<keyof LdapServiceAccount, z.ZodType>),
  base: dn(),
  kind: oneOf<LdapKind>('active-directory', 'openldap').default('openldap'),
  login: listOf<string>(isAttribute, 'is not a list of attributes.', 1, 8).optional(),
  subject: attribute().optional(),
  username: attribute().optional(),
  displayName: attribute().optional(),
  email: attribute().default('mail'),
  filter: fitting<string>(isFilter, 'is not a filter as in RFC 4515.').optional(),
  groups: optionsOf({
    base: dn().optional(),
    attribute: attribute().optional(),
    nested: flag().optional(),
  } satisfies Record<keyof LdapGroups, z.ZodType>).optional(),
  startTls: flag().default(false),
  tls: optionsOf({
    ca: fitting<string | readonly string[]>(
      (value) =>
        isCertificate(value) ||
        (Array.isArray(value) && value.length > 0 && value.every(isCertificate)),
      'is not a certificate as PEM, nor a list of them.',
    ).optional(),
    servername: text().optional(),
  } satisfies Record<keyof LdapTls, z.ZodType>).optional(),
  timeout: whole(1, 60, 'seconds').default(5),
  pageSize: whole(10, 1000).default(500),
  changePasswordUrl: fitting<string>(isHttps, 'is not an https URL.').optional(),
} satisfies Record<keyof LdapDirectoryOptions, z.ZodType>)

const remedies: Readonly<Partial<Record<keyof LdapDirectoryOptions, string>>> = {
  id: "pass a short name that never changes, such as 'corp'.",
  name: "pass what users call the company, such as 'Example Ltd'.",
  urls: "pass ['ldaps://dc1.example.com'], each with a port if it is not the usual one.",
  bind: 'pass { dn, password } of an account that reads people, and can do nothing else.',
  base: "pass the DN above all people, such as 'ou=people,dc=example,dc=com'.",
  filter: "pass one such as '(objectClass=inetOrgPerson)', each parenthesis of a value as \\28.",
  groups: "pass { base: 'ou=groups,dc=example,dc=com', attribute: 'member' }, or leave it out.",
  tls: 'pass { ca } with the text of the PEM file, or leave it out.',
  changePasswordUrl: "pass one such as 'https://password.example.com', or leave it out.",
}

const presets = {
  'active-directory': {
    login: ['sAMAccountName', 'userPrincipalName', 'mail'],
    subject: 'objectGUID',
    username: 'sAMAccountName',
    displayName: 'displayName',
    filter: '(&(objectCategory=person)(objectClass=user))',
  },
  openldap: {
    login: ['uid', 'mail'],
    subject: 'entryUUID',
    username: 'uid',
    displayName: 'cn',
    filter: undefined,
  },
} as const

/** {@link LdapDirectoryOptions}, checked and with defaults. */
export interface CheckedLdapOptions {
  readonly id: string
  readonly name: string
  readonly urls: readonly URL[]
  readonly bind: LdapServiceAccount
  readonly base: string
  readonly kind: LdapKind
  readonly login: readonly string[]
  readonly subject: string
  readonly username: string
  readonly displayName: string
  readonly email: string
  readonly filter: string | undefined
  readonly groups: {
    /** Undefined: the attribute of the person names all of them. */
    readonly base: string | undefined
    readonly attribute: string
    readonly nested: boolean
  }
  readonly startTls: boolean
  readonly tls: { readonly [Name in keyof LdapTls]: LdapTls[Name] | undefined }
  /** Milliseconds. */
  readonly timeout: number
  readonly pageSize: number
  readonly changePasswordUrl: string | undefined
}

/**
 * Checks the options and fills in defaults.
 *
 * @throws AuthConfigError with every option that is unknown, missing or unsafe
 */
export function checkLdapOptions(given: unknown): CheckedLdapOptions {
  const checked = checkOptions({ factory: 'ldapDirectory', schema, remedies }, given)
  const { kind, groups, startTls } = checked
  const urls = checked.urls.map((url) => new URL(url))
  const isActive = kind === 'active-directory'
  doAll(
    () => requireTls(urls, startTls),
    () => requireGroupsBase(isActive, groups),
  )
  const preset = presets[kind]
  return {
    ...checked,
    urls,
    login: checked.login ?? preset.login,
    subject: checked.subject ?? preset.subject,
    username: checked.username ?? preset.username,
    displayName: checked.displayName ?? preset.displayName,
    filter: checked.filter ?? preset.filter,
    groups: {
      base: groups?.base ?? (isActive ? domainOf(checked.base) : undefined),
      attribute: groups?.attribute ?? (groups?.base && !isActive ? 'member' : 'memberOf'),
      nested: groups?.nested ?? isActive,
    },
    tls: { ca: checked.tls?.ca, servername: checked.tls?.servername },
    timeout: checked.timeout * 1000,
    changePasswordUrl: checked.changePasswordUrl,
  }
}

function isLdapUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 255 || !URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return /^ldaps?:$/.test(protocol) && hostname !== '' && /^\w+:\/\/[^/?#@\s\\]+\/?$/.test(value)
}

function isHttps(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https:\/\//.test(value)
}

// Passwords cross this connection: the service's, and everybody's.
function requireTls(urls: readonly URL[], startTls: boolean): void {
  for (const [at, url] of urls.entries()) {
    const isPlain = url.protocol === 'ldap:'
    const host = bareHost(url)
    if (isPlain && !startTls && host !== 'localhost' && !isLoopbackAddress(host))
      throw new AuthConfigError(
        `ldapDirectory.urls[${at}]`,
        'is over ldap: whoever reads that traffic has the passwords of everybody.',
        'use ldaps, or set startTls.',
      )
    if (!isPlain && startTls)
      throw new AuthConfigError(
        'ldapDirectory.startTls',
        'stands beside a URL of ldaps, which begins with TLS.',
        'leave it out, or use ldap in all urls.',
      )
  }
}

function requireGroupsBase(isActive: boolean, groups: OrUndefined<LdapGroups> | undefined): void {
  if (isActive && groups?.attribute !== undefined)
    throw new AuthConfigError(
      'ldapDirectory.groups.attribute',
      'is not for Active Directory, which has memberOf and member.',
      'leave it out.',
    )
  if (isActive || groups?.nested !== true || groups.base !== undefined) return
  throw new AuthConfigError(
    'ldapDirectory.groups.nested',
    'stands without groups.base, where groups of groups are looked for.',
    'pass groups.base, or leave nested out.',
  )
}

// Groups may lie anywhere in the domain, whose name is the end of each DN.
function domainOf(base: string): string {
  const parts = base.split(',')
  const last = parts.findLastIndex((part) => !/^dc=/i.test(part.trim()))
  return last === parts.length - 1
    ? base
    : parts
        .slice(last + 1)
        .join(',')
        .trim()
}
