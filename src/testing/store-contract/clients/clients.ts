import { randomId } from '../../../lib/random.js'
import type { ManagedClientStore, OAuthClient } from '../../../stores/client-contract.js'
import { moments, newClient, newSecretHash } from '../../../stores/new-records.js'
import { comesBack, type Rows, recordsAreCopies } from '../every-store/rows.js'
import { check, isNone, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'
import { awkwardText, inheritedNames, longAwkwardText } from '../harness/texts.js'
import { plainClient } from './plain-client.js'

const clientRows: Rows<ManagedClientStore, OAuthClient> = {
  saving: 'clients.create',
  saved: 'created',
  save: (clients, client) => clients.create(client, moments()(0)),
  answer: { outcome: 'created' },
  finding: 'clients.find',
  find: (clients, { id }) => clients.find(id),
  listing: 'clients.list',
  list: async (clients, { id }) => (await clients.list()).filter((one) => one?.id === id),
  plain: plainClient,
}

/** Clients: their rows, ids and list. */
export function clientsContract(part: Part<ManagedClientStore>): void {
  clientsComeBack(part)
  recordsAreCopies(part, () => newClient(), clientRows)
  clientTexts(part)
  clientIdentity(part)
  clientList(part)
}

function clientsComeBack({ it }: Part<ManagedClientStore>): void {
  it('a client comes back as it was created, and is null when there is none', async (clients) => {
    for (const client of [
      newClient(),
      newClient({ secretHashes: [newSecretHash(), newSecretHash()], disabled: true }),
      newClient({ name: awkwardText, redirectUris: [longAwkwardText], scopes: [awkwardText] }),
      { id: randomId(), name: 'App', type: 'native', redirectUris: [], scopes: [] } as const,
    ]) {
      await comesBack(clients, client, clientRows)
    }
  })

  it('creating an id again changes nothing', async (clients, at) => {
    const client = newClient()
    await clients.create(client, at(0))
    same(
      await clients.create(newClient({ id: client.id, redirectUris: [] }), at(1)),
      { outcome: 'exists' },
      'clients.create of an id that is there.',
    )
    same(
      plainClient(await clients.find(client.id)),
      client,
      'clients.create replaced a client: its codes go elsewhere. Insert; never upsert.',
    )
  })
}

function clientTexts({ it }: Part<ManagedClientStore>): void {
  it('texts of up to 16,000 characters come back whole', async (clients) => {
    const client = newClient({ name: '\u20ac'.repeat(12_000) })
    await clients.create(client, moments()(0))
    same(
      (await clients.find(client.id))?.name,
      client.name,
      'clients.find of a client with long metadata. Do not cut it off.',
    )
  })
}

function clientIdentity({ it }: Part<ManagedClientStore>): void {
  it('ids that differ in one byte are different clients', async (clients, at) => {
    const unique = randomId()
    for (const [what, first, second] of [
      ['case', `Wiki-1${unique}`, `wiki-1${unique}`],
      ['an ending', `wiki-2${unique}`, `wiki-2${unique}.`],
      ['a wildcard of SQL', `wi_i-3${unique}`, `wiki-3${unique}`],
      ['a leading zero', `0${unique}`, unique],
    ] as const) {
      const mistaken = `that differ by ${what}: one would be taken for another. Compare bytewise.`
      await clients.create(newClient({ id: first }), at(0))
      check(isNone(await clients.find(second)), `clients.find confuses ids ${mistaken}`)
      same(
        await clients.create(newClient({ id: second }), at(0)),
        { outcome: 'created' },
        `clients.create confuses ids ${mistaken}`,
      )
    }
  })

  it('an id that every object has as a property is no client', async (clients) => {
    for (const name of inheritedNames) {
      check(
        isNone(await clients.find(name)),
        `clients.find of '${name}'. Keep rows in a Map, not in a plain object.`,
      )
    }
  })
}

function clientList({ it }: Part<ManagedClientStore>): void {
  it('list answers all clients, disabled or not, by the bytes of their ids', async (clients) => {
    const unique = randomId()
    const made = ['b', 'B', 'a', '~', '-'].map((start) =>
      newClient({ id: `${start}${unique}`, ...(start === 'a' ? { disabled: true } : {}) }),
    )
    for (const client of made) await clients.create(client, moments()(0))
    same(
      (await clients.list()).filter(({ id }) => id?.endsWith(unique)).map(plainClient),
      ['-', 'B', 'a', 'b', '~'].map((start) => made.find(({ id }) => id === `${start}${unique}`)),
      'clients.list: all of them, as clients.find answers them, by the bytes of their ids.',
    )
  })
}
