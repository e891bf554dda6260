// How long a test waits for what is about to happen. As with the time-outs of tests: no promise of
// speed, but the end of what hangs.
import { vi } from 'vitest'

const waitFor = vi.waitFor
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: 120_000, ...options })
