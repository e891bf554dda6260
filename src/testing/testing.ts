// The entry point messaging-auth-router/testing: helpers for the tests of hosts.
export { type ManualClock, manualClock } from './manual-clock.js'
export type { StoreOutage } from './store-contract/every-store/outages.js'
export type {
  ContractRunner,
  StoreContractName,
  StoresUnderTest,
} from './store-contract/harness.js'
export { type StoreContractOptions, storeContract } from './store-contract/store-contract.js'
export { totpCode } from './totp-code.js'
export type {
  UserStoreHarness,
  UserStoreTest,
  UserToAdd,
} from './user-store-contract/harness.js'
export { userStoreContract } from './user-store-contract/user-store-contract.js'
