import { randomId } from '../../../lib/random.js'
import type { DeviceCodeStore } from '../../../stores/device-code-contract.js'
import { newDeviceCode } from '../../../stores/new-records.js'
import { goodUntil } from '../every-store/good-until.js'
import { check, same } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'
import { saveClaimed } from './device-codes.js'

const theFirst = 'The first user who opens a code is the only one who may ever decide it.'

/** Which user a device code belongs to. */
export function deviceCodeClaims(part: Part<DeviceCodeStore>): void {
  claims(part)
  claimsOver(part)
  claimsDuringPolls(part)
}

function claims({ it }: Part<DeviceCodeStore>): void {
  it('the first user who claims a code has it, and shows when', async (codes, at) => {
    const code = newDeviceCode(at)
    const twin = newDeviceCode(at, { deviceCodeHash: code.deviceCodeHash })
    const { userCodeHash } = code
    const userId = randomId()
    await codes.save(code)
    await codes.save(twin)
    const claimed = { ...code, userId, claimedAt: at(1.234) }
    same(
      await codes.claim(userCodeHash, userId, at(1.234)),
      { outcome: 'claimed', code: claimed },
      'deviceCodes.claim of a code that is nobody’s.',
    )
    same(
      await codes.claim(userCodeHash, randomId(), at(2)),
      { outcome: 'foreign' },
      `deviceCodes.claim of another user’s code. ${theFirst}`,
    )
    same(
      await codes.claim(userCodeHash, userId, at(3)),
      { outcome: 'claimed', code: claimed },
      'deviceCodes.claim of the user’s own code, once more: claimedAt stays as it was.',
    )
    same(await codes.find(userCodeHash), claimed, `deviceCodes.find after claims. ${theFirst}`)
    same(await codes.find(twin.userCodeHash), twin, 'deviceCodes.claim changed another code.')
  })

  it('an unknown code is unknown to all, and nothing makes one', async (codes, at) => {
    const { userCodeHash, deviceCodeHash } = newDeviceCode(at)
    same(
      [
        await codes.claim(userCodeHash, 'u-alice', at(1)),
        await codes.takeTry(userCodeHash, 'u-alice', at(1)),
        await codes.decide(userCodeHash, 'u-alice', { state: 'denied' }, at(1)),
        await codes.poll(userCodeHash, deviceCodeHash, at(1)),
      ],
      [{ outcome: 'unknown' }, { outcome: 'void' }, { outcome: 'unknown' }, { outcome: 'unknown' }],
      'deviceCodes.claim, takeTry, decide and poll of an unknown code.',
    )
    same(await codes.find(userCodeHash), null, 'Update; never upsert.')
  })
}

function claimsOver(part: Part<DeviceCodeStore>): void {
  part.it('a decided code is unknown to all who claim it', async (codes, at) => {
    for (const state of ['approved', 'denied', 'of a later release']) {
      const free = newDeviceCode(at, { state })
      await codes.save(free)
      const own = await saveClaimed(codes, at, { state })
      for (const { userCodeHash } of [free, own])
        for (const userId of [own.userId, randomId()])
          same(
            await codes.claim(userCodeHash, userId, at(2)),
            { outcome: 'unknown' },
            `deviceCodes.claim of a code in the state '${state}': only a pending one is opened.`,
          )
      same(await codes.find(free.userCodeHash), free, 'deviceCodes.claim changed a decided code.')
    }
  })

  part.it('an expired code is unknown to all who claim it', async (codes, at) => {
    const own = await saveClaimed(codes, at, { expiresAt: at(30) })
    const { userCodeHash, userId } = own
    for (const user of [userId, randomId()])
      same(
        await codes.claim(userCodeHash, user, at(30)),
        { outcome: 'unknown' },
        'deviceCodes.claim of an expired code, of the user’s own or another’s.',
      )
  })

  goodUntil(part, {
    row: 'device code that is claimed',
    method: 'deviceCodes.claim',
    by: 'write',
    seconds: 30,
    outcomes: { good: 'claimed', over: 'unknown' },
    async save(codes, at) {
      const code = newDeviceCode(at, { expiresAt: at(30) })
      await codes.save(code)
      return (now) => codes.claim(code.userCodeHash, 'u-alice', now)
    },
  })
}

function claimsDuringPolls({ inRounds }: Part<DeviceCodeStore>): void {
  inRounds('claim and poll, at once: both changes are there', async (codes, at, round) => {
    const code = newDeviceCode(at)
    const { userCodeHash, deviceCodeHash } = code
    await codes.save(code)
    const answers = await atOnce<readonly (() => Promise<{ outcome: string }>)[]>(
      round,
      () => codes.claim(userCodeHash, 'u-alice', at(1)),
      () => codes.poll(userCodeHash, deviceCodeHash, at(1)),
    )
    const outcomes = answers.map(({ outcome }) => outcome).sort()
    check(
      outcomes.join() === 'claimed,polled',
      `deviceCodes.claim and poll at once answered ${outcomes}, of a code that was good for both.`,
    )
    same(
      await codes.find(userCodeHash),
      { ...code, userId: 'u-alice', claimedAt: at(1), nextPollAt: at(6) },
      'deviceCodes.find after claim and poll at once. Write what changes, and not the whole row.',
    )
  })
}
