import { randomId, randomSecret } from '../../lib/secrets.js'
import { newDeviceCode } from '../../stores/new-records.js'
import type {
  DeviceCodeRecord,
  DeviceCodeStore,
  DeviceCodeVerdict,
} from '../../stores/one-time-contract.js'
import { saveClaimed } from './device-codes.js'
import { goodUntil } from './every-store/rows.js'
import { answers, atOnce, check, type Part, same, told } from './harness.js'

const theFirst = 'The first user who opens a code is the only one who may ever decide it.'

const denied: DeviceCodeVerdict = { state: 'denied' }
const approved = (): DeviceCodeVerdict => ({
  state: 'approved',
  authorizationCodeHash: randomSecret(),
})

const find =
  (codes: DeviceCodeStore, { userCodeHash }: DeviceCodeRecord) =>
  () =>
    codes.find(userCodeHash)
const decide =
  (codes: DeviceCodeStore, hash: string, userId: string, verdict: DeviceCodeVerdict, now: Date) =>
  () =>
    codes.decide(hash, userId, verdict, now)

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
    const claimed = { ...code, userId, claimedAt: at(1.234) }
    const own = { outcome: 'claimed', code: claimed }
    const claim = (seconds: number, claimant: string) => () =>
      codes.claim(userCodeHash, claimant, at(seconds))
    const again = 'claim of the user’s own code, once more: claimedAt stays as it was.'
    await codes.save(code)
    await codes.save(twin)
    await answers([
      [claim(1.234, userId), own, 'deviceCodes.claim of a code that is nobody’s.'],
      [claim(2, randomId()), told('foreign'), `claim of another user’s code. ${theFirst}`],
      [claim(3, userId), own, again],
      [find(codes, code), claimed, `deviceCodes.find after claims. ${theFirst}`],
      [find(codes, twin), twin, 'deviceCodes.claim changed another code.'],
    ])
  })

  it('an unknown code is unknown to all, and nothing makes one', async (codes, at) => {
    const code = newDeviceCode(at)
    const { userCodeHash, deviceCodeHash } = code
    const [unknown, of] = [told('unknown'), 'of an unknown code.']
    await answers([
      [() => codes.claim(userCodeHash, 'u-alice', at(1)), unknown, `deviceCodes.claim ${of}`],
      [() => codes.takeTry(userCodeHash, 'u-alice', at(1)), told('void'), `takeTry ${of}`],
      [decide(codes, userCodeHash, 'u-alice', denied, at(1)), unknown, `decide ${of}`],
      [() => codes.poll(userCodeHash, deviceCodeHash, at(1)), unknown, `poll ${of}`],
      [find(codes, code), null, 'Update; never upsert.'],
    ])
  })
}

function claimsOver(part: Part<DeviceCodeStore>): void {
  part.it('a decided code is unknown to all who claim it', async (codes, at) => {
    for (const state of ['approved', 'denied', 'of a later release']) {
      const free = newDeviceCode(at, { state })
      await codes.save(free)
      const own = await saveClaimed(codes, at, { state })
      const why = `claim of a code in the state '${state}': only a pending one is opened.`
      for (const { userCodeHash } of [free, own])
        for (const userId of [own.userId, randomId()])
          same(await codes.claim(userCodeHash, userId, at(2)), told('unknown'), why)
      same(await codes.find(free.userCodeHash), free, 'deviceCodes.claim changed a decided code.')
    }
  })

  part.it('an expired code is unknown to all who claim it', async (codes, at) => {
    const { userCodeHash, userId } = await saveClaimed(codes, at, { expiresAt: at(30) })
    const why = 'deviceCodes.claim of an expired code, of the user’s own or another’s.'
    for (const user of [userId, randomId()])
      same(await codes.claim(userCodeHash, user, at(30)), told('unknown'), why)
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

const notTheirs = 'somebody else would sign the device in'

/** Trying check codes, and the decision of the user. */
export function deviceCodeDecisions(part: Part<DeviceCodeStore>): void {
  takesTries(part)
  takesExactly(part)
  decides(part)
  refusesOthers(part)
  expires(part)
  decidesDuringTries(part)
}

function takesTries({ it }: Part<DeviceCodeStore>): void {
  it('takeTry gives as many tries as there are, one at a time', async (codes, at) => {
    const code = await saveClaimed(codes, at, { triesLeft: 2 })
    const { userCodeHash, userId } = code
    const takeTry = () => codes.takeTry(userCodeHash, userId, at(2))
    const taken = (triesLeft: number) => ({ outcome: 'taken', code: { ...code, triesLeft } })
    const asked = 'decide asked for triesLeft: whoever decides has taken a try before.'
    await answers([
      [takeTry, taken(1), 'deviceCodes.takeTry of a code that has tries.'],
      [takeTry, taken(0), 'deviceCodes.takeTry of a code that has tries.'],
      [takeTry, told('void'), 'takeTry without tries: three digits could be guessed.'],
      [find(codes, code), taken(0).code, 'takeTry changes triesLeft alone, and never below 0.'],
      [decide(codes, userCodeHash, userId, denied, at(3)), told('decided'), asked],
    ])
  })
}

function takesExactly({ it }: Part<DeviceCodeStore>): void {
  for (const callers of [2, 10, 100]) {
    const expected = Math.min(3, callers)
    it(`takeTry of 3 tries is won by ${expected} of ${callers} callers`, async (codes, at) => {
      const code = await saveClaimed(codes, at, { triesLeft: 3 })
      const { userCodeHash, userId } = code
      const answers = await Promise.all(
        Array.from({ length: callers }, () => codes.takeTry(userCodeHash, userId, at(2))),
      )
      const taken = answers.filter(({ outcome }) => outcome === 'taken').length
      check(
        taken === expected,
        `${taken} of ${callers} callers took one of 3 tries, instead of exactly ${expected}. ` +
          'Take it in one conditional write.',
      )
      same(
        await codes.find(userCodeHash),
        { ...code, triesLeft: 3 - expected },
        'deviceCodes.find after the tries were raced.',
      )
    })
  }
}

function decides({ it }: Part<DeviceCodeStore>): void {
  it('a verdict changes what it says, is final, and leaves nothing to claim or try', async (codes, at) => {
    for (const verdict of [approved(), denied]) {
      const code = await saveClaimed(codes, at)
      const twin = await saveClaimed(codes, at, { userId: code.userId })
      const { userCodeHash, userId } = code
      const decided = { ...code, ...verdict }
      const deciding = (again: DeviceCodeVerdict, seconds: number) =>
        decide(codes, userCodeHash, userId, again, at(seconds))
      const final = `deviceCodes.decide after it was ${verdict.state}: one verdict is final.`
      const takeTry = () => codes.takeTry(userCodeHash, userId, at(3))
      await answers([
        [deciding(verdict, 2), told('decided'), 'deviceCodes.decide of the user’s own code.'],
        [find(codes, code), decided, 'deviceCodes.find after a verdict.'],
        [deciding(approved(), 3), told('unknown'), final],
        [deciding(denied, 3), told('unknown'), final],
        [takeTry, told('void'), `deviceCodes.takeTry after it was ${verdict.state}.`],
        [find(codes, code), decided, 'A verdict stays as it was.'],
        [find(codes, twin), twin, 'deviceCodes.decide changed another code.'],
      ])
    }
  })
}

function refusesOthers({ it }: Part<DeviceCodeStore>): void {
  it('nobody decides or tries a code that is another user’s, or nobody’s', async (codes, at) => {
    const own = await saveClaimed(codes, at)
    const free = newDeviceCode(at)
    await codes.save(free)
    const byStranger = `deviceCodes.decide by who has not claimed the code: ${notTheirs}.`
    const usedUp = 'takeTry by who has not claimed the code: the user’s tries would be used up.'
    for (const [code, userId] of [
      [own, randomId()],
      [own, ''],
      [free, own.userId],
      [free, ''],
    ] as const) {
      const { userCodeHash } = code
      await answers([
        [decide(codes, userCodeHash, userId, approved(), at(2)), told('unknown'), byStranger],
        [decide(codes, userCodeHash, userId, denied, at(2)), told('unknown'), byStranger],
        [() => codes.takeTry(userCodeHash, userId, at(2)), told('void'), usedUp],
        [find(codes, code), code, `find of a code that others wanted to decide: ${notTheirs}.`],
      ])
    }
  })
}

function expires(part: Part<DeviceCodeStore>): void {
  for (const { row, method, good, over, call } of [
    {
      row: 'device code that is tried',
      method: 'deviceCodes.takeTry',
      good: 'taken',
      over: 'void',
      call: (codes: DeviceCodeStore, hash: string, userId: string, now: Date) =>
        codes.takeTry(hash, userId, now),
    },
    {
      row: 'device code that is decided',
      method: 'deviceCodes.decide',
      good: 'decided',
      over: 'unknown',
      call: (codes: DeviceCodeStore, hash: string, userId: string, now: Date) =>
        codes.decide(hash, userId, approved(), now),
    },
  ])
    goodUntil(part, {
      row,
      method,
      by: 'write',
      seconds: 30,
      outcomes: { good, over },
      async save(codes, at) {
        const { userCodeHash, userId } = await saveClaimed(codes, at, { expiresAt: at(30) })
        return (now) => call(codes, userCodeHash, userId, now)
      },
    })
}

function decidesDuringTries({ inRounds }: Part<DeviceCodeStore>): void {
  inRounds(
    'approved and denied, at once, while it is tried and polled: one verdict is there',
    async (codes, at, round) => {
      const code = await saveClaimed(codes, at)
      const { userCodeHash, deviceCodeHash, userId } = code
      const verdict = approved()
      const [first, second, tried] = await decideAtOnce(round, [
        () => codes.decide(userCodeHash, userId, verdict, at(2)),
        () => codes.decide(userCodeHash, userId, { state: 'denied' }, at(2)),
        () => codes.takeTry(userCodeHash, userId, at(2)),
        () => codes.poll(userCodeHash, deviceCodeHash, at(2)),
      ])
      check(
        [first, second].sort().join() === 'decided,unknown',
        `deviceCodes.decide answered ${first} to who approves and ${second} to who denies: ` +
          'one caller decides.',
      )
      same(
        await codes.find(userCodeHash),
        {
          ...code,
          ...(first === 'decided' ? verdict : { state: 'denied' }),
          triesLeft: tried === 'taken' ? code.triesLeft - 1 : code.triesLeft,
          nextPollAt: at(7),
        },
        'deviceCodes.find after two verdicts at once: that of the caller who was told `decided`, ' +
          'whole. Write what changes.',
      )
    },
  )
}

/** The outcomes in the order of the calls, whichever of them began first. */
async function decideAtOnce(
  round: number,
  calls: readonly (() => Promise<{ readonly outcome: string }>)[],
): Promise<(string | undefined)[]> {
  const outcomes: string[] = []
  const noting = calls.map((call, index) => async () => {
    outcomes[index] = (await call()).outcome
  })
  await atOnce(round, ...noting)
  return outcomes
}
