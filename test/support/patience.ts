// How long a test waits for what is about to happen. As with the time-outs of tests: no promise of
// speed, but the end of what hangs.
import { vi } from 'vitest'

const timeout = 120_000

const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout, ...options })
vi.waitUntil = (callback, options) =>
  waitUntil(callback, typeof options === 'number' ? options : { timeout, ...options })
