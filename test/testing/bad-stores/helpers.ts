import type {
  AuthorizationCodeStore,
  ConsentStore,
  DeviceCodeStore,
  IdentityStore,
  KeyStore,
  OnceStore,
  OpenClientStore,
  ProofStore,
  SecondFactorStore,
  SessionStore,
  SocketTicketStore,
} from '../../../src/index.js'
import {
  memoryOAuthStores,
  memoryPasskeyStore,
  memoryStores,
} from '../../../src/stores/memory-stores.js'
import type { PasskeyStore } from '../../../src/stores/passkey-contract.js'
import type { StoresUnderTest } from '../../../src/testing/testing.js'
import { memoryKeyStore } from '../memory-key-store.js'

type Change<Store> = (good: Store) => Partial<Store>

// Good stores with a few methods of their own.

export const withCodes = (change: Change<AuthorizationCodeStore>) => (): StoresUnderTest => {
  const { codes } = memoryStores()
  return { codes: { ...codes, ...change(codes) } }
}

export const withSessions = (change: Change<SessionStore>) => (): StoresUnderTest => {
  const { sessions } = memoryStores()
  return { sessions: { ...sessions, ...change(sessions) } }
}

export const withFactors = (change: Change<SecondFactorStore>) => (): StoresUnderTest => {
  const { secondFactors } = memoryStores()
  return { secondFactors: { ...secondFactors, ...change(secondFactors) } }
}

export const withTickets = (change: Change<SocketTicketStore>) => (): StoresUnderTest => {
  const { tickets } = memoryStores()
  return { tickets: { ...tickets, ...change(tickets) } }
}

export const withProofs = (change: Change<ProofStore>) => (): StoresUnderTest => {
  const { proofs } = memoryStores()
  return { proofs: { ...proofs, ...change(proofs) } }
}

export const withIdentities = (change: Change<IdentityStore>) => (): StoresUnderTest => {
  const { identities } = memoryStores()
  return { identities: { ...identities, ...change(identities) } }
}

export const withDeviceCodes = (change: Change<DeviceCodeStore>) => (): StoresUnderTest => {
  const { deviceCodes } = memoryStores()
  return { deviceCodes: { ...deviceCodes, ...change(deviceCodes) } }
}

export const withKeys = (change: Change<KeyStore>) => (): StoresUnderTest => {
  const keys = memoryKeyStore()
  return { keys: { ...keys, ...change(keys) } }
}

export const withConsents = (change: Change<ConsentStore>) => (): StoresUnderTest => {
  const { consents } = memoryOAuthStores()
  return { consents: { ...consents, ...change(consents) } }
}

export const withPasskeys = (change: Change<PasskeyStore>) => (): StoresUnderTest => {
  const passkeys = memoryPasskeyStore()
  return { passkeys: { ...passkeys, ...change(passkeys) } }
}

export const withOnce = (change: Change<OnceStore>) => (): StoresUnderTest => {
  const { once } = memoryOAuthStores()
  return { once: { ...once, ...change(once) } }
}

export const withClients = (change: Change<OpenClientStore>) => (): StoresUnderTest => {
  const { clients } = memoryOAuthStores()
  return { clients: { ...clients, ...change(clients) } }
}

/** The way to the database and back. */
export const awaited = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 3))

/** As a column that takes some keys for the same: whichever came first is what is stored. */
export function collation(fold: (key: string) => string): (key: string) => string {
  const first = new Map<string, string>()
  return (key) => {
    const stored = first.get(fold(key)) ?? key
    first.set(fold(key), stored)
    return stored
  }
}
