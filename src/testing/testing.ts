// The front door of messaging-auth-router/testing: helpers for the tests of hosts.
export { type ManualClock, manualClock } from './manual-clock.js'
export { type StoreContractOptions, storeContract } from './store-contract/store-contract.js'
export type { ContractRunner, StoreContractName, StoresUnderTest } from './store-contract/suite.js'
export { totpCode } from './totp-code.js'
