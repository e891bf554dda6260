import { expect, it } from 'vitest'
import { lazily } from '../../src/lib/async.js'

it('makes a value once, and not before it is asked for', () => {
  let made = 0
  const value = lazily(() => {
    made += 1
    return undefined
  })
  expect(made).toBe(0)
  expect([value(), value()]).toEqual([undefined, undefined])
  expect(made).toBe(1)
})
