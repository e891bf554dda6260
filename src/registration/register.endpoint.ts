import type { CheckedAccountsOptions } from '../accounts/accounts-options.js'
import type { AfterAnswer } from '../accounts/after-answer.js'
import type { CodeSent } from '../accounts/email.endpoint.js'
import type { FormerAddresses } from '../accounts/former-addresses.js'
import type { LinkToCode } from '../accounts/links.js'
import type { Mails } from '../accounts/mails.js'
import type { Newcomer } from '../accounts/new-password.js'
import { objectionToNewcomer } from '../accounts/objection-to-newcomer.js'
import type { Proofs } from '../accounts/proofs.js'
import type { Audit, RequestContext } from '../audit/events.js'
import type { RegisterRefusal } from '../audit/refusals.js'
import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { randomSecret } from '../lib/random.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import type { FindInvitation, Invitation } from './invitations.js'
import { type RegisterRequest, registerRequest, requireAddress } from './register-request.js'

/** Seconds in which a registration can be confirmed. */
const registrationLifetime = 60 * 60

/**
 * Mails a code to the address of somebody who wants an account. It resolves before the address is
 * looked up, and stores nothing in the host's table. Throws 400, 403, 409 `username-taken`, 429,
 * 503.
 */
export type Register = (
  given: RegisterRequest,
  request: Pick<EndpointRequest, 'context' | 'incoming'>,
) => Promise<CodeSent>

/** Refuses a user name that is taken: 409 `username-taken`. Throws 429, 503. */
export type RequireFreeName = (username: string, context: RequestContext) => Promise<void>

/** Reports a refused registration, and returns the error for the client. */
export type RefuseRegistration = (
  reason: RegisterRefusal,
  code: AuthErrorCode,
  context: RequestContext,
  options?: AuthErrorOptions,
) => AuthError

/** Asks the host's `beforeRegister` whether it objects. Throws 403 `forbidden`, 503. */
export type AskHost = (
  newcomer: Newcomer,
  invitation: Pick<Invitation, 'id' | 'note'> | null,
  request: Pick<EndpointRequest, 'incoming' | 'context'>,
) => Promise<void>

/** Whether somebody may register without an invitation now. Throws 503. */
export type IsOpen = () => Promise<boolean>

export interface RegisterDeps {
  readonly accountsOptions: CheckedAccountsOptions
  readonly isOpen: IsOpen
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Pick<Throttle, 'takeMailRequest'>
  readonly users: Pick<UserStore, 'findByIdentifier'>
  readonly requireFreeName: RequireFreeName
  readonly refuseRegistration: RefuseRegistration
  readonly findInvitation: FindInvitation
  readonly askHost: AskHost
  readonly afterAnswer: Pick<AfterAnswer, 'run'>
  readonly proofs: Pick<Proofs, 'openCode'>
  readonly formerAddresses: Pick<FormerAddresses, 'isKept'>
  readonly mails: Pick<Mails, 'take' | 'send'>
  readonly linkToCode: LinkToCode
  readonly audit: Audit
}

/** What waits for its code. Without a password, which whoever has the code sets. */
interface Waiting extends Newcomer {
  readonly locale: string | null
  readonly invitation: Invitation | null
}

export function createIsOpen({
  accountsOptions: { registration },
  call,
}: Pick<RegisterDeps, 'accountsOptions'> & { readonly call: HostCall }): IsOpen {
  if (typeof registration !== 'function') return async () => registration === 'open'
  return () =>
    call('accounts.registration', async () => {
      const answer = await registration()
      if (answer === 'open' || answer === 'invited') return answer === 'open'
      throw new UnexpectedAnswer("the answer is neither 'open' nor 'invited'")
    })
}

export function createRefuseRegistration({
  audit,
}: Pick<RegisterDeps, 'audit'>): RefuseRegistration {
  return function refuseRegistration(reason, code, context, options) {
    audit({ type: 'account.register-refused', reason }, context)
    return new AuthError(code, options)
  }
}

export function createRequireFreeName({
  nameIsFree,
  throttle,
  refuseRegistration,
}: Pick<RegisterDeps, 'refuseRegistration'> & {
  readonly nameIsFree: NonNullable<UserStore['nameIsFree']>
  readonly throttle: Pick<Throttle, 'limitNames'>
}): RequireFreeName {
  return async function requireFreeName(username, context) {
    if (await throttle.limitNames(() => nameIsFree(username), context)) return
    throw refuseRegistration('username-taken', 'username-taken', context)
  }
}

export function createAskHost({
  accountsOptions: { beforeRegister },
  call,
  refuseRegistration,
}: Pick<RegisterDeps, 'accountsOptions' | 'refuseRegistration'> & {
  readonly call: HostCall
}): AskHost {
  return async function askHost({ email, username, name }, invitation, { incoming, context }) {
    const shown = invitation && { id: invitation.id, note: invitation.note }
    const attempt = { email, username, name, invitation: shown, request: incoming }
    const clientMessage = await objectionToNewcomer({ beforeRegister, call }, attempt)
    if (clientMessage !== undefined)
      throw refuseRegistration('vetoed', 'forbidden', context, { clientMessage })
  }
}

export function createRegister(deps: RegisterDeps): Register {
  return async function register(given, request) {
    const { context } = request
    const { username, name, locale = null } = given
    const newcomer = { email: requireAddress(given.email), username, name }
    const invitation = await requireInvitation(deps, given.invitation, newcomer.email, context)
    await deps.requireFreeName(username, context)
    await deps.askHost(newcomer, invitation, request)
    const identifier = await deps.canonical({ kind: 'email', value: newcomer.email })
    // Not the counter of forgotten passwords: strangers must not keep a user from those.
    const digest = deps.digestIdentifier(identifier).name
    await deps.throttle.takeMailRequest(`register.${digest}`, context)
    const requestId = randomSecret()
    const waiting = { ...newcomer, locale, invitation }
    deps.afterAnswer.run(() => mailCode(deps, waiting, { identifier, requestId }, context))
    return { requestId, expiresIn: registrationLifetime }
  }
}

/** `POST /auth/register`: mails a code to the address of a new user. */
export function registerEndpoint(
  register: Register,
  { limitFailures }: Pick<Throttle, 'limitFailures'>,
): Endpoint {
  return limitFailures('register', async function registering(request) {
    // 400, 413, 415
    const given = parseInput(registerRequest, await request.readJson())
    // 400, 403, 409, 429, 503
    const data = await register(given, request)
    return { status: 202, body: { status: 'success', data } }
  })
}

/** `GET /auth/registration`: what a form for new users must know. */
export function registrationEndpoint({
  accountsOptions: { passwordRules },
  isOpen,
}: Pick<RegisterDeps, 'accountsOptions' | 'isOpen'>): Endpoint {
  const { minLength, maxLength } = passwordRules
  return async function registrationStatus() {
    // 503
    const open = await isOpen()
    const data = { open, invited: !open, passwordRules: { minLength, maxLength } }
    return ok({ status: 'success', data })
  }
}

// Before any mail. A use of it is taken at the confirmation.
async function requireInvitation(
  { isOpen, findInvitation, refuseRegistration }: RegisterDeps,
  token: string | undefined,
  email: string,
  context: RequestContext,
): Promise<Invitation | null> {
  if (token === undefined) {
    if (await isOpen()) return null
    throw refuseRegistration('closed', 'registration-closed', context)
  }
  const invitation = await findInvitation(token, context)
  const { email: invited } = invitation
  if (invited === null || invited.toLowerCase() === email.toLowerCase()) return invitation
  throw refuseRegistration('invitation', 'proof-refused', context)
}

// After the answer: only the mailbox learns whether the address has an account.
async function mailCode(
  deps: RegisterDeps,
  { invitation, ...newcomer }: Waiting,
  { identifier, requestId }: { readonly identifier: LoginIdentifier; readonly requestId: string },
  context: RequestContext,
): Promise<void> {
  const { proofs, mails } = deps
  const { email, locale } = newcomer
  const owner = await deps.users.findByIdentifier(identifier)
  // Whoever can still undo a change of the address gets it back.
  const isTaken = owner !== null || (await deps.formerAddresses.isKept(email))
  if ((await mails.take({ email, user: null }, 'register', context)) !== null) return
  const mailed = await proofs.openCode(
    {
      purpose: 'register',
      userId: null,
      mark: null,
      sealed: { ...newcomer, invitation: invitation?.id ?? null, note: invitation?.note ?? null },
      lifetime: registrationLifetime,
      hasCode: !isTaken,
    },
    requestId,
  )
  if (isTaken) {
    deps.audit({ type: 'account.register-refused', reason: 'address-taken' }, context)
    mails.send(
      { email, user: null, locale: owner?.locale ?? locale },
      { kind: 'address-taken' },
      context,
    )
    return
  }
  const url = deps.linkToCode(null, mailed)
  const { code, expiresAt } = mailed
  const content = {
    kind: 'register',
    code,
    expiresAt,
    ...(url === undefined ? {} : { url }),
  } as const
  mails.send({ email, user: null, locale }, content, context)
}
