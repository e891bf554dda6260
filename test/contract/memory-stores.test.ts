import { describe, it } from 'vitest'
import { fileKeyStore } from '../../src/signers/file-key-store.js'
import {
  memoryOAuthStores,
  memoryPasskeyStore,
  memoryStores,
} from '../../src/stores/memory-stores.js'
import { storeContract } from '../../src/testing/testing.js'
import { temporaryFolder } from '../support/databases.js'

storeContract(
  { describe, it },
  {
    name: 'memoryStores',
    contracts: [
      'codes',
      'sessions',
      'secondFactors',
      'tickets',
      'proofs',
      'identities',
      'deviceCodes',
    ],
    stores: () => memoryStores(),
  },
)

storeContract(
  { describe, it },
  {
    name: 'memoryOAuthStores',
    contracts: ['consents', 'once', 'clients'],
    stores: () => memoryOAuthStores(),
  },
)

storeContract(
  { describe, it },
  {
    name: 'memoryPasskeyStore',
    contracts: ['passkeys'],
    stores: () => ({ passkeys: memoryPasskeyStore() }),
  },
)

storeContract(
  { describe, it },
  {
    name: 'keys in files',
    contracts: ['keys'],
    stores: () => ({ keys: fileKeyStore(temporaryFolder()) }),
  },
)
