import { randomId, randomSecret } from '../../../lib/random.js'
import type { DeviceCodeRecord, DeviceCodeStore } from '../../../stores/device-code-contract.js'
import { type Moment, newDeviceCode } from '../../../stores/new-records.js'
import { comesBack, type Rows, recordsAreCopies } from '../every-store/rows.js'
import { check, isNone, rejects, resolves, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'
import { awkwardPairs, inheritedNames, longAwkwardText, otherCase } from '../harness/texts.js'

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
    await codes.save(code)
    for (let time = 0; time < 3; time += 1)
      same(
        await codes.find(code.userCodeHash),
        code,
        'deviceCodes.find of a code that is decided and expired: it stays until it is purged.',
      )
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
      for (const code of [one, other])
        same(
          (await codes.find(code.userCodeHash))?.deviceCodeHash,
          code.deviceCodeHash,
          `deviceCodes.find confuses hashes ${why}`,
        )
      const isUnknown = async (device: string) =>
        (await codes.poll(first, device, at(1))).outcome === 'unknown'
      same(
        await isUnknown(second),
        await isUnknown(randomSecret()),
        `deviceCodes.poll confuses hashes of devices ${why}`,
      )
      same(
        await asOther(codes, at, first, second),
        await asOther(codes, at, first, randomId()),
        `deviceCodes.claim, takeTry and decide confuse users ${why}`,
      )
    }
  })

  it('hashes that differ by case are different device codes', async (codes, at) => {
    const one = newDeviceCode(at)
    const other = newDeviceCode(at, { userCodeHash: otherCase(one.userCodeHash) })
    await codes.save(one)
    await resolves(codes.save(other), 'deviceCodes.save ignores case. Compare bytewise.')
    const found = await codes.find(one.userCodeHash)
    same(
      found?.deviceCodeHash,
      one.deviceCodeHash,
      'deviceCodes.find ignores case. Compare bytewise.',
    )
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
