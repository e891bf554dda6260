import { sha256 } from '../../../lib/digest.js'
import { randomSecret } from '../../../lib/random.js'
import type { DeviceCodeStore } from '../../../stores/device-code-contract.js'
import { moments, newDeviceCode } from '../../../stores/new-records.js'
import { check, won } from '../harness/checks.js'
import { given, type StoresUnderTest } from '../harness/suite.js'
import { type OneTimeOperation, oneWrite, usual } from './one-time-operation.js'

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
