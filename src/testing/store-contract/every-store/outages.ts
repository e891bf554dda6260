import { inspect } from 'node:util'
import { withTimeout } from '../../../lib/host-call.js'
import * as fresh from '../../../stores/new-records.js'
import type { CodeRedemption } from '../../../stores/one-time-contract.js'
import {
  type ContractRunner,
  check,
  type Expiry,
  given,
  resolves,
  type StoreContractName,
  type StoresUnderTest,
} from '../harness.js'

/** How the database of the stores is taken away for a while, and given back. */
export interface StoreOutage {
  /** Resolves when no call reaches the database any more. */
  begin(): unknown
  /** Resolves when the database answers again. Called also where a test has failed. */
  end(): unknown
}

// An answer that comes later than the router waits is an outage to it, as a rejection is.
const timeoutMs = 5000

/** While the database cannot be reached, each method of the contract rejects. */
export function outages(
  it: ContractRunner['it'],
  contract: StoreContractName,
  open: () => Promise<StoresUnderTest>,
  { outage, expires }: { readonly outage: StoreOutage; readonly expires: Expiry },
): void {
  it('while the database cannot be reached, every method rejects', async () => {
    const stores = await open()
    const answers: string[] = []
    try {
      await outage.begin()
      const asking = callsOf(stores, contract, expires).map(({ method, call }) =>
        withTimeout(call, timeoutMs).then(
          (answer) => void answers.push(`${method} answered ${inspect(answer)}`),
          () => {},
        ),
      )
      await Promise.all(asking)
    } finally {
      await outage.end()
    }
    check(
      answers.length === 0,
      `${answers.join('; ')}, although outage.begin() had resolved. The router takes an answer ` +
        'for the truth: users are signed out, a code is used up, a new key is taken for another. ' +
        'Let every error of the driver through but the one that you mean, by its number.',
    )
    for (const { method, call } of callsOf(stores, contract, expires))
      await resolves(call(), `${method} must work after outage.end(): wait there for the database.`)
  })
}

/** A test that is skipped, and says how to have it run. Not for a runner that skips none. */
export function withoutOutages({ it }: ContractRunner): void {
  const { skip } = it as { readonly skip?: ContractRunner['it'] }
  skip?.(
    'while the database cannot be reached, every method rejects: give storeContract the option ' +
      'outage: { begin, end } to have it tried',
    async () => {},
  )
}

function callsOf(stores: StoresUnderTest, contract: StoreContractName, expires: Expiry) {
  const at = fresh.moments()
  const { redeem, ...asked } = { ...ofSessions(at), ...ofHashes(at), ...ofUsers(at) }
  const parts: readonly (readonly [path: string, store: object, asked: object])[] = [
    [contract, given(stores, contract), asked[contract]],
    ['codes.redemption', (contract === 'codes' && stores.codes?.redemption) || {}, { redeem }],
  ]
  const isDone = (name: string) => name !== 'purge' || expires === 'purge'
  return parts.flatMap(([path, store, methods]) =>
    Object.entries(methods).flatMap(([name, given]) => {
      const method: unknown = Reflect.get(store, name)
      if (typeof method !== 'function' || !isDone(name)) return []
      return [{ method: `${path}.${name}`, call: async () => Reflect.apply(method, store, given) }]
    }),
  )
}

type Method = (...given: never) => unknown
/** What each method is called with: fresh records, so that all of them resolve. */
type Asked<Name extends StoreContractName> = {
  readonly [Each in Name]: AskedOf<NonNullable<StoresUnderTest[Each]>>
}
type AskedOf<Store> = {
  readonly [Name in keyof Store as NonNullable<Store[Name]> extends Method
    ? Name
    : never]-?: Readonly<Parameters<Extract<Store[Name], Method>>>
}

type OfUsers = 'secondFactors' | 'passkeys' | 'identities'
type OfHashes = 'proofs' | 'deviceCodes' | 'consents' | 'clients'

function ofSessions(
  at: fresh.Moment,
): Asked<Exclude<StoreContractName, OfUsers | OfHashes>> & AskedOf<CodeRedemption> {
  const [code, ticket, key, now] = [fresh.newCode(at), fresh.newTicket(at), fresh.newKey(at), at(1)]
  const { codeHash, userId } = code
  const session = fresh.newSession(at, { clientId: codeHash, parentId: codeHash })
  const { id, methods } = session
  return {
    codes: { save: [code], find: [codeHash], consume: [codeHash, now], purge: [now, 10] },
    redeem: [codeHash, session, now],
    sessions: {
      create: [fresh.newSession(at)],
      find: [id],
      rotateRefresh: [id, codeHash, fresh.newRotation(at, codeHash), now],
      touch: [id, { lastSeenAt: now, idleExpiresAt: at(600), ip: null }],
      setMethods: [id, methods],
      setAuthenticated: [id, { methods, authenticatedAt: now }],
      replaceSecret: [id, { from: codeHash, to: id, formerUntil: now }],
      addPasswordMark: [userId, codeHash, id],
      listForUser: [userId, now],
      countForUser: [userId, now],
      liveAmong: [[id], now],
      end: [id, 'logout', now],
      endAllForUser: [userId, 'revoked', now],
      endAllForClient: [codeHash, {}, 'revoked', now],
      endChildren: [codeHash, 'revoked', now],
      databaseTime: [],
      purge: [now, 10],
    },
    tickets: { save: [ticket], consume: [ticket.ticketHash, now], purge: [now, 10] },
    keys: {
      list: [],
      insert: [key],
      reseal: [key.generation, key.sealedKey, key.sealedKey],
      remove: [key.generation],
    },
    once: { claim: [id, at(60), now], purge: [now, 10] },
  }
}

function ofHashes(at: fresh.Moment): Asked<OfHashes> {
  const [proof, code, consent, now] = [
    fresh.newProof(at),
    fresh.newDeviceCode(at),
    fresh.newConsent(at),
    at(1),
  ]
  const { idHash, purpose } = proof
  const { userCodeHash, deviceCodeHash } = code
  const { userId, clientId } = consent
  const { secretHashes: _hashes, ...client } = fresh.newClient()
  return {
    proofs: {
      save: [proof],
      find: [idHash, purpose],
      list: [purpose, null, now],
      takeTry: [idHash, purpose, now],
      consume: [idHash, purpose, now],
      voidForUser: [userId, [purpose], now],
      purge: [now, 10],
    },
    deviceCodes: {
      save: [code],
      find: [userCodeHash],
      claim: [userCodeHash, userId, now],
      takeTry: [userCodeHash, userId, now],
      decide: [userCodeHash, userId, { state: 'denied' }, now],
      poll: [userCodeHash, deviceCodeHash, now],
      purge: [now, 10],
    },
    consents: {
      grant: [consent],
      find: [userId, clientId],
      listForUser: [userId],
      revoke: [userId, clientId],
    },
    clients: {
      create: [client, now],
      find: [clientId],
      update: [client, now],
      replaceSecrets: [clientId, [], [], now],
      setDisabled: [clientId, true, now],
      list: [],
      register: [fresh.newClient(), { most: 1000, unusedUntil: at(60) }, now],
      use: [clientId, now],
      purge: [now, 10],
    },
  }
}

function ofUsers(at: fresh.Moment): Asked<OfUsers> {
  const [factor, passkey, identity, now] = [
    fresh.newFactor(at),
    fresh.newPasskeyRecord(at),
    fresh.newIdentity(at),
    at(1),
  ]
  const { userId, sealedSeed } = factor
  const { credentialId, counter } = passkey
  const { provider, subject, id } = identity
  return {
    secondFactors: {
      savePending: [fresh.newPending(at)],
      findPending: [userId, id],
      deletePending: [userId],
      confirm: [factor, [id], now],
      activate: [factor, [id]],
      find: [userId],
      advanceStep: [userId, 1],
      reseal: [userId, sealedSeed, sealedSeed],
      consumeRecoveryCode: [userId, id],
      replaceRecoveryCodes: [userId, [id]],
      countSealed: [],
      listSealed: [null, 10],
      countRecoveryCodes: [userId],
      deactivate: [userId],
      deleteKeptRecoveryCodes: [userId],
      purge: [now, 10],
    },
    passkeys: {
      claimHandle: [userId, passkey.userHandle],
      create: [passkey, { most: 2, recoveryCodeHashes: [id] }],
      find: [credentialId],
      listForUser: [userId],
      use: [credentialId, counter, { counter, backedUp: true, lastUsedAt: now }],
      suspectClone: [credentialId, now],
      rename: [userId, credentialId, id],
      remove: [userId, credentialId, { unlessLast: true }],
      removeAllForUser: [userId],
      consumeRecoveryCode: [userId, id],
    },
    identities: {
      find: [provider, subject],
      wasUnlinked: [provider, subject],
      link: [identity],
      listForUser: [userId],
      listOfProvider: [provider, null, 2],
      used: [provider, subject, now],
      unlink: [userId, id, { unlessLast: true }],
      unlinkAllForUser: [userId],
    },
  }
}
