import { boundedTable } from './bounded-table.js'
import { copyOf } from './copy-of.js'
import type { DeviceCodeRecord, DeviceCodeStore } from './device-code-contract.js'

/** Devices that wait for a user, in the memory of this process, at most `maxCodes`. */
export function memoryDeviceCodes(maxCodes: number): DeviceCodeStore {
  const table = boundedTable<DeviceCodeRecord>(maxCodes, ({ expiresAt }, now) => expiresAt <= now)
  const change = (code: DeviceCodeRecord, changed: Partial<DeviceCodeRecord>) => {
    const next = { ...code, ...changed }
    table.update(code.userCodeHash, next)
    return copyOf(next)
  }
  const pending = (userCodeHash: string, now: Date) => {
    const code = table.get(userCodeHash)
    return code?.state === 'pending' && now < code.expiresAt ? code : undefined
  }
  const pendingOf = (userCodeHash: string, userId: string, now: Date) => {
    const code = pending(userCodeHash, now)
    return code?.userId === userId ? code : undefined
  }
  return {
    async save(code) {
      table.insert(code.userCodeHash, copyOf(code), code.createdAt)
    },
    find: async (userCodeHash) => copyOf(table.get(userCodeHash) ?? null),
    async claim(userCodeHash, userId, now) {
      const code = pending(userCodeHash, now)
      if (code === undefined) return { outcome: 'unknown' }
      if (code.userId === userId) return { outcome: 'claimed', code: copyOf(code) }
      if (code.userId !== null) return { outcome: 'foreign' }
      return { outcome: 'claimed', code: change(code, { userId, claimedAt: copyOf(now) }) }
    },
    async takeTry(userCodeHash, userId, now) {
      const code = pendingOf(userCodeHash, userId, now)
      if (code === undefined || code.triesLeft <= 0) return { outcome: 'void' }
      return { outcome: 'taken', code: change(code, { triesLeft: code.triesLeft - 1 }) }
    },
    async decide(userCodeHash, userId, verdict, now) {
      const code = pendingOf(userCodeHash, userId, now)
      if (code === undefined) return { outcome: 'unknown' }
      change(code, verdict)
      return { outcome: 'decided' }
    },
    async poll(userCodeHash, deviceCodeHash, now) {
      const code = table.get(userCodeHash)
      if (code?.deviceCodeHash !== deviceCodeHash) return { outcome: 'unknown' }
      const isSoon = now < code.nextPollAt
      const interval = isSoon ? code.interval + 5 : code.interval
      const nextPollAt = new Date(now.getTime() + interval * 1000)
      return {
        outcome: isSoon ? 'too-soon' : 'polled',
        code: change(code, { interval, nextPollAt }),
      }
    },
    purge: async (now, limit) => table.purge(now, limit),
  }
}
