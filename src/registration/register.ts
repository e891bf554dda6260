import { z } from 'zod'
import type { AccountsKit } from '../accounts/accounts-server.js'
import { type CodeSent, requireAddress } from '../accounts/addresses.js'
import { isKept } from '../accounts/former-addresses.js'
import {
  type Newcomer,
  objectionToNewcomer,
  shownNameText,
  userNameText,
} from '../accounts/newcomer.js'
import type { RequestContext } from '../audit/events.js'
import type { RegisterRefusal } from '../audit/refusals.js'
import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { mailAddressText } from '../lib/addresses.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { randomSecret } from '../lib/secrets.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import { findInvitation, type Invitation } from './invitations.js'

export interface RegistrationKit extends AccountsKit {
  /** The two methods of the host's users that a registration needs. */
  readonly createUser: NonNullable<UserStore['create']>
  readonly nameIsFree: NonNullable<UserStore['nameIsFree']>
}

type Text = z.ZodString

/** The body of `POST /auth/register`. */
export const registerRequest: z.ZodObject<{
  email: Text
  username: Text
  name: Text
  locale: z.ZodOptional<Text>
  invitation: z.ZodOptional<Text>
}> = z.object({
  email: mailAddressText,
  username: userNameText,
  name: shownNameText,
  locale: z
    .string()
    .regex(/^[a-z]{2,8}(?:[-_][a-z0-9]{1,8}){0,4}$/i)
    .optional(),
  invitation: z.string().min(1).max(100).optional(),
})

/** Seconds in which a registration can be confirmed. */
const registrationLifetime = 60 * 60

/** A registration that waits for its code. It has no password: the holder of the code sets it. */
interface Waiting extends Newcomer {
  readonly locale: string | null
  readonly invitation: Invitation | null
}

/** Whether somebody may register without an invitation now. Throws 503. */
export async function isOpen({ accountsOptions, call }: RegistrationKit): Promise<boolean> {
  const { registration } = accountsOptions
  if (typeof registration !== 'function') return registration === 'open'
  return call('accounts.registration', async () => {
    const answer = await registration()
    if (answer === 'open' || answer === 'invited') return answer === 'open'
    throw new UnexpectedAnswer("the answer is neither 'open' nor 'invited'")
  })
}

/** Reports a refused registration, and returns the error for the client. */
export function refusal(
  { audit }: RegistrationKit,
  reason: RegisterRefusal,
  code: AuthErrorCode,
  context: RequestContext,
  options?: AuthErrorOptions,
): AuthError {
  audit({ type: 'account.register-refused', reason }, context)
  return new AuthError(code, options)
}

/** Refuses a user name that is taken: 409 `username-taken`. Throws 429, 503. */
export async function requireFreeName(
  kit: RegistrationKit,
  username: string,
  context: RequestContext,
): Promise<void> {
  if (await kit.throttle.limitNames(() => kit.nameIsFree(username), context)) return
  throw refusal(kit, 'username-taken', 'username-taken', context)
}

/** Asks the host's `beforeRegister` whether it objects. Throws 403 `forbidden`, 503. */
export async function askHost(
  kit: RegistrationKit,
  { email, username, name }: Newcomer,
  invitation: Pick<Invitation, 'id' | 'note'> | null,
  { incoming, context }: Pick<EndpointRequest, 'incoming' | 'context'>,
): Promise<void> {
  const { beforeRegister } = kit.accountsOptions
  const shown = invitation && { id: invitation.id, note: invitation.note }
  const attempt = { email, username, name, invitation: shown, request: incoming }
  const clientMessage = await objectionToNewcomer({ beforeRegister, call: kit.call }, attempt)
  if (clientMessage !== undefined)
    throw refusal(kit, 'vetoed', 'forbidden', context, { clientMessage })
}

/** `GET /auth/registration`: what a form for new users must know. */
export function registrationEndpoint(kit: RegistrationKit): Endpoint {
  const { minLength, maxLength } = kit.accountsOptions.passwordRules
  return async function registrationStatus() {
    // 503
    const open = await isOpen(kit)
    const data = { open, invited: !open, passwordRules: { minLength, maxLength } }
    return ok({ status: 'success', data })
  }
}

/** `POST /auth/register`: mails a code to the address of a new user. */
export function registerEndpoint(kit: RegistrationKit): Endpoint {
  return kit.throttle.limitFailures('register', async function registering(request) {
    // 400, 413, 415
    const given = parseInput(registerRequest, await request.readJson())
    // 400, 403, 409, 429, 503
    const data = await register(kit, given, request)
    return { status: 202, body: { status: 'success', data } }
  })
}

/**
 * Mails a code to the address of somebody who wants an account. It resolves before the address is
 * looked up, and stores nothing in the host's table. Throws 400, 403, 409 `username-taken`, 429,
 * 503.
 */
export async function register(
  kit: RegistrationKit,
  given: z.output<typeof registerRequest>,
  request: Pick<EndpointRequest, 'context' | 'incoming'>,
): Promise<CodeSent> {
  const { context } = request
  const { username, name, locale = null } = given
  const newcomer = { email: requireAddress(given.email), username, name }
  const invitation = await requireInvitation(kit, given.invitation, newcomer.email, context)
  await requireFreeName(kit, username, context)
  await askHost(kit, newcomer, invitation, request)
  const identifier = await kit.canonical({ kind: 'email', value: newcomer.email })
  // This is not the counter of forgotten passwords: strangers must not keep a user from a new
  // password.
  const digest = kit.digestIdentifier(identifier).name
  await kit.throttle.takeMailRequest(`register.${digest}`, context)
  const requestId = randomSecret()
  const waiting = { ...newcomer, locale, invitation }
  kit.afterAnswer.run(() => mailCode(kit, waiting, { identifier, requestId }, context))
  return { requestId, expiresIn: registrationLifetime }
}

// The invitation is checked before any mail. A use of it is taken at the confirmation.
async function requireInvitation(
  kit: RegistrationKit,
  token: string | undefined,
  email: string,
  context: RequestContext,
): Promise<Invitation | null> {
  if (token === undefined) {
    if (await isOpen(kit)) return null
    throw refusal(kit, 'closed', 'registration-closed', context)
  }
  const invitation = await findInvitation(kit, token, context)
  const { email: invited } = invitation
  if (invited === null || invited.toLowerCase() === email.toLowerCase()) return invitation
  throw refusal(kit, 'invitation', 'proof-refused', context)
}

// The code is mailed after the answer: only the mailbox learns whether the address has an account.
async function mailCode(
  kit: RegistrationKit,
  { invitation, ...newcomer }: Waiting,
  { identifier, requestId }: { readonly identifier: LoginIdentifier; readonly requestId: string },
  context: RequestContext,
): Promise<void> {
  const { proofs, mails } = kit
  const { email, locale } = newcomer
  const owner = await kit.users.findByIdentifier(identifier)
  // A user who can still undo a change of the address gets it back.
  const isTaken = owner !== null || (await isKept(kit, email))
  if ((await mails.take({ address: email, user: null }, 'register', context)) !== null) return
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
    kit.audit({ type: 'account.register-refused', reason: 'address-taken' }, context)
    mails.send(
      { address: email, user: null, locale: owner?.locale ?? locale },
      { kind: 'address-taken' },
      context,
    )
    return
  }
  const url = kit.linkToCode(null, mailed)
  const { code, expiresAt } = mailed
  const content = {
    kind: 'register',
    code,
    expiresAt,
    ...(url === undefined ? {} : { url }),
  } as const
  mails.send({ address: email, user: null, locale }, content, context)
}
