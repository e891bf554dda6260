// A place of its own in the OpenLDAP of the tests, with people, groups and an account of a service.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Attribute, Change, Client } from 'ldapts'
import type { LdapDirectoryOptions } from '../../../src/directories/directories.js'
import { ldapUrl } from '../../support/services.js'

const admin = 'cn=admin,dc=example,dc=com'
const adminPassword = 'admin-of-the-tests'
const servicePassword = 'for the service'

/** The certificate of the authority that has signed that of the server. */
export const authority = (): string =>
  readFileSync(process.env['TEST_LDAP_CA'] || '/var/lib/ldap/messaging-auth-router/ca.pem', 'utf8')

/** The same server over TLS. */
export function tlsUrl(): string {
  const { hostname, port } = new URL(ldapUrl ?? '')
  return `ldaps://${hostname}:${Number(port) + 247}`
}

type Values = Readonly<Record<string, string | readonly string[]>>

export interface Place {
  /** People are here; `groups` beside it. */
  readonly people: string
  readonly groups: string
  readonly options: LdapDirectoryOptions
  /** Adds a person, and answers the DN. */
  person(uid: string, values?: Values): Promise<string>
  group(cn: string, members: readonly string[], values?: Values): Promise<string>
  entry(dn: string, values: Values): Promise<string>
  set(dn: string, values: Values): Promise<void>
  move(dn: string, to: string): Promise<void>
  remove(dn: string): Promise<void>
  /** Removes everything. */
  close(): Promise<void>
}

/** Makes one. */
export async function openPlace(): Promise<Place> {
  const client = new Client({ url: ldapUrl ?? '', timeout: 20_000 })
  await client.bind(admin, adminPassword)
  const top = `ou=t${randomBytes(8).toString('hex')},dc=example,dc=com`
  const [people, groups] = [`ou=people,${top}`, `ou=groups,${top}`]
  const service = `cn=chat,${top}`
  const list = (values: Values) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : [...value],
      ]),
    )
  const entry = async (dn: string, values: Values) => {
    await client.add(dn, list(values))
    return dn
  }
  for (const dn of [top, people, groups]) await entry(dn, { objectClass: 'organizationalUnit' })
  await entry(service, {
    objectClass: ['organizationalRole', 'simpleSecurityObject'],
    userPassword: servicePassword,
  })
  return {
    people,
    groups,
    options: {
      id: 'corp',
      name: 'Example Ltd',
      urls: [ldapUrl ?? ''],
      bind: { dn: service, password: servicePassword },
      base: people,
    },
    entry,
    person: (uid, values = {}) =>
      entry(`uid=${uid},${people}`, {
        objectClass: ['inetOrgPerson'],
        cn: `Name of ${uid}`,
        sn: uid,
        mail: `${uid}@mail.example`,
        userPassword: `password of ${uid}`,
        ...values,
      }),
    group: (cn, members, values = {}) =>
      entry(`cn=${cn},${groups}`, { objectClass: 'groupOfNames', member: members, ...values }),
    async set(dn, values) {
      for (const [type, value] of Object.entries(list(values))) {
        const modification = new Attribute({ type, values: [value].flat() as string[] })
        await client.modify(dn, new Change({ operation: 'replace', modification }))
      }
    },
    move: (dn, to) => client.modifyDN(dn, to),
    remove: (dn) => client.del(dn),
    async close() {
      const { searchEntries } = await client.search(top, {
        filter: '(objectClass=*)',
        attributes: ['1.1'],
      })
      const dns = searchEntries.map(({ dn }) => dn).sort((one, other) => other.length - one.length)
      for (const dn of dns) await client.del(dn)
      await client.unbind()
    },
  }
}
