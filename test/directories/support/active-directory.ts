// A double of Active Directory: how it answers binds and searches, with the sub-codes that
// Microsoft documents, GUIDs, pages, references and groups of groups.
import { randomBytes } from 'node:crypto'
import type { LdapDirectoryOptions } from '../../../src/directories/directories.js'
import { type Node, text } from './ber.js'
import {
  type Answering,
  type Asked,
  attribute,
  bound,
  entry,
  type LdapServer,
  pageControl,
  reference,
  searched,
  startLdapServer,
} from './ldap-server.js'

export const domain = 'DC=corp,DC=example'
const serviceDn = `CN=chat,OU=Services,${domain}`
const servicePassword = 'for the service'

export interface Thing {
  readonly dn: string
  readonly password?: string
  /** The sub-code of a bind with the right password; with a wrong one it is 52e. */
  subCode?: string
  readonly values: Record<string, (string | Buffer)[]>
}

export interface ActiveDirectory extends LdapServer {
  readonly things: Thing[]
  readonly options: LdapDirectoryOptions
  /** Searches, without further pages. */
  searches(): readonly Asked[]
  person(name: string, values?: Thing['values'], subCode?: string): Thing
  group(name: string, memberOf?: readonly string[]): Thing
}

/** Starts one. */
export async function startActiveDirectory(): Promise<ActiveDirectory> {
  const things: Thing[] = []
  const server = await startLdapServer(answersOf(things))
  const add = (thing: Thing) => {
    things.push(thing)
    return thing
  }
  return Object.assign(server, {
    things,
    searches: () => server.asked.filter(({ kind, page }) => kind === 'search' && !page?.cookie),
    options: {
      id: 'corp',
      name: 'Example Ltd',
      urls: [server.url],
      bind: { dn: serviceDn, password: servicePassword },
      base: `OU=People,${domain}`,
      kind: 'active-directory' as const,
    },
    person: (name: string, values: Thing['values'] = {}, subCode?: string) =>
      add({
        dn: `CN=${name},OU=People,${domain}`,
        password: `password of ${name}`,
        ...(subCode !== undefined && { subCode }),
        values: {
          objectCategory: ['person'],
          objectClass: ['user'],
          objectGUID: [randomBytes(16)],
          sAMAccountName: [name],
          userPrincipalName: [`${name}@corp.example`],
          displayName: [`Name of ${name}`],
          mail: [`${name}@mail.example`],
          userAccountControl: ['512'],
          accountExpires: ['9223372036854775807'],
          ...values,
        },
      }),
    group: (name: string, memberOf: readonly string[] = []) =>
      add({
        dn: `CN=${name},OU=Groups,${domain}`,
        values: {
          objectCategory: ['group'],
          objectGUID: [randomBytes(16)],
          sAMAccountName: [name],
          ...(memberOf.length > 0 && { memberOf: [...memberOf] }),
        },
      }),
  })
}

const said = (subCode: string) =>
  `80090308: LdapErr: DSID-0C09042A, comment: AcceptSecurityContext error, data ${subCode}, v3839\0`

function answersOf(things: readonly Thing[]): Answering {
  return (asked, socket) =>
    socket.write(asked.kind === 'bind' ? answerBind(things, asked) : answerSearch(things, asked))
}

function answerBind(things: readonly Thing[], { id, dn, password }: Asked): Buffer {
  // An empty password is nobody's, and right.
  if (password === '' || (dn === serviceDn && password === servicePassword)) return bound(id)
  const one = things.find((thing) => thing.dn === dn)
  if (one === undefined) return bound(id, 49, said('525'))
  if (one.password !== password) return bound(id, 49, said('52e'))
  return one.subCode === undefined ? bound(id) : bound(id, 49, said(one.subCode))
}

function answerSearch(things: readonly Thing[], asked: Asked): Buffer {
  const { id, page, sizeLimit, filter, attributes } = asked
  const found = things.filter((one) => isBelow(one, asked) && fits(things, one, filter))
  const from = Number(page?.cookie || 0)
  const shown = found.slice(from, from + (page?.size || sizeLimit || 1000))
  const entries = shown.map(({ dn, values }) => {
    const wanted = Object.entries(values).filter(([name]) => attributes.includes(name))
    return entry(
      id,
      dn,
      wanted.map(([name, of]) => attribute(name, of)),
    )
  })
  const isMore = from + shown.length < found.length
  const next = isMore ? String(from + shown.length) : ''
  return Buffer.concat([
    ...entries,
    reference(id, 'ldap://ForestDnsZones.corp.example/DC=ForestDnsZones'),
    page === undefined ? searched(id, isMore ? 4 : 0) : searched(id, 0, pageControl(next)),
  ])
}

const isBelow = ({ dn }: Thing, asked: Asked) =>
  asked.scope === 0 ? dn === asked.dn : dn.toLowerCase().endsWith(asked.dn.toLowerCase())

const same = (one: string | Buffer, other: Buffer) =>
  Buffer.isBuffer(one) ? one.equals(other) : one.toLowerCase() === other.toString().toLowerCase()

function valuesOf({ values }: Thing, name: string): readonly (string | Buffer)[] {
  const found = Object.entries(values).find(([one]) => one.toLowerCase() === name.toLowerCase())
  return found?.[1] ?? []
}

function fits(things: readonly Thing[], one: Thing, filter: Node | undefined): boolean {
  const parts = filter?.parts ?? []
  switch (filter?.tag) {
    case 0xa0:
      return parts.every((part) => fits(things, one, part))
    case 0xa1:
      if (parts.length > 20) return isAmong(one, filter)
      return parts.some((part) => fits(things, one, part))
    case 0xa2:
      return !fits(things, one, parts[0])
    case 0xa3:
      return valuesOf(one, text(parts[0])).some((value) =>
        same(value, parts[1]?.value ?? Buffer.alloc(0)),
      )
    case 0x87:
      return valuesOf(one, filter.value.toString()).length > 0
    case 0xa9:
      return matchesRule(things, one, parts)
    default:
      throw new Error(`a filter of the kind ${filter?.tag}`)
  }
}

const sets = new WeakMap<Node, { readonly name: string; readonly values: ReadonlySet<string> }>()

// Many values of one attribute, as fast as a directory with an index.
function isAmong(one: Thing, filter: Node): boolean {
  const known = sets.get(filter) ?? {
    name: text(filter.parts[0]?.parts[0]),
    values: new Set(filter.parts.map((part) => part.parts[1]?.value.toString('hex') ?? '')),
  }
  sets.set(filter, known)
  return valuesOf(one, known.name).some((value) =>
    known.values.has(Buffer.from(value).toString('hex')),
  )
}

// `member:1.2.840.113556.1.4.1941:=<dn>`: whether the group has that member, through others too.
function matchesRule(things: readonly Thing[], group: Thing, parts: readonly Node[]): boolean {
  const of = (tag: number) => text(parts.find((part) => part.tag === tag))
  if (of(0x81) !== '1.2.840.113556.1.4.1941' || of(0x82) !== 'member')
    throw new Error(`an unknown rule ${of(0x81)} of ${of(0x82)}`)
  const member = things.find(({ dn }) => dn === of(0x83))
  const reached = new Set(member === undefined ? [] : valuesOf(member, 'memberOf').map(String))
  for (const dn of reached) {
    const next = things.find((one) => one.dn === dn)
    for (const other of next === undefined ? [] : valuesOf(next, 'memberOf'))
      reached.add(String(other))
  }
  return reached.has(group.dn)
}
