import './steps.js'
import { describe, expect, it } from 'vitest'
import { slowTextFor } from './slow-patterns.js'
import { stepsOf, stepsUntil } from './steps.js'
import { withDefects } from './with-defects.js'

/** Work that takes as many steps as its text is long, and work that takes the square of them. */
const { linear, quadratic } = withDefects

const text = (length: number) => 'ab'.repeat(length / 2)
const [once, twice, short] = [text(2000), text(4000), text(500)]
const growth = (work: (text: string) => unknown) =>
  stepsOf(() => work(twice)) / stepsOf(() => work(once))

describe('the steps that work takes', () => {
  it.each(Object.entries(linear))('are twice as many for twice the length: %s', (_what, work) => {
    expect(growth(work)).toBeGreaterThan(1.9)
    expect(growth(work)).toBeLessThan(2.1)
  })

  it.each(Object.entries(quadratic))('show what is quadratic: %s', (_what, work) => {
    expect(growth(work)).toBeGreaterThan(3.5)
  })

  it('are the same each time', async () => {
    const all = Object.values({ ...linear, ...quadratic })
    const count = () => stepsOf(() => all.map((work) => work(short)))
    count()
    expect(count()).toBe(count())
    expect(await stepsUntil(async () => all.map((work) => work(short)))).toBe(count())
  })

  it('are those of the work alone, after which everything is as it was', () => {
    const before = [String.prototype.split, JSON.parse, globalThis.URL, RegExp.prototype.exec]
    expect(() => stepsOf(() => JSON.parse('{'))).toThrow()
    const after = [String.prototype.split, JSON.parse, globalThis.URL, RegExp.prototype.exec]
    expect(after.every((one, at) => one === before[at])).toBe(true)
  })
})

describe('a pattern', () => {
  it.each([/\s+$/, /^(\w+ *)+$/, /^a*a*$/, /^(a|a)*$/, /<!--.*-->/g, /,?\s*,/, /(?=\s+$) x/])(
    'that some text makes slow is found out: %s',
    (pattern) => expect(slowTextFor(pattern)).not.toBeNull(),
  )

  it.each([
    /^\s+/,
    /^[a-z]{1,2000}$/,
    /a{1,200}b/,
    /^(?:a|b)*$/,
    /\p{C}/u,
    /^(?!a$)a*$/,
    /(?<!a)b/,
  ])('that none does is left alone: %s', (pattern) => expect(slowTextFor(pattern)).toBeNull())
})
