import { randomId } from '../../../lib/random.js'
import type { ManagedClientStore } from '../../../stores/client-contract.js'
import type { ConsentStore } from '../../../stores/consent-contract.js'
import { moments, newClient, newConsent, newSecretHash } from '../../../stores/new-records.js'
import type { OnceStore } from '../../../stores/once-contract.js'
import { isNone, same, shared } from '../harness/checks.js'

/** One process grants consents, and the other reads them. */
export async function consentsOf(one: ConsentStore, other: ConsentStore): Promise<void> {
  const at = moments()
  const consent = newConsent(at, { scopes: ['openid'] })
  const { userId, clientId } = consent
  const found = async () => (await other.find(userId, clientId))?.scopes
  const listed = async () => (await other.listForUser(userId)).length
  same([await found(), await listed()], [undefined, 0], 'consents.find of none.')
  await one.grant(consent)
  same(
    [await found(), await listed()],
    [['openid'], 1],
    `consents.find and listForUser of a consent that another process has granted. ${shared}`,
  )
  await other.grant({ ...consent, scopes: ['profile'] })
  same(
    [...((await one.find(userId, clientId))?.scopes ?? [])].sort(),
    ['openid', 'profile'],
    `consents.find of a consent to which two processes have added. ${shared}`,
  )
  await one.revoke(userId, clientId)
  same(
    [isNone(await other.find(userId, clientId)), await listed()],
    [true, 0],
    `consents.find and listForUser of a consent that another process has revoked. ${shared}`,
  )
}

/** One process claims keys, and the other claims them again. */
export async function onceOf(one: OnceStore, other: OnceStore): Promise<void> {
  const at = moments()
  const key = randomId()
  await one.claim(key, at(60), at(0))
  same(
    await other.claim(key, at(60), at(0)),
    { outcome: 'known' },
    `once.claim of a key that another process has claimed. ${shared}`,
  )
}

/** One process changes clients, and the other reads them. */
export async function clientsOf(one: ManagedClientStore, other: ManagedClientStore): Promise<void> {
  const at = moments()
  const hash = newSecretHash()
  const { secretHashes: _none, ...client } = newClient()
  const { id } = client
  same(isNone(await other.find(id)), true, 'clients.find of none.')
  await one.create(client, at(0))
  same((await other.find(id))?.name, client.name, `clients.find of a new client. ${shared}`)
  await one.update({ ...client, name: 'Renamed' }, at(1))
  same((await other.find(id))?.name, 'Renamed', `clients.find after update. ${shared}`)
  await one.replaceSecrets(id, [], [hash], at(1))
  same((await other.find(id))?.secretHashes, [hash], `clients.find with a new secret. ${shared}`)
  await one.setDisabled(id, true, at(1))
  same((await other.find(id))?.disabled, true, `clients.find of a disabled client. ${shared}`)
}
