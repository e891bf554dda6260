import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { post } from '../support/client.js'
import { encryptionKey, password, startHost } from '../support/host.js'

describe('canonicalIdentifier', () => {
  it.each<[string, () => string]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['answers nothing', () => undefined as never],
    ['answers null', () => null as never],
    ['answers an empty text', () => ''],
    ['answers a list', () => ['alice'] as never],
  ])('that %s is an outage, and nobody is looked up', async (_name, canonicalIdentifier) => {
    const host = await startHost({ options: { canonicalIdentifier } })
    let lookedUp = 0
    host.users.findByIdentifier = async () => {
      lookedUp += 1
      return null
    }
    const response = await post(host, '/login', { username: 'alice', password })
    expect(response.status).toBe(503)
    expect(response.body.error).toBe('temporarily-unavailable')
    expect(lookedUp).toBe(0)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'canonicalIdentifier' }),
    )
  })
})

describe('the default canonical form', () => {
  it('is one for both cases of a letter that is two characters in upper case', async () => {
    const host = await startHost()
    const asked: string[] = []
    host.users.findByIdentifier = async ({ value }) => {
      asked.push(value)
      return null
    }
    for (const username of ['\u1E98ill', 'W\u030AILL'])
      await post(host, '/login', { username, password })
    // What comes after the answer is only asked to tell the host of names that are kept as they
    // were typed.
    expect(asked.slice(0, 2)).toEqual(['\u1E98ill', '\u1E98ill'])
  })
})

describe('the digest of an unknown identifier', () => {
  const digestsOf = async (encryptionKeys: readonly string[], names: readonly string[]) => {
    const host = await startHost({
      options: { encryptionKeys, canonicalIdentifier: ({ value }) => value },
    })
    for (const username of names) await post(host, '/login', { username, password })
    return host.events.flatMap((event) =>
      event.type === 'login.failed' ? [event.identifierDigest] : [],
    )
  }

  it(
    'is the same in all processes with the same key, whatever the case, and another with ' +
      'another key',
    async () => {
      const [lower, upper] = await digestsOf([encryptionKey], ['hunter2', 'HUNTER2'])
      const other = randomBytes(32).toString('base64')
      const [again] = await digestsOf([encryptionKey, other], ['hunter2'])
      const [foreign] = await digestsOf([other, encryptionKey], ['hunter2'])
      expect(lower).toMatch(/^[\w-]{43}$/)
      expect(upper).toBe(lower)
      expect(again).toBe(lower)
      expect(foreign).toMatch(/^[\w-]{43}$/)
      expect(foreign).not.toBe(lower)
    },
  )

  it('is one for both cases of a letter that is two characters in upper case', async () => {
    const [lower, upper] = await digestsOf([encryptionKey], ['\u1E98ill', 'W\u030AILL'])
    expect(upper).toBe(lower)
  })

  it('tells names apart', async () => {
    expect(new Set(await digestsOf([encryptionKey], ['hunter2', 'hunter3'])).size).toBe(2)
  })
})
