import { expect, test } from 'vitest'
import type { OAuthClient } from '../../src/index.js'
import { memoryOAuthStores } from '../../src/stores/memory-stores.js'

test('stores in memory that are spread replace no list of clients', async () => {
  const listed: readonly OAuthClient[] = []
  // The compiler sees it, and programs without types do not.
  const oauth: object = Object.assign({ clients: listed }, { ...memoryOAuthStores() })
  expect(oauth).toMatchObject({ clients: listed, consents: {}, once: {} })
  expect('clients' in { ...memoryOAuthStores() }).toBe(false)
  expect(await memoryOAuthStores().clients.list()).toEqual([])
})
