// What a request costs this process, in counts that are the same on every machine.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'

interface Cost {
  readonly bytes: number
  readonly promises: number
  readonly timers: number
}
type Kind = 'login' | 'exchange' | 'refresh' | 'guard' | 'bareGet' | 'barePost'

const program = join(import.meta.dirname, 'cost.mjs')
// No collection while it counts: a request makes up to 150 KB, and hundreds are made.
const youngGeneration = ['--expose-gc', '--min-semi-space-size=512', '--max-semi-space-size=512']

describe('a request, with everything in memory', () => {
  let costs: Readonly<Record<Kind, Cost>>
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [...youngGeneration, program])
    costs = JSON.parse(stdout)
  })

  it.each<[Kind, number, number]>([
    ['guard', 33, 0],
    ['refresh', 66, 30],
    ['exchange', 79, 60],
    ['login', 110, 75],
  ])('%s allocates at most %i KB, and makes %i promises and no timer', (kind, kilobytes, most) => {
    const { bytes, promises, timers } = costs[kind]
    expect(bytes).toBeLessThanOrEqual(kilobytes * 1000)
    expect(promises).toBeLessThanOrEqual(most)
    expect(timers).toBe(0)
  })

  it('is counted rightly: Express alone makes no promise, and allocates less', () => {
    for (const bare of [costs.bareGet, costs.barePost]) {
      expect(bare).toMatchObject({ promises: 0, timers: 0 })
      expect(bare.bytes).toBeGreaterThan(15_000)
      expect(bare.bytes).toBeLessThan(costs.refresh.bytes)
    }
    expect(costs.refresh.promises).toBeGreaterThan(10)
  })
})
