// What tests of the pages' state are made of: a clock, keys, flows and a browser.

import { createHash } from 'node:crypto'
import type { AppsKit } from '../../src/oauth/apps-kit.js'
import { createFlows, type FlowBinding, type PendingFactor } from '../../src/pages/flow.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { manualClock } from '../../src/testing/testing.js'
import { kitOf } from '../support/kit-of.js'

export const now = new Date('2030-01-01T12:00:00Z')
export const key = Buffer.alloc(32, 'a key')
export const otherKey = Buffer.alloc(32, 'another key')

export const request =
  'client_id=wiki&redirect_uri=https%3A%2F%2Fwiki.example.com%2Foidc%2Fcallback&state=x'
export const binding: FlowBinding = { request, browser: 'IBzMkG0tXVXnKUQcHPSTqA' }

/** 32 bytes, as the digests of a login are. */
export const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Who is half way through signing in. */
export const halfWay: Omit<PendingFactor, 'id' | 'at'> = {
  userId: 'b9d1e0f4-6d2a-4c8e-9d6f-2a1c5f7e3b80',
  passwordFingerprint: digestOf('mark').slice(0, 21).concat('A'),
  digests: { name: digestOf('name'), typed: digestOf('typed') },
  stay: true,
}

export function flowParts(encryptionKeys: readonly Buffer[] = [key]) {
  const clock = manualClock(now)
  const { once } = memoryOAuthStores()
  const flows = createFlows(kitOf<AppsKit>({ encryptionKeys, once, clock }))
  const withKeys = (...keys: Buffer[]) =>
    createFlows(kitOf<AppsKit>({ encryptionKeys: keys, once, clock }))
  return { clock, once, flows, withKeys }
}
