import { AuthConfigError } from '../errors.js'
import type { Directory, DirectoryCheck, DirectoryEntry } from './contract.js'
import type { LdapEntry } from './ldap-answer.js'
import { LdapConnection, LdapRefusal } from './ldap-connection.js'
import { lockStates, locksOf } from './ldap-entries.js'
import type { CheckedLdapOptions } from './ldap-options.js'
import { bindService, loadLdapLibrary, within } from './ldap-servers.js'

/** What to do about a fault, by the result of LDAP or the code of Node. */
const remedies: Readonly<Record<string, string>> = {
  1: 'check bind: the server wants to know who asks.',
  8: 'use ldaps in urls, or set startTls.',
  13: 'use ldaps in urls, or set startTls.',
  10: 'check base: this server has no such part of the directory.',
  32: 'check base: there is no such entry, or the service may not read it.',
  49: 'check bind.dn and bind.password.',
  50: 'let the account of the service read this; if it has pwdReset, remove that.',
  ECONNREFUSED: 'check the port, and whether the server runs.',
  ENOTFOUND: 'check the name of the host in urls.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use the name that is in the certificate, or set tls.servername.',
  CERT_HAS_EXPIRED: 'renew the certificate of the server.',
  SELF_SIGNED_CERT_IN_CHAIN: 'pass the certificate of your authority in tls.ca.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'pass the certificate of your authority in tls.ca.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'pass the certificate of your authority in tls.ca.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'pass the certificate of your authority in tls.ca.',
}

/** Somebody who was found, and the entry as it came. */
export interface Sought {
  readonly entry: DirectoryEntry
  readonly raw: LdapEntry
}

/** Finds the entries of a name, with more of their attributes. */
export type Seek = (name: string, more: readonly string[]) => Promise<readonly Sought[]>

/** The member of the same name of a directory. */
export function createLdapCheck(
  options: CheckedLdapOptions,
  seek: Seek,
): NonNullable<Directory['check']> {
  return async function check(name) {
    const steps: DirectoryCheck[] = []
    const tried = async (step: string, run: () => Promise<string>): Promise<void> => {
      try {
        steps.push({ step, ok: true, found: await run() })
      } catch (error) {
        steps.push({ step, ok: false, ...described(error) })
        throw error
      }
    }
    try {
      for (const url of options.urls) await checkServer(options, url, tried)
      if (name !== null) await checkName(options, name, seek, tried)
    } catch {
      // It stands among the steps.
    }
    return steps
  }
}

type Tried = (step: string, run: () => Promise<string>) => Promise<void>

async function checkServer(options: CheckedLdapOptions, url: URL, tried: Tried): Promise<void> {
  const library = await loadLdapLibrary().catch(() => null)
  let opened: LdapConnection | undefined
  await tried(`connect to ${url.href}`, async () => {
    opened = await within(options.timeout, undefined, async (signal) =>
      LdapConnection.open(library ?? (await loadLdapLibrary()), options, url, signal),
    )
    return 'connected'
  })
  const connection = opened as unknown as LdapConnection
  try {
    await tried('check the certificate', async () => certificateOf(connection))
    await tried(`bind as ${options.bind.dn}`, async () => {
      await within(options.timeout, undefined, (signal) => bindService(options, connection, signal))
      return 'bound'
    })
    await tried(`read ${options.base}`, async () => {
      const { PresenceFilter } = await loadLdapLibrary()
      const filter = new PresenceFilter({ attribute: 'objectClass' })
      const { base } = options
      const search = { base, scope: 'base', filter, attributes: ['1.1'], mostEntries: 1 } as const
      await within(options.timeout, undefined, (signal) => connection.search(search, signal))
      return 'it is there'
    })
  } finally {
    connection.close()
  }
}

function certificateOf(connection: LdapConnection): string {
  const { certificate } = connection
  if (certificate === null) return 'none: the server is on this machine'
  const days = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / 86_400_000)
  return `issued by ${certificate.issuer.CN ?? certificate.issuer.O}, good for ${days} days`
}

async function checkName(
  options: CheckedLdapOptions,
  name: string,
  seek: Seek,
  tried: Tried,
): Promise<void> {
  let sought: Sought | undefined
  await tried(`find ${JSON.stringify(name)}`, async () => {
    const [one, ...others] = await seek(name, lockStates(options))
    if (one === undefined)
      throw new Fault('nobody', 'check base, filter and login, and what the service may read.')
    if (others.length > 0)
      throw new Fault('more than one entry', 'narrow base or filter, or take fewer of login.')
    sought = one
    return `${one.entry.dn}, ${one.entry.subject}`
  })
  const { entry, raw } = sought as unknown as Sought
  await tried('read the groups', async () =>
    entry.groups.length === 0 ? 'none' : entry.groups.join('; '),
  )
  await tried('read the locks', async () => {
    if (entry.disabled)
      throw new Fault('disabled, or expired', 'enable the entry, or leave it: it has no way in.')
    const locks = locksOf(options, raw)
    return locks.length === 0 ? 'none' : locks.join('; ')
  })
}

class Fault extends Error {
  readonly remedy: string

  constructor(found: string, remedy: string) {
    super(found)
    this.remedy = remedy
  }
}

function described(error: unknown): Pick<DirectoryCheck, 'found' | 'remedy'> {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof Fault || error instanceof AuthConfigError)
    return { found: message, remedy: error.remedy }
  const remedy = remedies[String(error instanceof LdapRefusal ? error.code : code)]
  const found = code === undefined || error instanceof LdapRefusal ? message : code
  return { found, remedy: remedy ?? 'look at the log of the server.' }
}
