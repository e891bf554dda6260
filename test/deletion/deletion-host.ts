// A router whose users delete their accounts, and requests to it.
import {
  type AccountHost,
  type AccountSettings,
  type asAlice,
  startAccounts,
} from '../accounts/account-host.js'
import { password } from '../support/host.js'

export const path = '/auth/account/delete'
export const confirmPath = '/auth/account/delete/confirm'

/** Starts it with alice, whose address is proven. */
export function startDeletion({ accounts, ...settings }: AccountSettings = {}) {
  return startAccounts({ accounts: { deletion: true, ...accounts }, ...settings })
}

export type Alice = Awaited<ReturnType<typeof asAlice>>

/** Asks for the deletion in a session, and returns what confirms it. */
export async function askedBy(host: AccountHost, alice: Alice, proof: object = { password }) {
  const before = (await host.mailed('confirm-deletion')).length
  const { body } = await alice.post(path, proof).expect(202)
  const { code = '' } = (await host.mailed('confirm-deletion'))[before] ?? {}
  return { requestId: body.data.requestId as string, code }
}

export const deletionsIn = ({ events }: AccountHost) =>
  events.filter(({ type }) => type === 'account.deleted')

/** What nobody of this id may have any more. */
export async function leftOf(host: AccountHost, userId = 'u-alice') {
  const { sessions, secondFactors } = host.stores
  return {
    user: await host.users.findById(userId),
    sessions: (await sessions.listForUser(userId, host.clock())).length,
    factor: await secondFactors.find(userId),
    recoveryCodes: await secondFactors.countRecoveryCodes(userId),
  }
}

export const nothingLeft = { user: null, sessions: 0, factor: null, recoveryCodes: 0 }
