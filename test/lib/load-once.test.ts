import { expect, it } from 'vitest'
import { AuthError } from '../../src/index.js'
import { loadOnce } from '../../src/lib/load-once.js'

const broken = new Error('ERR_MODULE_NOT_FOUND')

/** Loads that end like this, one after the other. */
function loader(...outcomes: readonly (string | Error)[]) {
  let loads = 0
  const causes: unknown[] = []
  const load = loadOnce(
    async () => {
      const outcome = outcomes[loads]
      loads += 1
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    (cause) => causes.push(cause),
  )
  return { load, causes, loads: () => loads }
}

it('loads a part once, and not before it is asked for', async () => {
  const { load, loads } = loader('part')
  expect(loads()).toBe(0)
  expect(await Promise.all([load(), load()])).toEqual(['part', 'part'])
  expect(await load()).toBe('part')
  expect(loads()).toBe(1)
})

it('answers 503 for a part that cannot be loaded, and says why', async () => {
  const { load, causes } = loader(broken)
  await expect(load()).rejects.toMatchObject({
    code: 'temporarily-unavailable',
    status: 503,
    cause: broken,
  })
  expect(causes).toEqual([broken])
})

it('tries again after a failure, once for all who wait', async () => {
  const { load, loads } = loader(broken, 'part')
  const first = await Promise.allSettled([load(), load()])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await Promise.all([load(), load()])).toEqual(['part', 'part'])
  expect(loads()).toBe(2)
})

it('passes on what a part has refused by itself', async () => {
  const refused = new AuthError('invalid-request')
  await expect(loader(refused).load()).rejects.toBe(refused)
})
