import { isDeepStrictEqual } from 'node:util'
import { AuthConfigError } from '../errors.js'
import { randomId } from '../lib/random.js'
import type { AuthorizationCodeRecord, AuthorizationCodeStore } from './code-contract.js'
import { moments, newWholeCode } from './new-records.js'
import { passOnce } from './pass-once.js'

/** The members of a code that a store of an earlier release does not know. */
type LaterMembers = Pick<
  AuthorizationCodeRecord,
  'clientId' | 'redirectUri' | 'nonce' | 'resources' | 'acr'
>

const names = Object.keys({
  clientId: true,
  redirectUri: true,
  nonce: true,
  resources: true,
  acr: true,
} satisfies Record<keyof LaterMembers, true>) as readonly (keyof LaterMembers)[]

/**
 * Throws unless a code that was saved is found again with all of those members. Who drops one lets
 * any client exchange the code, from any address, and nothing would fail.
 *
 * @throws AuthConfigError that names the members which are gone
 */
export async function checkLaterCodeMembers(
  store: Pick<AuthorizationCodeStore, 'find'>,
  saved: AuthorizationCodeRecord,
): Promise<void> {
  const found = await store.find(saved.codeHash)
  const lost = names.filter((name) => !isDeepStrictEqual(found?.[name], saved[name]))
  if (lost.length === 0) return
  throw new AuthConfigError(
    'codes',
    `saved a code and found it again without its ${lost.join(', ')}, or with another.`,
    'keep every member of AuthorizationCodeRecord: with sqlStores() run migrateSql(); in a store ' +
      'of your own add a column for each, and run storeContract() from ' +
      'messaging-auth-router/testing.',
  )
}

/**
 * Makes what lets a code through that has one of those members: before the first of them, a row of
 * its own is saved, read back, compared and used up. It opens nothing; `purge` deletes it a minute
 * later. Nothing is asked for any other code, or once the store has passed.
 */
export function createCodeCheck(
  store: Pick<AuthorizationCodeStore, 'save' | 'find' | 'consume'>,
): (code: AuthorizationCodeRecord) => Promise<void> {
  async function probe(): Promise<void> {
    const at = moments()
    const nothing = { userId: `mar-probe-${randomId()}`, scope: '', methods: [] }
    const code = newWholeCode(at, { ...nothing, retainUntil: at(60) })
    await store.save(code)
    try {
      await checkLaterCodeMembers(store, code)
    } finally {
      await store.consume(code.codeHash, at(0))
    }
  }

  const pass = passOnce(probe)
  return async function checkMembers(code) {
    if (names.some((name) => code[name] !== undefined)) await pass()
  }
}
