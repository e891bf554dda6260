import type { DirectoryEntry } from './contract.js'
import type { LdapConnection } from './ldap-connection.js'
import { groupName } from './ldap-entries.js'
import { allOf, anyOf, type LdapLibrary } from './ldap-filter.js'
import type { CheckedLdapOptions } from './ldap-options.js'

/** Milliseconds for which the groups of a directory are remembered: those of one round. */
const rememberedMs = 5000

const mostGroups = 100_000

/** The groups of groups and of people, by the name of the member. */
type Graph = ReadonlyMap<string, readonly string[]>

/** Adds to entries the groups that they do not name themselves. */
export interface LdapGroupFinder {
  /** For one sign-in: what is true now. */
  ofOne(entry: DirectoryEntry, connection: LdapConnection, signal: AbortSignal): Groups
  /** For many: with one search, which the calls of one round share. */
  ofMany(
    entries: readonly DirectoryEntry[],
    connection: LdapConnection,
    signal: AbortSignal,
  ): Promise<readonly DirectoryEntry[]>
}

type Groups = Promise<DirectoryEntry>

/** Finds groups, as the options say. */
export function createGroupFinder(
  library: LdapLibrary,
  options: CheckedLdapOptions,
  now: () => number,
): LdapGroupFinder {
  const { kind, groups } = options
  const { base, attribute, nested } = groups
  const isActive = kind === 'active-directory'
  const isSearched = base !== undefined && (nested || !isActive)
  let remembered: { readonly at: number; readonly graph: Promise<Graph> } | undefined

  const graphOf = (connection: LdapConnection, signal: AbortSignal): Promise<Graph> => {
    if (remembered !== undefined && now() - remembered.at < rememberedMs) return remembered.graph
    const graph = loadGraph(library, options, connection, signal)
    const mine = { at: now(), graph }
    remembered = mine
    graph.catch(() => {
      if (remembered === mine) remembered = undefined
    })
    return graph
  }

  const keyOf = ({ dn, username }: DirectoryEntry) => groupName(isByName(attribute) ? username : dn)

  return {
    async ofOne(entry, connection, signal) {
      if (!isSearched) return entry
      if (nested && !isActive) {
        const graph = await loadGraph(library, options, connection, signal)
        return { ...entry, groups: reached(graph, graph.get(keyOf(entry)) ?? [], true) }
      }
      const value = isByName(attribute) ? entry.username : entry.dn
      const isMember = isActive
        ? new library.ExtensibleFilter({ matchType: 'member', rule: inChain, value })
        : anyOf(library, [[attribute, value]])
      const found = await connection.search(
        { base, filter: isMember, attributes: ['1.1'], mostEntries: 10_000, ...paged(options) },
        signal,
      )
      const names = found.map(({ dn }) => groupName(dn))
      return { ...entry, groups: [...new Set([...entry.groups, ...names])] }
    },

    async ofMany(entries, connection, signal) {
      if (!isSearched || entries.length === 0) return entries
      const graph = await graphOf(connection, signal)
      return entries.map((entry) => ({
        ...entry,
        groups: reached(graph, isActive ? entry.groups : (graph.get(keyOf(entry)) ?? []), nested),
      }))
    },
  }
}

/** LDAP_MATCHING_RULE_IN_CHAIN of Active Directory. */
const inChain = '1.2.840.113556.1.4.1941'

const isByName = (attribute: string) => attribute.toLowerCase() === 'memberuid'

const paged = ({ pageSize }: CheckedLdapOptions) => ({ pageSize })

// In Active Directory each group names the groups that it is in, and elsewhere its members.
async function loadGraph(
  library: LdapLibrary,
  options: CheckedLdapOptions,
  connection: LdapConnection,
  signal: AbortSignal,
): Promise<Graph> {
  const { kind, groups } = options
  const { base = '', attribute } = groups
  const isActive = kind === 'active-directory'
  const has = new library.PresenceFilter({ attribute })
  const filter = isActive ? allOf(library, anyOf(library, [['objectCategory', 'group']]), has) : has
  const found = await connection.search(
    { base, filter, attributes: [attribute], mostEntries: mostGroups, ...paged(options) },
    signal,
  )
  const graph = new Map<string, string[]>()
  const add = (member: string, group: string) => {
    const known = graph.get(member)
    if (known === undefined) graph.set(member, [group])
    else known.push(group)
  }
  for (const { dn, attributes } of found) {
    const group = groupName(dn)
    const named = attributes.get(attribute.toLowerCase()) ?? []
    for (const other of named.map((value) => groupName(value.toString('utf8'))))
      if (isActive) add(group, other)
      else add(other, group)
  }
  return graph
}

// Groups may contain each other.
function reached(graph: Graph, from: readonly string[], isNested: boolean): readonly string[] {
  const found = new Set(from)
  if (isNested)
    for (const group of found) for (const next of graph.get(group) ?? []) found.add(next)
  return [...found]
}
