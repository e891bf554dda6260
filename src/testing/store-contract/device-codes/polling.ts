import { randomId, randomSecret } from '../../../lib/random.js'
import type { DeviceCodeStore } from '../../../stores/device-code-contract.js'
import { newDeviceCode } from '../../../stores/new-records.js'
import { check, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

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
    const asked = [
      [0.122, 'too-soon', 10, 10.122],
      [10.122, 'polled', 10, 20.122],
      [20.121, 'too-soon', 15, 35.121],
      [20.121, 'too-soon', 20, 40.121],
      [40.121, 'polled', 20, 60.121],
      // A clock that is behind.
      [-30, 'too-soon', 25, -5],
      [-5, 'polled', 25, 20],
    ] as const
    for (const [now, outcome, interval, next] of asked) {
      const after = { ...code, interval, nextPollAt: at(next) }
      same(
        await codes.poll(userCodeHash, deviceCodeHash, at(now)),
        { outcome, code: after },
        `deviceCodes.poll. ${pace} It answers the row as this question has left it.`,
      )
      same(await codes.find(userCodeHash), after, `deviceCodes.find after poll. ${pace}`)
    }
  })

  it('poll keeps the pace of a long interval to the millisecond', async (codes, at) => {
    const interval = 86_400 * 366
    const code = newDeviceCode(at, { interval, nextPollAt: at(0) })
    await codes.save(code)
    const answer = await codes.poll(code.userCodeHash, code.deviceCodeHash, at(0.789))
    same(
      answer,
      { outcome: 'polled', code: { ...code, nextPollAt: at(0.789 + interval) } },
      'deviceCodes.poll of a code whose interval is a year: its milliseconds have eleven digits.',
    )
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
      const { userCodeHash, deviceCodeHash } = code
      await codes.save(code)
      same(
        await codes.poll(userCodeHash, deviceCodeHash, at(2)),
        { outcome: 'polled', code: { ...code, nextPollAt: at(7) } },
        `deviceCodes.poll of a code with ${JSON.stringify(change)}: the router tells the device.`,
      )
      same(
        await codes.poll(userCodeHash, deviceCodeHash, at(3)),
        { outcome: 'too-soon', code: { ...code, interval: 10, nextPollAt: at(13) } },
        `deviceCodes.poll of a code with ${JSON.stringify(change)}. ${pace}`,
      )
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
    for (const stranger of strangers)
      same(
        await codes.poll(userCodeHash, stranger, at(1)),
        { outcome: 'unknown' },
        'deviceCodes.poll by who has seen the user code alone: a stranger would fetch the sign-in.',
      )
    same(
      [await codes.find(userCodeHash), await codes.find(other.userCodeHash)],
      [code, other],
      'deviceCodes.poll with the hash of another device: a stranger would slow the device down.',
    )
  })
}

function pollsAtOnce({ it }: Part<DeviceCodeStore>): void {
  it('poll by 50 callers, at once: one is polled, and each of the others waits five seconds more', async (codes, at) => {
    const code = newDeviceCode(at)
    const { userCodeHash, deviceCodeHash } = code
    await codes.save(code)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => codes.poll(userCodeHash, deviceCodeHash, at(1))),
    )
    const polled = answers.filter(({ outcome }) => outcome === 'polled').length
    check(
      polled === 1,
      `${polled} of 50 callers of deviceCodes.poll were \`polled\`, instead of exactly one. Make ` +
        'it one write that reads what it replaces.',
    )
    same(
      await codes.find(userCodeHash),
      { ...code, interval: 250, nextPollAt: at(251) },
      'deviceCodes.find after 50 questions at once, 49 of them too soon: 5 + 49 * 5 seconds.',
    )
  })
}
