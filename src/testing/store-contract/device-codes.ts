import { randomId, randomSecret } from '../../lib/secrets.js'
import { type Moment, newDeviceCode } from '../../stores/new-records.js'
import type { DeviceCodeRecord, DeviceCodeStore } from '../../stores/one-time-contract.js'
import { purgeContract } from './every-store/purge-contract.js'
import { comesBack, type Rows, recordsAreCopies } from './every-store/rows.js'
import {
  answers,
  awkwardPairs,
  check,
  inheritedNames,
  isNone,
  longAwkwardText,
  otherCase,
  type Part,
  rejects,
  resolves,
  same,
  told,
} from './harness.js'

const deviceCodeRows: Rows<DeviceCodeStore, DeviceCodeRecord> = {
  saving: 'deviceCodes.save',
  saved: 'saved',
  save: (codes, code) => codes.save(code),
  finding: 'deviceCodes.find',
  find: (codes, { userCodeHash }) => codes.find(userCodeHash),
}

/** Saves a code that is this user's from the first second on. */
export async function saveClaimed(
  codes: DeviceCodeStore,
  at: Moment,
  change: Partial<DeviceCodeRecord> = {},
): Promise<DeviceCodeRecord & { readonly userId: string }> {
  const userId = change.userId ?? randomId()
  const code = newDeviceCode(at, { claimedAt: at(1), ...change, userId })
  await codes.save(code)
  return { ...code, userId }
}

/** Single rows of device codes, and whose they are. */
export function deviceCodesContract(part: Part<DeviceCodeStore>): void {
  comeBack(part)
  recordsAreCopies(part, newDeviceCode, deviceCodeRows)
  duplicates(part)
  finding(part)
  identity(part)
}

function comeBack({ it }: Part<DeviceCodeStore>): void {
  it('a device code comes back as it was saved, and is null when there is none', async (codes, at) => {
    const absent = { clientId: null, name: null, requestedIp: null, requestedAgent: null }
    const empty = { clientId: '', name: '', requestedIp: '', requestedAgent: '' }
    const texts = { scope: longAwkwardText, name: longAwkwardText, requestedAgent: longAwkwardText }
    const times = { createdAt: at(0.456), nextPollAt: at(5.678), expiresAt: at(4e7 + 0.789) }
    const approved = { state: 'approved', authorizationCodeHash: randomSecret(), triesLeft: 0 }
    for (const code of [
      newDeviceCode(at),
      newDeviceCode(at, { ...absent, purpose: 'link', resources: [], scope: '' }),
      newDeviceCode(at, { ...empty, resources: ['', 'b', 'a', 'b'], triesLeft: 1_000_000 }),
      newDeviceCode(at, { ...texts, resources: [longAwkwardText] }),
      newDeviceCode(at, { ...times, interval: 86_400 * 366 }),
      newDeviceCode(at, { ...approved, userId: randomId(), claimedAt: at(1.234) }),
      newDeviceCode(at, { userId: '', claimedAt: at(1), state: 'of a later release' }),
    ]) {
      await comesBack(codes, code, deviceCodeRows)
    }
  })
}

function duplicates({ it }: Part<DeviceCodeStore>): void {
  it('saving a hash again rejects and changes nothing, before its decision and after', async (codes, at) => {
    const code = newDeviceCode(at)
    const { userCodeHash } = code
    const again = newDeviceCode(at, { userCodeHash })
    const taken = 'deviceCodes.save took a hash that is already there'
    await codes.save(code)
    await rejects(codes.save(again), `${taken}: a user would sign another device in. Insert.`)
    same(await codes.find(userCodeHash), code, 'A rejected deviceCodes.save changes nothing.')
    await codes.claim(userCodeHash, 'u-alice', at(1))
    await codes.decide(userCodeHash, 'u-alice', { state: 'denied' }, at(2))
    await rejects(codes.save(again), `${taken} and decided: it could be decided again. Insert.`)
    const { outcome } = await codes.claim(userCodeHash, 'u-eve', at(3))
    check(outcome === 'unknown', 'A rejected deviceCodes.save made a decided code good again.')
  })

  it('a device and a client have as many codes as were saved', async (codes, at) => {
    const first = newDeviceCode(at)
    const { deviceCodeHash, clientId, name } = first
    const second = newDeviceCode(at, { deviceCodeHash, clientId, name })
    for (const code of [first, second])
      await resolves(codes.save(code), 'deviceCodes.save refused a second code of one client.')
    for (const code of [first, second])
      same(await codes.find(code.userCodeHash), code, 'deviceCodes.find of one of two codes.')
  })
}

function finding({ it }: Part<DeviceCodeStore>): void {
  it('find changes nothing, and answers a code also when it is decided or expired', async (codes, at) => {
    const code = newDeviceCode(at, { expiresAt: at(-1), state: 'denied', triesLeft: 0 })
    const kept = 'find of a code that is decided and expired: it stays until it is purged.'
    await codes.save(code)
    for (let time = 0; time < 3; time += 1) same(await codes.find(code.userCodeHash), code, kept)
  })
}

function identity({ it }: Part<DeviceCodeStore>): void {
  it('hashes and users that differ in one byte are different ones', async (codes, at) => {
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const why = `that differ by ${what}. Compare bytewise.`
      const one = newDeviceCode(at, { userCodeHash: first, deviceCodeHash: first })
      const other = newDeviceCode(at, { userCodeHash: second, deviceCodeHash: second })
      await codes.save(one)
      await resolves(codes.save(other), `deviceCodes.save confuses hashes ${why}`)
      const devices = [await codes.find(first), await codes.find(second)]
      const found = devices.map((code) => code?.deviceCodeHash)
      same(found, [first, second], `deviceCodes.find confuses hashes ${why}`)
      const isUnknown = async (device: string) =>
        (await codes.poll(first, device, at(1))).outcome === 'unknown'
      const polled = [await isUnknown(second), await isUnknown(randomSecret())]
      same(polled[0], polled[1], `deviceCodes.poll confuses hashes of devices ${why}`)
      const stranger = await asOther(codes, at, first, randomId())
      const confused = `deviceCodes.claim, takeTry and decide confuse users ${why}`
      same(await asOther(codes, at, first, second), stranger, confused)
    }
  })

  it('hashes that differ by case are different device codes', async (codes, at) => {
    const one = newDeviceCode(at)
    const other = newDeviceCode(at, { userCodeHash: otherCase(one.userCodeHash) })
    await codes.save(one)
    await resolves(codes.save(other), 'deviceCodes.save ignores case. Compare bytewise.')
    const found = (await codes.find(one.userCodeHash))?.deviceCodeHash
    same(found, one.deviceCodeHash, 'deviceCodes.find ignores case. Compare bytewise.')
  })

  it('a hash that every object has as a property is no device code', async (codes) => {
    for (const name of inheritedNames)
      check(
        isNone(await codes.find(name)),
        `deviceCodes.find of '${name}'. Keep rows in a Map, not in a plain object.`,
      )
  })
}

/** What a user is told of a code that is the owner's. */
async function asOther(codes: DeviceCodeStore, at: Moment, owner: string, userId: string) {
  const { userCodeHash } = newDeviceCode(at)
  await codes.save(newDeviceCode(at, { userCodeHash }))
  await codes.claim(userCodeHash, owner, at(1))
  const answers = [
    await codes.claim(userCodeHash, userId, at(2)),
    await codes.takeTry(userCodeHash, userId, at(2)),
    await codes.decide(userCodeHash, userId, { state: 'denied' }, at(2)),
  ]
  return answers.map(({ outcome }) => outcome)
}

const pace =
  'A device that asks too soon waits five seconds longer from then on (RFC 8628 §3.5), and ' +
  'others do not.'

/** A device that asks for its verdict. */
export function deviceCodePolls(part: Part<DeviceCodeStore>): void {
  keepsPace(part)
  answersAlike(part)
  knowsDevices(part)
  pollsAtOnce(part)
}

function keepsPace({ it }: Part<DeviceCodeStore>): void {
  it('poll at nextPollAt is polled, and one millisecond before too soon: the interval grows', async (codes, at) => {
    const code = newDeviceCode(at, { interval: 5, nextPollAt: at(0.123) })
    const { userCodeHash, deviceCodeHash } = code
    await codes.save(code)
    const left = `deviceCodes.poll. ${pace} It answers the row as this question has left it.`
    for (const [now, outcome, interval, next] of [
      [0.122, 'too-soon', 10, 10.122],
      [10.122, 'polled', 10, 20.122],
      [20.121, 'too-soon', 15, 35.121],
      [20.121, 'too-soon', 20, 40.121],
      [40.121, 'polled', 20, 60.121],
      // A clock that is behind.
      [-30, 'too-soon', 25, -5],
      [-5, 'polled', 25, 20],
    ] as const) {
      const after = { ...code, interval, nextPollAt: at(next) }
      await answers([
        [() => codes.poll(userCodeHash, deviceCodeHash, at(now)), { outcome, code: after }, left],
        [() => codes.find(userCodeHash), after, `deviceCodes.find after poll. ${pace}`],
      ])
    }
  })

  it('poll keeps the pace of a long interval to the millisecond', async (codes, at) => {
    const interval = 86_400 * 366
    const code = newDeviceCode(at, { interval, nextPollAt: at(0) })
    await codes.save(code)
    const polled = { outcome: 'polled', code: { ...code, nextPollAt: at(0.789 + interval) } }
    const answer = await codes.poll(code.userCodeHash, code.deviceCodeHash, at(0.789))
    same(answer, polled, 'poll of a code whose interval is a year: eleven digits of milliseconds.')
  })
}

function answersAlike({ it }: Part<DeviceCodeStore>): void {
  it('poll answers decided and expired codes alike, with their verdict', async (codes, at) => {
    const userId = randomId()
    for (const change of [
      { state: 'approved', authorizationCodeHash: randomSecret(), userId, claimedAt: at(1) },
      { state: 'denied', userId, claimedAt: at(1) },
      { state: 'of a later release' },
      { expiresAt: at(1) },
      { triesLeft: 0 },
    ]) {
      const code = newDeviceCode(at, change)
      const poll = (seconds: number) => () =>
        codes.poll(code.userCodeHash, code.deviceCodeHash, at(seconds))
      const polled = { outcome: 'polled', code: { ...code, nextPollAt: at(7) } }
      const tooSoon = { outcome: 'too-soon', code: { ...code, interval: 10, nextPollAt: at(13) } }
      const what = `deviceCodes.poll of a code with ${JSON.stringify(change)}`
      await codes.save(code)
      await answers([
        [poll(2), polled, `${what}: the router tells the device.`],
        [poll(3), tooSoon, `${what}. ${pace}`],
      ])
    }
  })
}

function knowsDevices({ it }: Part<DeviceCodeStore>): void {
  it('poll with the hash of another device is unknown, and changes nothing', async (codes, at) => {
    const code = newDeviceCode(at)
    const other = newDeviceCode(at)
    for (const one of [code, other]) await codes.save(one)
    const { userCodeHash, deviceCodeHash } = code
    const strangers = [other.deviceCodeHash, userCodeHash, '', deviceCodeHash.slice(0, -1)]
    const fetched = 'poll by who has seen the user code alone: a stranger would fetch the sign-in.'
    for (const stranger of strangers)
      same(await codes.poll(userCodeHash, stranger, at(1)), told('unknown'), fetched)
    const slowed = 'poll with the hash of another device: a stranger would slow the device down.'
    for (const one of [code, other]) same(await codes.find(one.userCodeHash), one, slowed)
  })
}

function pollsAtOnce({ it }: Part<DeviceCodeStore>): void {
  it('poll by 50 callers, at once: one is polled, and each of the others waits five seconds more', async (codes, at) => {
    const code = newDeviceCode(at)
    const { userCodeHash, deviceCodeHash } = code
    await codes.save(code)
    const poll = () => codes.poll(userCodeHash, deviceCodeHash, at(1))
    const said = await Promise.all(Array.from({ length: 50 }, poll))
    const polled = said.filter(({ outcome }) => outcome === 'polled').length
    check(
      polled === 1,
      `${polled} of 50 callers of deviceCodes.poll were \`polled\`, instead of exactly one. Make ` +
        'it one write that reads what it replaces.',
    )
    const slowed = { ...code, interval: 250, nextPollAt: at(251) }
    const sum = '5 + 49 * 5 seconds.'
    same(await codes.find(userCodeHash), slowed, `find after 49 of 50 polls were too soon: ${sum}`)
  })
}

const over = 30

/** `purge` of device codes. */
export function deviceCodesPurge(part: Part<DeviceCodeStore>): void {
  const expiring = (at: Moment, change: Partial<DeviceCodeRecord> = {}) =>
    newDeviceCode(at, { expiresAt: at(over), ...change })
  const denied = { state: 'denied', userId: 'u-alice' }
  purgeContract(part, {
    method: 'deviceCodes.purge',
    row: 'device code',
    moments: [
      ['a pending device code at the moment it expires', over, expiring],
      ['a decided device code at the moment it expires', over, (at) => expiring(at, denied)],
    ],
    save: (codes, code) => codes.save(code),
    isThere: async (codes, { userCodeHash }) => !isNone(await codes.find(userCodeHash)),
    isCountable: true,
    living: newDeviceCode,
    make: (at) => expiring(at),
    over,
  })
}
