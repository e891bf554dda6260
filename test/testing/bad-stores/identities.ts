import type { IdentityRecord, IdentityStore } from '../../../src/index.js'
import { awaited, collation, withIdentities } from './helpers.js'

const always = { unlessLast: false }

/** Links an identity whoever has it. */
async function move(good: IdentityStore, identity: IdentityRecord) {
  const there = await good.find(identity.provider, identity.subject)
  if (there !== null) await good.unlink(there.userId, there.id, always)
  await good.link(identity)
  return { outcome: 'linked' } as const
}

/** Issuers and subjects through a column that takes some texts for the same. */
function folded(part: 'provider' | 'subject', fold: (key: string) => string) {
  return withIdentities((good) => {
    const stored = collation(fold)
    const pairOf = (provider: string, subject: string) =>
      part === 'provider'
        ? ([stored(provider), subject] as const)
        : ([provider, stored(subject)] as const)
    return {
      link: (identity) => good.link({ ...identity, [part]: stored(identity[part]) }),
      find: (provider, subject) => good.find(...pairOf(provider, subject)),
      used: (provider, subject, now) => good.used(...pairOf(provider, subject), now),
    }
  })
}

/** What a find answers, changed. */
const finding = (change: (row: IdentityRecord) => IdentityRecord) =>
  withIdentities((good) => ({
    async find(provider, subject) {
      const found = await good.find(provider, subject)
      return found === null ? null : change(found)
    },
  }))

/** The pages of a provider, changed. */
const paging = (list: (good: IdentityStore) => IdentityStore['listOfProvider']) =>
  withIdentities((good) => ({ listOfProvider: list(good) }))

const badPages = {
  'identities: listOfProvider begins with the one that it was given': paging(
    (good) => async (provider, after, limit) => {
      const there = after === null ? null : await good.find(provider, after)
      const next = await good.listOfProvider(provider, after, limit)
      return (there === null ? next : [there, ...next]).slice(0, limit)
    },
  ),
  'identities: listOfProvider without a limit': paging(
    (good) => (provider, after) => good.listOfProvider(provider, after, 1000),
  ),
  'identities: listOfProvider in the order of a dictionary': paging(
    (good) => async (provider, after, limit) => {
      const rows = await good.listOfProvider(provider, null, 1000)
      const order = new Intl.Collator('en').compare
      return rows
        .filter(({ subject }) => after === null || order(subject, after) > 0)
        .sort((one, other) => order(one.subject, other.subject))
        .slice(0, limit)
    },
  ),
}

const badLinks = {
  'identities: link as an upsert': withIdentities((good) => ({
    link: (identity) => move(good, identity),
  })),
  'identities: link reads, then writes': withIdentities((good) => ({
    async link(identity) {
      const there = await good.find(identity.provider, identity.subject)
      await awaited()
      return there === null ? move(good, identity) : { outcome: 'exists' }
    },
  })),
  'identities: link gives its own user a new label': withIdentities((good) => ({
    async link(identity) {
      const there = await good.find(identity.provider, identity.subject)
      if (there?.userId !== identity.userId) return good.link(identity)
      await move(good, { ...there, label: identity.label })
      return { outcome: 'exists' }
    },
  })),
  'identities: link says linked to the same user': withIdentities((good) => ({
    async link(identity) {
      const there = await good.find(identity.provider, identity.subject)
      return there?.userId === identity.userId ? { outcome: 'linked' } : good.link(identity)
    },
  })),
  'identities: link takes an id for one that exists': withIdentities((good) => ({
    link: (identity) => good.link(identity).catch(() => ({ outcome: 'exists' })),
  })),
}

const badNames = {
  'identities: subjects without regard to case': folded('subject', (key) => key.toLowerCase()),
  'identities: providers without regard to case': folded('provider', (key) => key.toLowerCase()),
  'identities: subjects without a trailing blank': folded('subject', (key) => key.trimEnd()),
  'identities: subjects in one Unicode form': folded('subject', (key) => key.normalize('NFC')),
  'identities: subjects by what they look like, without regard to case': folded('subject', (key) =>
    key.replaceAll('\u0430', 'a'),
  ),
  'identities: subjects cut at 254': folded('subject', (key) => key.slice(0, 254)),
  'identities: subjects of everybody at all providers': folded('provider', (key) =>
    key.length > 60 ? key : 'the one',
  ),
  'identities: provider and subject are joined by a colon': withIdentities((good) => {
    const joined = (provider: string, subject: string) => `${provider}:${subject}`
    const rows = new Map<string, IdentityRecord>()
    return {
      async link(identity) {
        const answer = await good.link(identity)
        const { provider, subject } = identity
        if (answer.outcome === 'linked') rows.set(joined(provider, subject), identity)
        return answer
      },
      async find(provider, subject) {
        const row = rows.get(joined(provider, subject))
        return row === undefined ? null : good.find(row.provider, row.subject)
      },
    }
  }),
  'identities: ids without regard to case': withIdentities((good) => ({
    async unlink(userId, id, options) {
      const rows = await good.listForUser(userId)
      const row = rows.find((one) => one.id.toLowerCase() === id.toLowerCase())
      return good.unlink(userId, row?.id ?? id, options)
    },
  })),
  'identities: unlinkAllForUser of users whose ids begin like it': withIdentities((good) => {
    const users = new Set<string>()
    return {
      link(identity) {
        users.add(identity.userId)
        return good.link(identity)
      },
      async unlinkAllForUser(userId) {
        const alike = [...users].filter((one) => userId !== '' && userId.startsWith(one))
        const counts = await Promise.all(alike.map((one) => good.unlinkAllForUser(one)))
        return counts.reduce((all, count) => all + count, 0)
      },
    }
  }),
}

const badUses = {
  'identities: used as an upsert': withIdentities((good) => ({
    async used(provider, subject, now) {
      const row = { provider, subject, issuer: 'work', userId: 'of nobody' }
      const id = `${provider} ${subject}`
      const made = { label: null, passwordMark: null, createdAt: now, lastUsedAt: now }
      const given = { ...row, ...made, id }
      if ((await good.link(given)).outcome === 'exists') await good.used(provider, subject, now)
    },
  })),
  'identities: used goes by the subject, of everybody at all providers': withIdentities((good) => {
    const providers = new Set<string>()
    return {
      link(identity) {
        providers.add(identity.provider)
        return good.link(identity)
      },
      async used(_provider, subject, now) {
        for (const provider of providers) await good.used(provider, subject, now)
      },
    }
  }),
  'identities: used sets only what is later': withIdentities((good) => ({
    async used(provider, subject, now) {
      const row = await good.find(provider, subject)
      if ((row?.lastUsedAt ?? now) <= now) await good.used(provider, subject, now)
    },
  })),
}

const badUnlinks = {
  'identities: unlink asks for no user': withIdentities((good) => {
    const userOf = new Map<string, string>()
    return {
      link(identity) {
        userOf.set(identity.id, identity.userId)
        return good.link(identity)
      },
      unlink: (userId, id, options) => good.unlink(userOf.get(id) ?? userId, id, options),
    }
  }),
  'identities: unlink counts, then deletes': withIdentities((good) => ({
    async unlink(userId, id, { unlessLast }) {
      const rows = await good.listForUser(userId)
      await awaited()
      if (unlessLast && rows.length === 1 && rows[0]?.id === id) return { outcome: 'last' }
      return good.unlink(userId, id, always)
    },
  })),
  'identities: unlink reads, then deletes': withIdentities((good) => ({
    async unlink(userId, id, { unlessLast }) {
      const rows = await good.listForUser(userId)
      const isThere = rows.some((row) => row.id === id)
      if (!unlessLast) await awaited()
      const answer = await good.unlink(userId, id, { unlessLast })
      return isThere && !unlessLast ? { outcome: 'unlinked' } : answer
    },
  })),
  'identities: unlink spares the last, always': withIdentities((good) => ({
    unlink: (userId, id) => good.unlink(userId, id, { unlessLast: true }),
  })),
  'identities: unlink counts before it looks for the id': withIdentities((good) => ({
    async unlink(userId, id, { unlessLast }) {
      const { length } = await good.listForUser(userId)
      if (unlessLast && length === 1) return { outcome: 'last' }
      return good.unlink(userId, id, { unlessLast })
    },
  })),
  'identities: unlink forgets that it was linked': withIdentities((good) => ({
    wasUnlinked: async () => false,
    link: (identity) => good.link(identity),
  })),
  'identities: link does not look whether it was unlinked': withIdentities((good) => ({
    link: (identity) => good.link(identity),
  })),
  'identities: what was unlinked cannot be linked again': withIdentities((good) => ({
    link: (identity) => good.link(identity, { unlessUnlinked: true }),
  })),
  'identities: link again reads, then writes': withIdentities((good) => ({
    async link(identity, options) {
      const { provider, subject } = identity
      const isFree = await good.wasUnlinked(provider, subject)
      await awaited()
      return isFree && !options?.unlessUnlinked
        ? move(good, identity)
        : good.link(identity, options)
    },
  })),
  'identities: unlinkAllForUser leaves what was unlinked': withIdentities((good) => ({
    async unlinkAllForUser(userId) {
      const rows = await good.listForUser(userId)
      return rows.length === 0 ? 0 : good.unlinkAllForUser(userId)
    },
  })),
  'identities: unlinkAllForUser deletes a page': withIdentities((good) => ({
    async unlinkAllForUser(userId) {
      const rows = (await good.listForUser(userId)).slice(0, 1000)
      for (const { id } of rows) await good.unlink(userId, id, always)
      return rows.length
    },
  })),
  'identities: unlinkAllForUser counts, then deletes': withIdentities((good) => ({
    async unlinkAllForUser(userId) {
      const { length } = await good.listForUser(userId)
      await awaited()
      await good.unlinkAllForUser(userId)
      return length
    },
  })),
}

/** Stores of identities that are wrong in one respect each. */
export const badIdentities = {
  ...badLinks,
  ...badPages,
  ...badNames,
  ...badUses,
  ...badUnlinks,
  'identities: dates in seconds': finding((row) => ({
    ...row,
    createdAt: new Date(Math.floor(row.createdAt.getTime() / 1000) * 1000),
  })),
  'identities: labels are never null': finding((row) => ({ ...row, label: row.label ?? '' })),
  'identities: labels in 255 characters': finding((row) => ({
    ...row,
    label: row.label?.slice(0, 255) ?? null,
  })),
  'identities: undefined when there is none': withIdentities((good) => ({
    find: async (provider, subject) =>
      (await good.find(provider, subject)) ?? (undefined as unknown as null),
  })),
  'identities: listForUser the newest first': withIdentities((good) => ({
    listForUser: async (userId) => (await good.listForUser(userId)).reverse(),
  })),
  'identities: listForUser leaves ties to luck': withIdentities((good) => ({
    listForUser: async (userId) =>
      (await good.listForUser(userId)).sort(
        (one, other) =>
          one.createdAt.getTime() - other.createdAt.getTime() || one.id.localeCompare(other.id),
      ),
  })),
  'identities: listForUser the first page': withIdentities((good) => ({
    listForUser: async (userId) => (await good.listForUser(userId)).slice(0, 1000),
  })),
}
