import { randomId } from '../../../lib/random.js'
import { derivedHash, moments, newClient, newConsent } from '../../../stores/new-records.js'
import { check, isNone, won } from '../harness/checks.js'
import { given } from '../harness/suite.js'
import { type OneTimeOperation, oneWrite, usual, withinOne } from './one-time-operation.js'

const revoke: OneTimeOperation = {
  ...usual,
  contract: 'consents',
  name: 'revoke',
  did: 'revoked one consent',
  why: `Each would tell the user, and end the sessions of the client once more. ${oneWrite}`,
  prepare: async (stores) => {
    const id = randomId()
    await given(stores, 'consents').grant(newConsent(moments(), { userId: id, clientId: id }))
    return id
  },
  attempt: async (stores, id) =>
    won(
      await given(stores, 'consents').revoke(id, id),
      'consents.revoke',
      { outcome: 'revoked' },
      { outcome: 'unknown' },
    ),
  verify: async (stores, id) =>
    check(
      isNone(await given(stores, 'consents').find(id, id)),
      'After consents.revoke was raced, the consent is still there.',
    ),
}

const claim: OneTimeOperation = {
  ...usual,
  contract: 'once',
  name: 'claim',
  did: 'claimed one key',
  why: `An assertion that was overheard would sign in a second client. ${oneWrite}`,
  prepare: async () => randomId(),
  attempt: async (stores, key) => {
    const at = moments()
    return won(
      await given(stores, 'once').claim(key, at(60), at(0)),
      'once.claim',
      { outcome: 'claimed' },
      { outcome: 'known' },
    )
  },
}

const claimAgain: OneTimeOperation = {
  ...claim,
  name: 'claim of a key whose note has expired',
  prepare: async (stores) => {
    const at = moments()
    const key = randomId()
    await given(stores, 'once').claim(key, at(-1), at(-60))
    return key
  },
}

const create: OneTimeOperation = {
  ...withinOne,
  contract: 'clients',
  name: 'create',
  did: 'created a client with one id',
  why:
    'One would overwrite where the codes of the other go. Insert, and let the key refuse the ' +
    'rest.',
  prepare: async () => randomId(),
  attempt: async (stores, id, caller) =>
    won(
      await given(stores, 'clients').create(newClient({ id, name: `${caller}` }), moments()(0)),
      'clients.create',
      { outcome: 'created' },
      { outcome: 'exists' },
    ),
  verify: async (stores, id, winner) => {
    const stored = await given(stores, 'clients').find(id)
    check(
      stored?.name === `${winner}`,
      'After clients.create was raced, the stored client is not that of the caller who was told ' +
        '`created`.',
    )
  },
}

const secretHash = (use: string, id: string) => `sha256:${derivedHash(use, id)}`

const replaceSecrets: OneTimeOperation = {
  ...usual,
  contract: 'clients',
  name: 'replaceSecrets',
  did: 'replaced the same secrets',
  why: `All but one were handed a secret that does not work. ${oneWrite}`,
  prepare: async (stores) => {
    const id = randomId()
    const client = newClient({ id, secretHashes: [secretHash('first', id)] })
    await given(stores, 'clients').create(client, moments()(0))
    return id
  },
  attempt: async (stores, id, caller) => {
    const from = [secretHash('first', id)]
    const to = [...from, secretHash(`of ${caller}`, id)]
    return won(
      await given(stores, 'clients').replaceSecrets(id, from, to, moments()(1)),
      'clients.replaceSecrets',
      { outcome: 'replaced' },
      { outcome: 'superseded' },
    )
  },
  verify: async (stores, id, winner) => {
    const stored = await given(stores, 'clients').find(id)
    check(
      stored?.secretHashes?.[1] === secretHash(`of ${winner}`, id),
      'After clients.replaceSecrets was raced, the secret of the caller who was told `replaced` ' +
        'does not work.',
    )
  },
}

const disable: OneTimeOperation = {
  ...withinOne,
  contract: 'clients',
  name: 'setDisabled',
  did: 'disabled one client',
  why: `Each would end the sessions of the client once more. ${oneWrite}`,
  prepare: async (stores) => {
    const client = newClient()
    await given(stores, 'clients').create(client, moments()(0))
    return client.id
  },
  attempt: async (stores, id) =>
    won(
      await given(stores, 'clients').setDisabled(id, true, moments()(1)),
      'clients.setDisabled',
      { outcome: 'changed' },
      { outcome: 'unchanged' },
    ),
}

/** The one-time operations of the stores for OAuth clients. */
export const oauthOperations: readonly OneTimeOperation[] = [
  revoke,
  claim,
  claimAgain,
  create,
  replaceSecrets,
  disable,
]
