import { dataOf } from './account.js'
import type { CallWire } from './authorised.js'
import { isRefusal } from './errors.js'
import type { Retry } from './retry.js'
import type { TokenKeeper } from './token-keeper.js'
import type { Transport } from './transport.js'
import type { CodeSent, Proof } from './wire.js'

/** The account is deleted, or a code that deletes it is on its way. */
export type Deletion =
  | { readonly status: 'deleted' }
  | {
      readonly status: 'code-needed'
      /** Seconds in which the code works. */
      readonly expiresIn: number
      /**
       * Deletes the account and forgets the tokens. Throws AuthClientError: `proof-refused` for a
       * wrong code, which may be typed five times. After a failure of the server, call it again.
       */
      submit(code: string): Promise<void>
    }

/** Deletes the account of the signed-in user. */
export type DeleteAccount = (proof?: Proof) => Promise<Deletion>

export interface DeleteAccountDeps {
  readonly call: CallWire
  readonly transport: Pick<Transport, 'ask'>
  readonly withRetry: Retry['withRetry']
  readonly keeper: Pick<TokenKeeper, 'read' | 'endWith'>
}

export function createDeleteAccount(deps: DeleteAccountDeps): DeleteAccount {
  const { call, transport, withRetry, keeper } = deps
  const path = '/auth/account/delete'
  return async function deleteAccount(proof = undefined) {
    const session = await keeper.read()
    const forget = async () => session && keeper.endWith(session, async () => {})
    const sent = await dataOf(call)<Partial<CodeSent>>('POST', path, { ...proof })
    const { requestId, expiresIn = 0 } = sent
    if (requestId === undefined) {
      await forget()
      return { status: 'deleted' }
    }
    return {
      status: 'code-needed',
      expiresIn,
      async submit(code) {
        const body = { requestId, code }
        const request = { method: 'POST', path: `${path}/confirm`, body } as const
        // A deletion that was interrupted has ended the session: then the code alone completes it.
        await call(request).catch((error: unknown) => {
          if (!isRefusal(error, 'Unauthorized')) throw error
          return withRetry(() => transport.ask(request))
        })
        await forget()
      },
    }
  }
}
