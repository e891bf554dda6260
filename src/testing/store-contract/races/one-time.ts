import { randomId, randomSecret, sha256 } from '../../../lib/secrets.js'
import {
  derivedHash,
  type Moment,
  newClient,
  newConsent,
  newDeviceCode,
} from '../../../stores/new-records.js'
import type {
  DeviceCodeRecord,
  DeviceCodeStore,
  OnceStore,
} from '../../../stores/one-time-contract.js'
import { isNone } from '../harness.js'
import { identityOperations, passkeyOperations, proofOperations } from './one-time-of-accounts.js'
import {
  codeOperations,
  factorOperations,
  keyOperations,
  sessionOperations,
  ticketOperations,
} from './one-time-of-sessions.js'
import {
  duplicates,
  type OneTime,
  type OneTimeOperation,
  oneWrite,
  operationsOf,
  outcomeOf,
  outcomes,
  resolves,
} from './one-time-operation.js'

const claimOfKey: OneTime<OnceStore> = {
  name: 'claim',
  did: 'claimed one key',
  why: `An assertion that was overheard would sign in a second client. ${oneWrite}`,
  prepare: async () => randomId(),
  attempt: (once, key, at) => once.claim(key, at(60), at(0)),
  answers: outcomes('claimed', 'known'),
}
const secretHash = (use: string, id: string) => `sha256:${derivedHash(use, id)}`

/** The one-time operations of the stores for OAuth clients. */
const oauthOperations: readonly OneTimeOperation[] = [
  ...operationsOf('consents', [
    {
      name: 'revoke',
      did: 'revoked one consent',
      why: `Each would tell the user, and end the sessions of the client once more. ${oneWrite}`,
      prepare: async (consents, at) => {
        const id = randomId()
        await consents.grant(newConsent(at, { userId: id, clientId: id }))
        return id
      },
      attempt: (consents, id) => consents.revoke(id, id),
      answers: outcomes('revoked', 'unknown'),
      stored: async (consents, id) => [isNone(await consents.find(id, id)), true],
    },
  ]),
  ...operationsOf('once', [
    claimOfKey,
    {
      ...claimOfKey,
      name: 'claim of a key whose note has expired',
      prepare: async (once, at) => {
        const key = randomId()
        await once.claim(key, at(-1), at(-60))
        return key
      },
    },
  ]),
  ...operationsOf('clients', [
    {
      name: 'create',
      did: 'created a client with one id',
      why: 'One would overwrite where codes of the other go. Insert; the key refuses the rest.',
      withinOneProcess: true,
      prepare: async () => randomId(),
      attempt: (clients, id, at, caller) =>
        clients.create(newClient({ id, name: `${caller}` }), at(0)),
      answers: outcomes('created', 'exists'),
      stored: async (clients, id, winner) => [(await clients.find(id))?.name, `${winner}`],
    },
    {
      name: 'replaceSecrets',
      did: 'replaced the same secrets',
      why: `All but one were handed a secret that does not work. ${oneWrite}`,
      prepare: async (clients, at) => {
        const id = randomId()
        await clients.create(newClient({ id, secretHashes: [secretHash('first', id)] }), at(0))
        return id
      },
      attempt: (clients, id, at, caller) => {
        const from = [secretHash('first', id)]
        return clients.replaceSecrets(id, from, [...from, secretHash(`of ${caller}`, id)], at(1))
      },
      answers: outcomes('replaced', 'superseded'),
      stored: async (clients, id, winner) => [
        (await clients.find(id))?.secretHashes?.[1],
        secretHash(`of ${winner}`, id),
      ],
    },
    {
      name: 'setDisabled',
      did: 'disabled one client',
      why: `Each would end the sessions of the client once more. ${oneWrite}`,
      withinOneProcess: true,
      prepare: async (clients, at) => {
        const client = newClient()
        await clients.create(client, at(0))
        return client.id
      },
      attempt: (clients, id, at) => clients.setDisabled(id, true, at(1)),
      answers: outcomes('changed', 'unchanged'),
    },
  ]),
]

const deviceOf = (userCodeHash: string) => sha256(`device of ${userCodeHash}`)
const userId = 'the one who came first'

async function prepare(
  codes: DeviceCodeStore,
  at: Moment,
  owner: Partial<DeviceCodeRecord> = {},
): Promise<string> {
  const userCodeHash = randomSecret()
  const times = { nextPollAt: at(-1), triesLeft: 1 }
  const deviceCodeHash = deviceOf(userCodeHash)
  await codes.save(newDeviceCode(at, { userCodeHash, deviceCodeHash, ...times, ...owner }))
  return userCodeHash
}
const prepareClaimed = (codes: DeviceCodeStore, at: Moment) =>
  prepare(codes, at, { userId, claimedAt: at(0) })

/** The one-time operations of device codes. */
const deviceCodeOperations: readonly OneTimeOperation[] = operationsOf('deviceCodes', [
  {
    name: 'claim',
    did: 'claimed one device code, each as another user',
    why: `Somebody else would decide what the user has opened. ${oneWrite}`,
    prepare: (codes, at) => prepare(codes, at),
    attempt: (codes, hash, at, caller) => outcomeOf(codes.claim(hash, `user ${caller}`, at(1))),
    answers: outcomes('claimed', 'foreign'),
    stored: async (codes, hash, winner) => [(await codes.find(hash))?.userId, `user ${winner}`],
  },
  {
    name: 'takeTry of the last try',
    did: 'took the last try of one device code',
    why: `A check code of three digits could be guessed. ${oneWrite}`,
    prepare: prepareClaimed,
    attempt: (codes, hash, at) => outcomeOf(codes.takeTry(hash, userId, at(1))),
    answers: outcomes('taken', 'void'),
  },
  {
    name: 'decide',
    did: 'decided one device code',
    why: `Who denies it would be overruled. ${oneWrite}`,
    prepare: prepareClaimed,
    attempt: (codes, hash, at, caller) => {
      const authorizationCodeHash = `${hash} by ${caller}`
      return codes.decide(hash, userId, { state: 'approved', authorizationCodeHash }, at(1))
    },
    answers: outcomes('decided', 'unknown'),
    stored: async (codes, hash, winner) => [
      (await codes.find(hash))?.authorizationCodeHash,
      `${hash} by ${winner}`,
    ],
  },
  {
    name: 'poll',
    did: 'were polled for one device code',
    why: `A device would be answered as often as it asks. ${oneWrite}`,
    prepare: (codes, at) => prepare(codes, at),
    attempt: (codes, hash, at) => outcomeOf(codes.poll(hash, deviceOf(hash), at(0))),
    answers: outcomes('polled', 'too-soon'),
  },
  {
    ...duplicates,
    name: 'save',
    did: 'saved a device code under one hash',
    prepare: async () => randomSecret(),
    attempt: (codes, userCodeHash, at, caller) =>
      resolves(codes.save(newDeviceCode(at, { userCodeHash, clientId: `client ${caller}` }))),
    stored: async (codes, hash, winner) => [(await codes.find(hash))?.clientId, `client ${winner}`],
  },
])

/** Every one-time operation of every contract. */
export const oneTimeOperations: readonly OneTimeOperation[] = [
  ...codeOperations,
  ...sessionOperations,
  ...ticketOperations,
  ...factorOperations,
  ...keyOperations,
  ...oauthOperations,
  ...passkeyOperations,
  ...proofOperations,
  ...identityOperations,
  ...deviceCodeOperations,
]
