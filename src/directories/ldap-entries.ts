import { UnexpectedAnswer } from '../lib/host-call.js'
import type { DirectoryEntry } from './contract.js'
import type { LdapEntry } from './ldap-answer.js'
import type { CheckedLdapOptions } from './ldap-options.js'

/** Attributes that tell whether an entry may be used, but for those of Active Directory. */
const states = ['pwdAccountLockedTime', 'nsAccountLock']
const activeStates = ['userAccountControl', 'accountExpires']

/** Attributes that may stand against a right password, of an entry that is not disabled. */
export function lockStates({ kind }: CheckedLdapOptions): readonly string[] {
  return kind === 'active-directory' ? ['lockoutTime', 'pwdLastSet'] : ['pwdReset']
}

/** What they say, for an operator: a policy of the server decides whether it holds. */
export function locksOf({ kind }: CheckedLdapOptions, { attributes }: LdapEntry): string[] {
  const text = (name: string) => textOf(attributes.get(name.toLowerCase())?.[0])
  const isActive = kind === 'active-directory'
  const locked = isActive ? text('lockoutTime') : text('pwdAccountLockedTime')
  const since = isActive ? '' : ` since ${locked}`
  const mustChange = isActive
    ? text('pwdLastSet') === '0'
    : text('pwdReset')?.toLowerCase() === 'true'
  return [
    ...(locked === undefined || locked === '0' ? [] : [`locked${since}, perhaps for a while`]),
    ...(mustChange ? ['the password must be changed first'] : []),
  ]
}

/** The attributes that an entry is made of. Some are sent only when they are named. */
export function wantedAttributes(options: CheckedLdapOptions): readonly string[] {
  const { kind, subject, username, displayName, email, groups } = options
  const isActive = kind === 'active-directory'
  const named = [subject, username, displayName, email]
  const memberOf = isActive || groups.base === undefined ? [groups.attribute] : []
  return [...new Set([...named, ...memberOf, ...(isActive ? activeStates : states)])]
}

/**
 * An entry for the router, with the groups that it names itself.
 *
 * @throws UnexpectedAnswer for one without a subject, or a name
 */
export function entryOf(
  options: CheckedLdapOptions,
  { dn, attributes }: LdapEntry,
  now: Date = new Date(),
): DirectoryEntry {
  const values = (name: string) => attributes.get(name.toLowerCase()) ?? []
  const text = (name: string) => textOf(values(name)[0])
  const { groups, kind } = options
  const isActive = kind === 'active-directory'
  const subject = isGuid(options) ? guidText(values(options.subject)[0]) : text(options.subject)
  const username = text(options.username)
  for (const [option, value] of Object.entries({ subject, username }))
    if (value === undefined || Buffer.byteLength(value) > 255)
      throw new UnexpectedAnswer(
        `an entry has no ${options[option as 'subject' | 'username']} that the service can read`,
      )
  const displayName = text(options.displayName)
  const email = text(options.email)
  return {
    subject: subject as string,
    dn,
    username: username as string,
    ...(displayName !== undefined && { displayName }),
    ...(email !== undefined && { email }),
    groups:
      isActive || groups.base === undefined
        ? values(groups.attribute).map((value) => groupName(value.toString('utf8')))
        : [],
    disabled: isActive ? isActiveDisabled(text, now) : isDisabled(text),
  }
}

/** A DN as groups are compared: in lower case, without blanks at commas and signs of equality. */
export function groupName(dn: string): string {
  const parts = dn.toLowerCase().split(',')
  const trimmed = (part: string) =>
    part
      .split('=')
      .map((one) => one.trim())
      .join('=')
  return parts.map(trimmed).join(',')
}

/** Whether subjects are the GUIDs of Active Directory. */
export function isGuid({ subject }: CheckedLdapOptions): boolean {
  return subject.toLowerCase() === 'objectguid'
}

// The first three parts are numbers whose lowest byte comes first (MS-DTYP §2.3.4.2).
const guidOrder = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]

/** A GUID as Microsoft prints it; undefined for anything but 16 bytes. */
function guidText(bytes: Buffer | undefined): string | undefined {
  if (bytes?.length !== 16) return undefined
  const hex = Buffer.from(guidOrder.map((at) => bytes[at] as number)).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The bytes of a GUID; null for another text. */
export function guidBytes(text: string): Buffer | null {
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)) return null
  const printed = Buffer.from(text.replaceAll('-', ''), 'hex')
  return Buffer.from(guidOrder.map((at) => printed[at] as number))
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(value: Buffer | undefined): string | undefined {
  try {
    return value === undefined || value.length === 0 ? undefined : utf8.decode(value)
  } catch {
    return undefined
  }
}

type Text = (name: string) => string | undefined

// 389 Directory Server and FreeIPA; and a lock of OpenLDAP that an operator has set for ever, not
// one that wrong passwords have set for a while.
function isDisabled(text: Text): boolean {
  return (
    text('nsAccountLock')?.toLowerCase() === 'true' ||
    text('pwdAccountLockedTime') === '000001010000Z'
  )
}

// Bit 2 is ACCOUNTDISABLE; accountExpires counts tenths of microseconds since 1601, and both 0 and
// the highest number mean never.
function isActiveDisabled(text: Text, now: Date): boolean {
  const control = Number(text('userAccountControl') ?? 0)
  const expires = Number(text('accountExpires') ?? 0)
  const isOver =
    expires > 0 && expires < 9.2e18 && expires / 10_000 - 11_644_473_600_000 <= now.getTime()
  return (control & 2) !== 0 || isOver
}
