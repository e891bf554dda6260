import {
  type Answers,
  bool,
  type Check,
  count,
  date,
  failClosed,
  listOf,
  orNull,
  record,
  text,
  theOneAsked,
  theOtherAsked,
  unread,
} from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import type { ManagedClientStore, OAuthClient } from './client-contract.js'
import type { ConsentRecord, ConsentStore } from './consent-contract.js'
import type { DeviceCodeRecord, DeviceCodeStore } from './device-code-contract.js'
import type { IdentityRecord, IdentityStore } from './identity-contract.js'
import { createDeviceCodeCheck, createProofCheck } from './kept-members.js'
import type { OnceStore } from './once-contract.js'
import type { PasskeyRecord, PasskeyStore } from './passkey-contract.js'
import type { ProofRecord, ProofStore } from './proof-contract.js'
import { checksOf } from './rows/checks.js'
import { passkeyRow } from './rows/factor-rows.js'
import { deviceCodeRow, identityRow, proofRow } from './rows/one-time-rows.js'

// As fail-closed-stores.ts, for the stores of capabilities. A row that was not asked for would sign
// another user in; a row with two names has to have both.

const ofProof = {
  ...checksOf(proofRow),
  idHash: theOneAsked,
  purpose: theOtherAsked,
  triesLeft: count,
}
const proof = record<ProofRecord>(ofProof)
const consumed = record<ProofRecord>({ ...ofProof, consumedAt: date })
const listed = { ...checksOf(proofRow), triesLeft: count, purpose: theOneAsked }

export const proofAnswers: Answers<ProofStore> = {
  save: unread,
  find: orNull(proof),
  takeTry: { taken: { proof }, void: {} },
  consume: { consumed: { proof: consumed }, void: {} },
  voidForUser: count,
  list: listOf(record<ProofRecord>(listed)),
  purge: count,
}

/**
 * Proofs behind their contract. The store must prove that it keeps the members that a proof needs.
 */
export function failClosedProofs(store: ProofStore, call: HostCall): ProofStore {
  const proofs: ProofStore = failClosed('proofs', store, call, proofAnswers)
  const checkProof = createProofCheck(proofs)
  return {
    ...proofs,
    async save(given) {
      await checkProof(given)
      await proofs.save(given)
    },
  }
}

const identity = checksOf(identityRow)

export const identityAnswers: Answers<IdentityStore> = {
  find: orNull(
    record<IdentityRecord>({ ...identity, provider: theOneAsked, subject: theOtherAsked }),
  ),
  wasUnlinked: bool,
  link: { linked: {}, exists: {} },
  listForUser: listOf(record<IdentityRecord>({ ...identity, userId: theOneAsked })),
  used: unread,
  unlink: { unlinked: {}, last: {}, unknown: {} },
  unlinkAllForUser: count,
}

/** Identities behind their contract. */
export function failClosedIdentities(store: IdentityStore, call: HostCall): IdentityStore {
  return failClosed('identities', store, call, identityAnswers)
}

const handle: Check = (value) =>
  typeof value === 'string' && /^[\w-]{1,86}$/.test(value) ? null : 'is not a user handle'

const passkey = { ...checksOf(passkeyRow), userHandle: handle }

export const passkeyAnswers: Answers<PasskeyStore> = {
  claimHandle: handle,
  create: { created: { isFirst: bool }, exists: {}, full: {} },
  find: orNull(record<PasskeyRecord>({ ...passkey, credentialId: theOneAsked })),
  listForUser: listOf(record<PasskeyRecord>({ ...passkey, userId: theOneAsked })),
  use: { used: {}, superseded: {}, gone: {} },
  suspectClone: unread,
  rename: bool,
  remove: { removed: {}, last: {}, unknown: {} },
  removeAllForUser: count,
  consumeRecoveryCode: { consumed: {}, unknown: {} },
}

/** Passkeys behind their contract. */
export function failClosedPasskeys(store: PasskeyStore, call: HostCall): PasskeyStore {
  return failClosed('passkeys', store, call, passkeyAnswers)
}

const ofDeviceCode = { ...checksOf(deviceCodeRow), userCodeHash: theOneAsked, triesLeft: count }
const ofUser = record<DeviceCodeRecord>({ ...ofDeviceCode, userId: theOtherAsked })
const ofDevice = record<DeviceCodeRecord>({ ...ofDeviceCode, deviceCodeHash: theOtherAsked })

export const deviceCodeAnswers: Answers<DeviceCodeStore> = {
  save: unread,
  find: orNull(record<DeviceCodeRecord>(ofDeviceCode)),
  claim: { claimed: { code: ofUser }, foreign: {}, unknown: {} },
  takeTry: { taken: { code: ofUser }, void: {} },
  decide: { decided: {}, unknown: {} },
  poll: { polled: { code: ofDevice }, 'too-soon': { code: ofDevice }, unknown: {} },
  purge: count,
}

/**
 * Device codes behind their contract. The store must prove that it keeps the members that a code
 * needs.
 */
export function failClosedDeviceCodes(store: DeviceCodeStore, call: HostCall): DeviceCodeStore {
  const codes: DeviceCodeStore = failClosed('deviceCodes', store, call, deviceCodeAnswers)
  const checkCode = createDeviceCodeCheck(codes)
  return {
    ...codes,
    async save(code) {
      await checkCode(code)
      await codes.save(code)
    },
  }
}

const consent = {
  userId: theOneAsked,
  clientId: text,
  scopes: listOf(text),
  grantedAt: date,
  updatedAt: date,
}

export const consentAnswers: Answers<ConsentStore> = {
  find: orNull(record<ConsentRecord>({ ...consent, clientId: theOtherAsked })),
  grant: unread,
  revoke: { revoked: {}, unknown: {} },
  listForUser: listOf(record<ConsentRecord>(consent)),
}

/** Consents behind their contract. */
export function failClosedConsents(store: ConsentStore, call: HostCall): ConsentStore {
  return failClosed('consents', store, call, consentAnswers)
}

export const onceAnswers: Answers<OnceStore> = { claim: { claimed: {}, known: {} }, purge: count }

/** Names that are used once, behind their contract. */
export function failClosedOnce(store: OnceStore, call: HostCall): OnceStore {
  return failClosed('once', store, call, onceAnswers)
}

// Whether the rest of a client is permissible is judged where a listed one is judged, too.
const managedClientAnswers: Answers<ManagedClientStore> = {
  find: orNull(record<OAuthClient>({ id: theOneAsked })),
  create: { created: {}, exists: {} },
  update: { updated: {}, unknown: {} },
  replaceSecrets: { replaced: {}, superseded: {} },
  setDisabled: { changed: {}, unchanged: {} },
  list: listOf(record<OAuthClient>({ id: text })),
}

/** A register of clients that is changed while the server runs, behind its contract. */
export function failClosedManagedClients(
  store: ManagedClientStore,
  call: HostCall,
): ManagedClientStore {
  return failClosed('clients', store, call, managedClientAnswers)
}
