// How long a test waits for what is about to happen, where it does not say: as with the time-outs
// of tests, no promise of speed.
import { vi } from 'vitest'

const waitFor = vi.waitFor
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: 20_000, ...options })
