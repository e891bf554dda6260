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
  unread,
} from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import type { PasskeyRecord, PasskeyStore } from './passkey-contract.js'

const row = {
  publicKey: text,
  counter: count,
  backupEligible: bool,
  backedUp: bool,
  transports: listOf(text),
  aaguid: text,
  name: text,
  suspectedCloneAt: orNull(date),
  passwordMark: orNull(text),
  createdAt: date,
  lastUsedAt: orNull(date),
}
const handle: Check = (value) =>
  typeof value === 'string' && /^[\w-]{1,86}$/.test(value) ? null : 'is not a user handle'

// A passkey that was not asked for would sign another user in.
const answers: Answers<PasskeyStore> = {
  claimHandle: handle,
  create: { created: { isFirst: bool }, exists: {}, full: {} },
  find: orNull(
    record<PasskeyRecord>({ ...row, credentialId: theOneAsked, userId: text, userHandle: handle }),
  ),
  listForUser: listOf(
    record<PasskeyRecord>({ ...row, credentialId: text, userId: theOneAsked, userHandle: handle }),
  ),
  use: { used: {}, superseded: {}, gone: {} },
  suspectClone: unread,
  rename: bool,
  remove: { removed: {}, last: {}, unknown: {} },
  removeAllForUser: count,
  consumeRecoveryCode: { consumed: {}, unknown: {} },
}

/** Passkeys behind their contract. */
export function failClosedPasskeys(store: PasskeyStore, call: HostCall): PasskeyStore {
  return failClosed('passkeys', store, call, answers)
}
