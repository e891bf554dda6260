import type { DeviceCodeRecord, DeviceCodeStore } from '../../../stores/device-code-contract.js'
import { inTurns, type Moment, newDeviceCode } from '../../../stores/new-records.js'
import { countTrue, purgeContract } from '../every-store/purge-contract.js'
import { isNone } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

const over = 30

/** `purge` of device codes. */
export function deviceCodesPurge(part: Part<DeviceCodeStore>): void {
  const isThere = async (codes: DeviceCodeStore, { userCodeHash }: DeviceCodeRecord) =>
    !isNone(await codes.find(userCodeHash))
  const expiring = (at: Moment, change: Partial<DeviceCodeRecord> = {}) =>
    newDeviceCode(at, { expiresAt: at(over), ...change })
  const adding =
    (change: Partial<DeviceCodeRecord> = {}) =>
    async (codes: DeviceCodeStore, at: Moment) => {
      const code = expiring(at, change)
      await codes.save(code)
      return () => isThere(codes, code)
    }

  purgeContract(part, {
    method: 'deviceCodes.purge',
    row: 'device code',
    moments: [
      {
        title: 'a pending device code at the moment it expires',
        tooEarly: 'deleted a device code one millisecond before it expired',
        over,
        add: adding(),
      },
      {
        title: 'a decided device code at the moment it expires',
        tooEarly: 'deleted a decided device code one millisecond before it expired',
        over,
        add: adding({ state: 'denied', userId: 'u-alice' }),
      },
    ],
    isCountable: true,
    purge: (codes, now, limit) => codes.purge(now, limit),
    addLiving: (codes, at) => codes.save(newDeviceCode(at)),
    async addOver(codes, at, count) {
      const rows = Array.from({ length: count }, () => expiring(at))
      await inTurns(rows, (code) => codes.save(code))
      return () => countTrue(rows.map((code) => isThere(codes, code)))
    },
    over,
  })
}
