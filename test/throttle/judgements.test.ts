import { expect, it } from 'vitest'
import { createJudgements } from '../../src/throttle/judgements.js'

it('whoever comes out of a line that has ended does not take the next one away', async () => {
  const judgements = createJudgements(20)
  judgements.begin('key')
  const turn = judgements.wait('key', 1000)
  judgements.end('key')
  judgements.begin('key')
  expect(await turn).toBe(true)
  expect(judgements.isUnderWay('key')).toBe(true)
  judgements.end('key')
  expect(judgements.isUnderWay('key')).toBe(false)
})

it('nobody waits longer than told, nor more of them than told', async () => {
  const judgements = createJudgements(1)
  judgements.begin('key')
  const first = judgements.wait('key', 20)
  expect(await judgements.wait('key', 60_000)).toBe(false)
  expect(await first).toBe(false)
  expect(await judgements.wait('key', 0)).toBe(false)
})
