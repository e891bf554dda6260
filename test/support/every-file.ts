// What holds for every test file: how long it waits for what is about to happen, where it does not
// say, which is as with the time-outs of tests no promise of speed; and that it leaves its clock to
// nobody, for files share a process.
import { afterAll, vi } from 'vitest'

const timeout = 120_000
const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout, ...options })
vi.waitUntil = (callback, options) =>
  waitUntil(callback, typeof options === 'number' ? options : { timeout, ...options })

afterAll(() => {
  vi.useRealTimers()
})
