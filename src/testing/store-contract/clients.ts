import { randomId } from '../../lib/secrets.js'
import type { ManagedClientStore, OAuthClient } from '../../stores/client-contract.js'
import { moments, newClient, newSecretHash } from '../../stores/new-records.js'
import { comesBack, type Rows, recordsAreCopies } from './every-store/rows.js'
import {
  answers,
  atOnce,
  awkwardText,
  check,
  inheritedNames,
  isNone,
  longAwkwardText,
  type Part,
  same,
  told,
} from './harness.js'

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
    const { id } = client
    const again = () => clients.create(newClient({ id, redirectUris: [] }), at(1))
    const find = async () => plainClient(await clients.find(id))
    const replaced = 'create replaced a client: its codes go elsewhere. Insert; never upsert.'
    await clients.create(client, at(0))
    await answers([
      [again, told('exists'), 'clients.create of an id that is there.'],
      [find, client, `clients.${replaced}`],
    ])
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

/** The client without `disabled: false`, which a store may leave out. */
function plainClient(client: OAuthClient | null | undefined): unknown {
  const { disabled = false, ...rest } = client ?? {}
  return disabled ? { ...rest, disabled } : rest
}

/** Changes of a client, except their races. */
export function clientChanges(part: Part<ManagedClientStore>): void {
  clientUpdates(part)
  clientSecrets(part)
  clientSwitch(part)
  clientChangesAtOnce(part)
}

function clientUpdates({ it }: Part<ManagedClientStore>): void {
  it('update replaces the metadata whole, and neither secrets nor disabled', async (clients, at) => {
    const hash = newSecretHash()
    const client = newClient({ secretHashes: [hash], disabled: true })
    const { id } = client
    const next = { id, name: 'App', type: 'native', redirectUris: [], scopes: ['a'] } as const
    const stale = { ...next, secretHashes: [newSecretHash()], disabled: false }
    const kept = { ...next, secretHashes: [hash], disabled: true }
    const find = async () => plainClient(await clients.find(id))
    const gone = 'what the client has no more is gone, and secretHashes and disabled stay.'
    const earlier =
      'clients.update took secrets or `disabled` from what was read earlier: a secret that was ' +
      'taken away works again, or a disabled client is back. Leave those columns alone.'
    const unchanged =
      'clients.update with what is there already. The client is there, so it is updated.'
    await clients.create(client, at(0))
    await answers([
      [() => clients.update(next, at(1)), told('updated'), 'clients.update.'],
      [find, kept, `clients.update: ${gone}`],
      [() => clients.update(stale, at(2)), told('updated'), unchanged],
      [find, kept, earlier],
      [() => clients.update(stale, at(2)), told('updated'), unchanged],
    ])
  })

  it('update never inserts', async (clients) => {
    const client = newClient()
    same(
      await clients.update(client, moments()(0)),
      { outcome: 'unknown' },
      'clients.update of a client that is not there.',
    )
    check(isNone(await clients.find(client.id)), 'clients.update inserted. Update; never upsert.')
  })
}

function clientSecrets({ it }: Part<ManagedClientStore>): void {
  it('replaceSecrets goes by the hashes that are there, in their order', async (clients, at) => {
    const [one, other] = [newSecretHash(), newSecretHash()]
    const client = newClient({ secretHashes: [one] })
    await clients.create(client, at(0))
    const replace = async (from: readonly string[], to: readonly string[]) =>
      (await clients.replaceSecrets(client.id, from, to, at(1))).outcome
    const stays = 'clients.replaceSecrets of other hashes than those that are there.'
    same(await replace([], [other]), 'superseded', stays)
    same(await replace([other], [one, other]), 'superseded', stays)
    same((await clients.find(client.id))?.secretHashes, [one], stays)
    same(await replace([one], [one, other]), 'replaced', 'clients.replaceSecrets.')
    same(await replace([one], [one]), 'superseded', `${stays} One of two is not both.`)
    same(await replace([other, one], [one]), 'superseded', `${stays} The order counts.`)
    same(
      plainClient(await clients.find(client.id)),
      { ...client, secretHashes: [one, other] },
      'clients.find after clients.replaceSecrets: both, in their order, and nothing else changed.',
    )
    same(await replace([one, other], []), 'replaced', 'clients.replaceSecrets by none.')
    same(await replace([], [other]), 'replaced', 'clients.replaceSecrets where there is none.')
    same((await clients.find(client.id))?.secretHashes, [other], 'clients.find with a new secret.')
  })

  it('a client without secrets comes back without secretHashes, whatever was changed', async (clients, at) => {
    const client = newClient({ secretHashes: [newSecretHash()] })
    const { secretHashes = [], ...without } = client
    const left =
      'clients.find of a client without secrets. Leave `secretHashes` out: the router refuses a ' +
      'client whose list is empty, since a secret that was lost looks the same.'
    await clients.create(client, at(0))
    await clients.replaceSecrets(client.id, secretHashes, [], at(1))
    same(plainClient(await clients.find(client.id)), without, left)
    await clients.update(without, at(2))
    await clients.setDisabled(client.id, true, at(3))
    same(plainClient(await clients.find(client.id)), { ...without, disabled: true }, left)
  })

  it('replaceSecrets of an unknown client is superseded, and inserts nothing', async (clients) => {
    const id = randomId()
    const { outcome } = await clients.replaceSecrets(id, [], [newSecretHash()], moments()(0))
    same(outcome, 'superseded', 'clients.replaceSecrets of a client that is not there.')
    check(isNone(await clients.find(id)), 'clients.replaceSecrets inserted. Never upsert.')
  })
}

function clientSwitch({ it }: Part<ManagedClientStore>): void {
  it('setDisabled is changed only where it changes something', async (clients, at) => {
    const client = newClient()
    const { id } = client
    await clients.create(client, at(0))
    const isDisabled = async () => (await clients.find(id))?.disabled ?? false
    const set = (disabled: boolean) => () => clients.setDisabled(id, disabled, at(1))
    const shown = 'find after clients.setDisabled: a disabled client must get no token.'
    for (const [disabled, outcome] of [
      [false, 'unchanged'],
      [true, 'changed'],
      [true, 'unchanged'],
      [false, 'changed'],
      [false, 'unchanged'],
    ] as const)
      await answers([
        [set(disabled), told(outcome), 'setDisabled to false, true, true, false, false.'],
        [isDisabled, disabled, shown],
      ])
    const unknown = randomId()
    const setUnknown = () => clients.setDisabled(unknown, true, at(1))
    const find = async (key: string) => plainClient(await clients.find(key))
    await answers([
      [() => find(id), client, 'clients.setDisabled changed something else.'],
      [setUnknown, told('unchanged'), 'clients.setDisabled of a client that is not there.'],
    ])
    check(isNone(await clients.find(unknown)), 'clients.setDisabled inserted. Never upsert.')
  })
}

function clientChangesAtOnce({ inRounds }: Part<ManagedClientStore>): void {
  inRounds(
    'update, replaceSecrets and setDisabled, at once: none is lost',
    async (clients, at, round) => {
      const client = newClient()
      const { id, secretHashes = [] } = client
      const next = { ...client, name: 'Renamed' }
      const to = [newSecretHash()]
      await clients.create(client, at(0))
      await atOnce(
        round,
        () => clients.update(next, at(1)),
        () => clients.replaceSecrets(id, secretHashes, to, at(1)),
        () => clients.setDisabled(id, true, at(1)),
      )
      same(
        plainClient(await clients.find(id)),
        { ...next, secretHashes: to, disabled: true },
        'After clients.update, replaceSecrets and setDisabled at once, one of them is undone. ' +
          'Write only what changes, never the whole row.',
      )
    },
  )
}
