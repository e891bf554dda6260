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
import type { IdentityRecord, IdentityStore } from './identity-contract.js'
import { checksOf } from './rows/checks.js'
import { identityRow } from './rows/identity-row.js'

const row = checksOf(identityRow)

const answers: Answers<Omit<IdentityStore, 'find'>> = {
  wasUnlinked: bool,
  link: { linked: {}, exists: {} },
  listForUser: listOf(record<IdentityRecord>({ ...row, userId: theOneAsked })),
  used: unread,
  unlink: { unlinked: {}, last: {}, unknown: {} },
  unlinkAllForUser: count,
}

// The checks know the first argument of a call alone, and an identity has two names. One that was
// not asked for would sign another user in.
function answersOf(asked: string): Answers<Pick<IdentityStore, 'find'>> {
  const subject: Check = (value) => theOneAsked(value, asked)
  return { find: orNull(record<IdentityRecord>({ ...row, provider: theOneAsked, subject })) }
}

/** Identities behind their contract. */
export function failClosedIdentities(store: IdentityStore, call: HostCall): IdentityStore {
  const all = failClosed<Omit<IdentityStore, 'find'>>('identities', store, call, answers)
  return {
    ...all,
    find: (provider, subject) =>
      failClosed<Pick<IdentityStore, 'find'>>('identities', store, call, answersOf(subject)).find(
        provider,
        subject,
      ),
  }
}
