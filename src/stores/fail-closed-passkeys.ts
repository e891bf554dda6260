import {
  type Answers,
  bool,
  type Check,
  count,
  failClosed,
  listOf,
  orNull,
  record,
  theOneAsked,
  unread,
} from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import type { PasskeyRecord, PasskeyStore } from './passkey-contract.js'
import { checksOf } from './rows/checks.js'
import { passkeyRow } from './rows/factor-rows.js'

const handle: Check = (value) =>
  typeof value === 'string' && /^[\w-]{1,86}$/.test(value) ? null : 'is not a user handle'

const row = { ...checksOf(passkeyRow), userHandle: handle }

// A passkey that was not asked for would sign another user in.
const answers: Answers<PasskeyStore> = {
  claimHandle: handle,
  create: { created: { isFirst: bool }, exists: {}, full: {} },
  find: orNull(record<PasskeyRecord>({ ...row, credentialId: theOneAsked })),
  listForUser: listOf(record<PasskeyRecord>({ ...row, userId: theOneAsked })),
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
