import type { DeviceCodeStore } from '../../../stores/device-code-contract.js'
import { moments, newDeviceCode } from '../../../stores/new-records.js'
import { isNone, same, shared } from '../harness/checks.js'

/** One process changes device codes, and the other reads them. */
export async function deviceCodesOf(one: DeviceCodeStore, other: DeviceCodeStore): Promise<void> {
  const at = moments()
  const code = newDeviceCode(at, { triesLeft: 1 })
  const { userCodeHash, deviceCodeHash } = code
  const found = async () => other.find(userCodeHash)
  same([isNone(await found())], [true], 'deviceCodes.find of none.')
  await one.save(code)
  same(await found(), code, `deviceCodes.find of one that another process has saved. ${shared}`)
  await one.poll(userCodeHash, deviceCodeHash, at(1))
  same(
    (await other.poll(userCodeHash, deviceCodeHash, at(1))).outcome,
    'too-soon',
    `deviceCodes.poll of a code that another process has polled. ${shared}`,
  )
  await one.claim(userCodeHash, 'u-alice', at(1))
  same((await found())?.userId, 'u-alice', `deviceCodes.find after claim. ${shared}`)
  same(
    await other.claim(userCodeHash, 'u-eve', at(1)),
    { outcome: 'foreign' },
    `deviceCodes.claim of a code that another process has claimed. ${shared}`,
  )
  await other.takeTry(userCodeHash, 'u-alice', at(1))
  same(
    await one.takeTry(userCodeHash, 'u-alice', at(1)),
    { outcome: 'void' },
    `deviceCodes.takeTry of the try that another process has taken. ${shared}`,
  )
  await one.decide(userCodeHash, 'u-alice', { state: 'denied' }, at(1))
  same((await found())?.state, 'denied', `deviceCodes.find after decide. ${shared}`)
}
