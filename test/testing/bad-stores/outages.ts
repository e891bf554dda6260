import {
  memoryOAuthStores,
  memoryPasskeyStore,
  memoryStores,
} from '../../../src/stores/memory-stores.js'
import type { StoreOutage, StoresUnderTest } from '../../../src/testing/testing.js'
import { memoryKeyStore } from '../memory-key-store.js'

let isAway = false

/** Takes away what the stores of this file keep their rows in, and gives it back. */
export const outage: StoreOutage = {
  begin: () => {
    isAway = true
  },
  end: () => {
    isAway = false
  },
}

const all = () => ({
  ...memoryStores(),
  ...memoryOAuthStores(),
  clients: memoryOAuthStores().clients,
  keys: memoryKeyStore(),
  passkeys: memoryPasskeyStore(),
})
type All = ReturnType<typeof all>

/** Good stores: each method rejects while their database is away. */
export function storesThatCanBeAway(): StoresUnderTest {
  return Object.fromEntries(
    Object.entries(all()).map(([name, store]) => [name, rejecting(store)]),
  ) as unknown as All
}

function rejecting(store: object): object {
  return Object.fromEntries(
    Object.entries(store).map(([name, method]: [string, (...given: unknown[]) => unknown]) => [
      name,
      async (...given: unknown[]) => {
        if (isAway) throw new Error('connection refused')
        return method(...given)
      },
    ]),
  )
}

/** A store one of whose methods answers this for any error. */
function swallowing<Name extends keyof All>(
  contract: Name,
  method: keyof All[Name] & string,
  answer: unknown,
): () => StoresUnderTest {
  return () => {
    const stores = storesThatCanBeAway() as unknown as Record<
      Name,
      Record<string, (...given: unknown[]) => Promise<unknown>>
    >
    const { [method]: good } = stores[contract]
    const bad = (...given: unknown[]) => good?.(...given).catch(() => answer)
    return { [contract]: { ...stores[contract], [method]: bad } }
  }
}

/** Stores that take an outage for an answer. */
export const badInOutages = {
  'codes: purge answers 0 for any error': swallowing('codes', 'purge', 0),
  'sessions: find answers null for any error': swallowing('sessions', 'find', null),
  'sessions: liveAmong answers an empty list for any error': swallowing(
    'sessions',
    'liveAmong',
    [],
  ),
  'sessions: touch lets errors go': swallowing('sessions', 'touch', undefined),
  'secondFactors: consumeRecoveryCode answers unknown for any error': swallowing(
    'secondFactors',
    'consumeRecoveryCode',
    { outcome: 'unknown' },
  ),
  'keys: insert answers exists for any error': swallowing('keys', 'insert', { outcome: 'exists' }),
  'once: claim answers known for any error': swallowing('once', 'claim', { outcome: 'known' }),
}
