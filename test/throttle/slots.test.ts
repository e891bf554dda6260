import { expect, it } from 'vitest'
import { createPendingAttempts } from '../../src/throttle/slots.js'

it('whoever comes out of a line that has ended does not take the next one away', async () => {
  const judgements = createPendingAttempts(20)
  judgements.begin('key', false)
  const turn = judgements.wait('key', 1000)
  judgements.end('key')
  judgements.begin('key', false)
  expect(await turn).toBe(true)
  expect(judgements.isPending('key')).toBe(true)
  judgements.end('key')
  expect(judgements.isPending('key')).toBe(false)
})

it('nothing is remembered of a key once it has come to its end, or nobody waits for it any more', async () => {
  const judgements = createPendingAttempts(20)
  for (const key of ['a', 'b']) judgements.begin(key, false)
  const turn = judgements.wait('a', 60_000)
  judgements.end('a')
  expect(await turn).toBe(true)
  expect(judgements.size).toBe(1)
  judgements.end('b')
  expect(await judgements.wait('c', 1)).toBe(false)
  expect(judgements.size).toBe(0)
})

it('nobody waits longer than told, nor more of them than told', async () => {
  const judgements = createPendingAttempts(1)
  judgements.begin('key', false)
  const first = judgements.wait('key', 20)
  expect(await judgements.wait('key', 60_000)).toBe(false)
  expect(await first).toBe(false)
  expect(await judgements.wait('key', 0)).toBe(false)
})
