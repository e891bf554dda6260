// What a host reads that hands `consoleLogger()` to the router.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ConsoleLoggerOptions, consoleLogger } from '../../src/index.js'
import { get, logIn, post } from '../support/client.js'
import { startHost } from '../support/host.js'

/** The lines that were written since, each of them read. */
function written() {
  const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => output.mockRestore())
  return () =>
    output.mock.calls.flatMap(([text]) =>
      String(text)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    )
}

const startLogging = (options?: ConsoleLoggerOptions) =>
  startHost({ options: { logger: consoleLogger(options) } })

describe('consoleLogger', () => {
  it('writes a line of JSON with time, level and message for each event', async () => {
    const host = await startLogging()
    const lines = written()
    await post(host, '/login', { username: 'alice', password: 'wrong' })
    expect(lines()).toEqual([
      expect.objectContaining({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        level: 'info',
        message: 'login.failed',
        requestId: expect.any(String),
      }),
    ])
  })

  it('writes nothing of an anonymous visit unless it is asked for debug', async () => {
    for (const [options, messages] of [
      [undefined, []],
      [{ level: 'debug' }, ['request.refused']],
    ] as const) {
      const host = await startLogging(options)
      const lines = written()
      await get(host, '/me')
      expect(lines().map(({ message }) => message)).toEqual(messages)
      vi.restoreAllMocks()
    }
  })

  it('leaves out what is less important than its level', async () => {
    const host = await startLogging({ level: 'error' })
    const lines = written()
    await logIn(host)
    await post(host, '/login', { username: 'alice', password: 'wrong' })
    expect(lines()).toEqual([])
  })

  it('writes an error with its message, and is not broken by what JSON cannot hold', () => {
    const lines = written()
    const circle: { self?: object } = {}
    circle.self = circle
    const logger = consoleLogger()
    logger.error('host.failed', { error: new TypeError('no'), big: 1n, level: 'debug' })
    logger.warn('odd', circle)
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'error',
        message: 'host.failed',
        error: { name: 'TypeError', message: 'no', stack: expect.any(String) },
        big: '1',
      }),
      expect.objectContaining({ message: 'odd', fields: 'cannot be written as JSON' }),
    ])
  })
})
