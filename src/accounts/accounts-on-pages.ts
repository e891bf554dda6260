import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type {
  AccountsOnPages,
  MailedWayBack,
  PasswordOnPages,
  UndoOnPages,
} from '../pages/account/parts.js'
import { minLengthFor } from '../passwords/password-rules.js'
import type { ProvePassword } from '../principal/prove-password.js'
import type { RequireFresh } from '../sign-in-again.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser } from '../users/contract.js'
import type { AccountsServer } from './accounts-server.js'
import type { ChangePassword, ProvePresent } from './change-password.endpoint.js'
import type { ForgotPassword } from './forgot-password.endpoint.js'
import { newPasswordText } from './new-password.js'
import type { FoundProof, Sealed } from './proofs.js'
import type { ResetPassword } from './reset-password.endpoint.js'
import type { UndoEmail } from './undo-email.endpoint.js'

/** What users do with their passwords, by endpoint or by page. */
export interface PasswordFlows {
  readonly forgot: ForgotPassword
  readonly reset: ResetPassword
  readonly change: ChangePassword
  /** As on the account page, whose user has a fresh sign-in. */
  readonly changeOnPage: ChangePassword
}

export interface AccountsOnPagesDeps
  extends Pick<AccountsServer, 'proofs' | 'contacts' | 'accountsOptions'> {
  readonly hasSecondFactor: (user: AuthUser) => Promise<boolean>
  readonly throttle: Pick<Throttle, 'limitFailures'>
}

/** The same flows and limits as those of the endpoints, for the pages. */
export function createAccountsOnPages(
  deps: AccountsOnPagesDeps,
  flows: PasswordFlows | undefined,
  undo: UndoEmail | undefined,
): AccountsOnPages {
  return {
    password: flows && passwordOnPages(deps, flows),
    undo: undo && undoOnPages(deps, undo),
  }
}

function passwordOnPages(deps: AccountsOnPagesDeps, flows: PasswordFlows): PasswordOnPages {
  const { proofs, accountsOptions, hasSecondFactor } = deps
  const minLength = async (user: AuthUser) =>
    minLengthFor(accountsOptions.passwordRules, await hasSecondFactor(user))
  return {
    forgot: flows.forgot,
    minLength,

    async look(token, context) {
      const proof = await proofs.findLink('reset', token, context)
      const user = await ownerOf(deps, proof, context)
      return { username: user.username, minLength: await minLength(user) }
    },

    async reset(given, request) {
      requireText(given.password)
      let wayBack: MailedWayBack | null = null
      await limited(deps, 'password-reset', request, async () => {
        const { sealed } = await proofs.findLink('reset', given.token, request.context)
        wayBack = wayBackIn(sealed)
        await flows.reset(given, request)
      })
      return wayBack
    },

    async change(asking, { newPassword, password }, request, beforehand) {
      requireText(newPassword)
      const given = { newPassword, proof: { password } }
      await flows.changeOnPage(asking, given, request, beforehand)
    },
  }
}

function undoOnPages(deps: AccountsOnPagesDeps, undo: UndoEmail): UndoOnPages {
  return {
    async look(token, context) {
      const proof = await deps.proofs.findLink('undo-address', token, context)
      return (await ownerOf(deps, proof, context)).username
    },
    async undo(token, request) {
      await limited(deps, 'email-undo', request, () => undo(token, request.context))
    },
  }
}

/** Requires the present password beside the fresh sign-in of the page. */
export function provePresentOnPage(deps: {
  readonly requireFresh: RequireFresh
  readonly provePassword: ProvePassword
}): ProvePresent {
  return async function provePresent(asking, { password }, request) {
    await deps.requireFresh(asking, {}, request)
    if (password === undefined) return null
    return { user: await deps.provePassword(asking.user.id, password, request) }
  }
}

// In the same counters as the endpoint: a page is no second set of guesses.
async function limited(
  { throttle }: AccountsOnPagesDeps,
  name: string,
  request: EndpointRequest,
  work: () => Promise<void>,
): Promise<void> {
  const endpoint = throttle.limitFailures(name, async () => {
    await work()
    return ok({})
  })
  await endpoint(request)
}

async function ownerOf(
  { proofs, contacts }: AccountsOnPagesDeps,
  { record }: FoundProof,
  context: EndpointRequest['context'],
): Promise<AuthUser> {
  const user = record.userId === null ? null : await contacts.findById(record.userId)
  if (user !== null && user.disabled !== true) return user
  throw proofs.refusal('no-user', record, context)
}

function wayBackIn({ request = null, browser = null }: Sealed): MailedWayBack | null {
  return request === null || browser === null ? null : { request, browser }
}

function requireText(password: string): void {
  if (!newPasswordText.safeParse(password).success) throw new AuthError('invalid-request')
}
