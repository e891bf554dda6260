import { randomId, randomSecret, sha256 } from '../../../lib/secrets.js'
import type { DeviceCodeStore } from '../../../stores/device-code-contract.js'
import {
  derivedHash,
  moments,
  newClient,
  newConsent,
  newDeviceCode,
} from '../../../stores/new-records.js'
import { check, given, isNone, type StoresUnderTest, won } from '../harness.js'
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

const claimOfKey: OneTimeOperation = {
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
  ...claimOfKey,
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
  claimOfKey,
  claimAgain,
  create,
  replaceSecrets,
  disable,
]

const codesIn = (stores: StoresUnderTest): DeviceCodeStore => given(stores, 'deviceCodes')
const deviceOf = (userCodeHash: string) => sha256(`device of ${userCodeHash}`)
const userId = 'the one who came first'

async function prepare(stores: StoresUnderTest, isClaimed: boolean): Promise<string> {
  const userCodeHash = randomSecret()
  const at = moments()
  const owner = isClaimed ? { userId, claimedAt: at(0) } : {}
  const deviceCodeHash = deviceOf(userCodeHash)
  await codesIn(stores).save(
    newDeviceCode(at, { userCodeHash, deviceCodeHash, nextPollAt: at(-1), triesLeft: 1, ...owner }),
  )
  return userCodeHash
}

const claim: OneTimeOperation = {
  ...usual,
  contract: 'deviceCodes',
  name: 'claim',
  did: 'claimed one device code, each as another user',
  why: `Somebody else would decide what the user has opened. ${oneWrite}`,
  prepare: (stores) => prepare(stores, false),
  attempt: async (stores, userCodeHash, caller) => {
    const answer = await codesIn(stores).claim(userCodeHash, `user ${caller}`, moments()(1))
    const outcome = { outcome: answer?.outcome }
    return won(outcome, 'deviceCodes.claim', { outcome: 'claimed' }, { outcome: 'foreign' })
  },
  verify: async (stores, userCodeHash, winner) => {
    const stored = await codesIn(stores).find(userCodeHash)
    check(
      stored?.userId === `user ${winner}`,
      'After deviceCodes.claim was raced, the code is not of the user whose call was `claimed`.',
    )
  },
}

const takeTry: OneTimeOperation = {
  ...usual,
  contract: 'deviceCodes',
  name: 'takeTry of the last try',
  did: 'took the last try of one device code',
  why: `A check code of three digits could be guessed. ${oneWrite}`,
  prepare: (stores) => prepare(stores, true),
  attempt: async (stores, userCodeHash) => {
    const answer = await codesIn(stores).takeTry(userCodeHash, userId, moments()(1))
    const outcome = { outcome: answer?.outcome }
    return won(outcome, 'deviceCodes.takeTry', { outcome: 'taken' }, { outcome: 'void' })
  },
}

const decide: OneTimeOperation = {
  ...usual,
  contract: 'deviceCodes',
  name: 'decide',
  did: 'decided one device code',
  why: `Who denies it would be overruled. ${oneWrite}`,
  prepare: (stores) => prepare(stores, true),
  attempt: async (stores, userCodeHash, caller) => {
    const authorizationCodeHash = `${userCodeHash} by ${caller}`
    const verdict = { state: 'approved', authorizationCodeHash } as const
    const answer = await codesIn(stores).decide(userCodeHash, userId, verdict, moments()(1))
    return won(answer, 'deviceCodes.decide', { outcome: 'decided' }, { outcome: 'unknown' })
  },
  verify: async (stores, userCodeHash, winner) => {
    const stored = await codesIn(stores).find(userCodeHash)
    check(
      stored?.authorizationCodeHash === `${userCodeHash} by ${winner}`,
      'After deviceCodes.decide was raced, the verdict is not of who was told `decided`.',
    )
  },
}

const poll: OneTimeOperation = {
  ...usual,
  contract: 'deviceCodes',
  name: 'poll',
  did: 'were polled for one device code',
  why: `A device would be answered as often as it asks. ${oneWrite}`,
  prepare: (stores) => prepare(stores, false),
  attempt: async (stores, userCodeHash) => {
    const answer = await codesIn(stores).poll(userCodeHash, deviceOf(userCodeHash), moments()(0))
    const outcome = { outcome: answer?.outcome }
    return won(outcome, 'deviceCodes.poll', { outcome: 'polled' }, { outcome: 'too-soon' })
  },
}

const save: OneTimeOperation = {
  callers: [10],
  acrossProcesses: false,
  contract: 'deviceCodes',
  name: 'save',
  did: 'saved a device code under one hash',
  why: 'All but the first must be rejected. Insert; never upsert.',
  prepare: async () => randomSecret(),
  attempt: (stores, userCodeHash, caller) =>
    codesIn(stores)
      .save(newDeviceCode(moments(), { userCodeHash, clientId: `client ${caller}` }))
      .then(
        () => true,
        () => false,
      ),
  verify: async (stores, userCodeHash, winner) => {
    const stored = await codesIn(stores).find(userCodeHash)
    check(
      stored?.clientId === `client ${winner}`,
      'After deviceCodes.save was raced, the row is not that of the caller whose call resolved.',
    )
  },
}

/** The one-time operations of device codes. */
export const deviceCodeOperations: readonly OneTimeOperation[] = [
  claim,
  takeTry,
  decide,
  poll,
  save,
]
