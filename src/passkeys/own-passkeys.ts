import type { RequestContext } from '../audit/events.js'
import type { JsonBody } from '../http/body.js'
import { parseInput } from '../http/input.js'
import type { SignedInRequest } from '../principal/principal.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import { passkeyNameRequest } from './passkey-name.js'
import { noPasskey, type RemovePasskey } from './remove-passkey.js'
import { type PasskeySummary, summaryOf } from './summary.js'

/** What users do with their passkeys: at `/auth/passkeys`, and on the account page. */
export interface OwnPasskeys {
  /** Oldest first. Rejects with 503. */
  list(userId: string): Promise<readonly PasskeySummary[]>
  /** Resolves with the name as it is kept. Rejects with 400, 404 and 503. */
  rename(userId: string, id: unknown, named: JsonBody): Promise<string>
  /** The caller has required a fresh sign-in. Rejects with 401, 404, 409 and 503. */
  remove(
    asking: Pick<SignedInRequest, 'session' | 'user'>,
    id: unknown,
    context: RequestContext,
  ): Promise<void>
}

export function createOwnPasskeys(
  passkeyStore: Pick<PasskeyStore, 'listForUser' | 'rename'>,
  removePasskey: RemovePasskey,
): OwnPasskeys {
  return {
    list: async (userId) => (await passkeyStore.listForUser(userId)).map(summaryOf),
    async rename(userId, id, named) {
      const { name } = parseInput(passkeyNameRequest, named)
      if (!(await passkeyStore.rename(userId, passkeyIdOf(id), name))) throw noPasskey()
      return name
    },
    remove: async (asking, id, context) => removePasskey(asking, passkeyIdOf(id), context),
  }
}

/** Throws 404 for anything that is no id; then no store is asked. */
export function passkeyIdOf(id: unknown): string {
  if (typeof id === 'string' && /^[\w-]{1,1364}$/.test(id)) return id
  throw noPasskey()
}
