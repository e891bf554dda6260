// Tabs are processes: what one has kept under the lock can reach another's copy of localStorage
// after the lock does.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { localStorageStore } from '../../src/client/token-store.js'

const key = 'messaging-auth'
/** This tab's copy. */
let copy: Map<string, string>
/** Lets the other tab's lock go; null while it has none. */
let release: (() => void) | null

const locks = {
  async request<T>(
    _name: string,
    { ifAvailable = false },
    work: (lock: object | null) => Promise<T>,
  ): Promise<T> {
    if (ifAvailable && release !== null) return work(null)
    await other
    return work({})
  },
}
let other: Promise<void>

function holdElsewhere() {
  other = new Promise((resolve) => {
    release = resolve
  })
}

beforeEach(() => {
  vi.useFakeTimers()
  copy = new Map([[key, 'old']])
  release = null
  other = Promise.resolve()
  vi.stubGlobal('navigator', { locks })
  vi.stubGlobal('localStorage', { getItem: (name: string) => copy.get(name) ?? null })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Works under the lock; answers what there was to be seen there. */
function look() {
  const seen: (string | null)[] = []
  const store = localStorageStore()
  const done = store.exclusively?.(async () => {
    seen.push(await store.get())
  })
  return { seen, done }
}

describe('a lock that another tab has just had', () => {
  beforeEach(holdElsewhere)

  it('is used when what that tab has kept is here, however slow the machine is', async () => {
    const { seen, done } = look()
    release?.()
    await vi.advanceTimersByTimeAsync(1500)
    expect(seen).toEqual([])
    copy.set(key, 'new')
    await vi.advanceTimersByTimeAsync(10)
    await done
    expect(seen).toEqual(['new'])
  })

  it('is used at once where that has been here first', async () => {
    const { seen } = look()
    await vi.advanceTimersByTimeAsync(0)
    copy.set(key, 'new')
    release?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(seen).toEqual(['new'])
  })

  it('is used after two seconds where that tab has kept nothing', async () => {
    const { seen } = look()
    release?.()
    await vi.advanceTimersByTimeAsync(1990)
    expect(seen).toEqual([])
    await vi.advanceTimersByTimeAsync(20)
    expect(seen).toEqual(['old'])
  })
})

it('a lock that nobody has is used after a tenth of a second', async () => {
  const { seen } = look()
  await vi.advanceTimersByTimeAsync(90)
  expect(seen).toEqual([])
  await vi.advanceTimersByTimeAsync(20)
  expect(seen).toEqual(['old'])
})

it('without Web Locks the work of this tab is done in turns', async () => {
  vi.stubGlobal('navigator', {})
  const store = localStorageStore()
  const order: string[] = []
  const first = store.exclusively?.(async () => {
    await vi.advanceTimersByTimeAsync(50)
    order.push('first')
  })
  await Promise.all([first, store.exclusively?.(async () => order.push('second'))])
  expect(order).toEqual(['first', 'second'])
})
