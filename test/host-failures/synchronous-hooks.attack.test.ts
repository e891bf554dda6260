import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuthRouterOptions } from '../../src/index.js'
import { post } from '../support/client.js'
import { cheapHasher, password, startHost } from '../support/host.js'

const rejecting = (() => Promise.reject(new Error('broken'))) as never

describe('a hook that should answer at once, and rejects later', () => {
  it.each<[string, Partial<AuthRouterOptions>, number]>([
    ['canonicalIdentifier', { canonicalIdentifier: rejecting }, 503],
    ['secondFactor', { secondFactor: rejecting }, 503],
    ['passwords.canRead', { passwords: { ...cheapHasher, canRead: rejecting } }, 401],
    ['passwords.needsRehash', { passwords: { ...cheapHasher, needsRehash: rejecting } }, 200],
  ])('%s: is reported, and does not end the process', async (operation, options, status) => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const host = await startHost({ options })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(status)
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'host.failed', operation }))
  })

  it('canonicalIdentifier may be asynchronous', async () => {
    const host = await startHost({
      options: { canonicalIdentifier: async ({ value }) => value.toLowerCase() },
    })
    expect((await post(host, '/login', { username: 'ALICE', password })).status).toBe(200)
  })
})
