import { z } from 'zod'
import { hashPassword, judgeNewcomer, newPasswordText } from '../accounts/new-password.js'
import { userNameText } from '../accounts/newcomer.js'
import type { FoundProof } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { openApproved } from '../host-sign-in/open-session.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { loggedIn } from '../login/login.js'
import type { OpenedSession, SessionRequest } from '../sessions/issuing.js'
import { tokensSchema } from '../sessions/sign-in-options.js'
import type { AuthUser, NewUser } from '../users/contract.js'
import { askHost, isOpen, type RegistrationKit, refusal, requireFreeName } from './register.js'

type Text = z.ZodString

/** The body of `POST /auth/register/confirm`. */
export const confirmRegistrationRequest: z.ZodObject<{
  requestId: Text
  code: Text
  password: z.ZodOptional<Text>
  username: z.ZodOptional<Text>
  tokens: typeof tokensSchema
}> = z.object({
  requestId: z.string().min(1).max(100),
  code: z.string().min(1).max(64),
  password: newPasswordText.optional(),
  username: userNameText.optional(),
  tokens: tokensSchema,
})

// Makes the user, and answers as `POST /login`.
export function confirmEndpoint(kit: RegistrationKit): Endpoint {
  return kit.throttle.limitFailures('register-confirm', async function confirm(request) {
    // 400, 413, 415
    const given = parseInput(confirmRegistrationRequest, await request.readJson())
    // 400, 401, 403, 409, 429, 503
    return loggedIn(await confirmRegistration(kit, given, request))
  })
}

/** The values that confirm a registration. */
interface Confirming extends Pick<SessionRequest, 'tokens'> {
  readonly requestId: string
  readonly code: string
  /**
   * The user who proves the address sets it. Undefined with `emailSignIn`: the user has no
   * password.
   */
  readonly password?: string | undefined
  /** Instead of the one that was taken meanwhile. */
  readonly username?: string | undefined
  readonly lifetime?: SessionRequest['lifetime']
}

/**
 * Makes a user for the holder of the mailed code, with the password that comes with the code, and
 * signs in. Throws 400 `proof-refused` and `password-refused`, 401, 403, 409 `username-taken`, 429,
 * 503.
 */
export async function confirmRegistration(
  kit: RegistrationKit,
  { requestId, code, password, username, tokens, lifetime }: Confirming,
  request: Pick<EndpointRequest, 'context' | 'incoming' | 'aborted'>,
): Promise<OpenedSession> {
  const { proofs } = kit
  const { context } = request
  requirePassword(kit, password)
  const proof = await proofs.findCode(['register'], requestId, context)
  // Checked before a try is taken: a name that somebody has and a bad password cost no try.
  if (username !== undefined) await requireFreeName(kit, username, context)
  if (password !== undefined) await requireGood(kit, proof, { username, password }, context)
  await proofs.takeTry(proof, context)
  if (!proofs.isCode(proof, code)) throw proofs.refusal('wrong-code', proof.record, context)
  const passwordHash = password === undefined ? null : await hashPassword(kit, password, request)
  const newUser = { ...(await newUserOf(kit, proof, username, context)), passwordHash }
  // The host has judged another name with this address.
  if (newUser.username !== proof.sealed['username'])
    await askHost(kit, newUser, newUser.invitation ?? null, request)
  await takeInvitation(kit, proof, context)
  const user = await createUser(kit, newUser, proof, context)
  const invitationId = newUser.invitation?.id ?? null
  kit.audit({ type: 'account.registered', userId: user.id, invitationId }, context)
  // There is no second user with this address, so an outage here does no harm.
  await proofs.consume(proof).catch(() => {})
  return signIn(kit, user, newUser, { tokens, lifetime }, context)
}

/** A new user who has proven an address. */
type Registered = NewUser & { readonly email: string }

async function newUserOf(
  kit: RegistrationKit,
  { sealed, record }: FoundProof,
  otherName: string | undefined,
  context: RequestContext,
): Promise<Omit<Registered, 'passwordHash'>> {
  const { email, username, name, locale, invitation, note = null } = sealed
  if (!email || !username || !name) throw kit.proofs.refusal('unreadable', record, context)
  // It was open when the code was mailed.
  if (!invitation && !(await isOpen(kit)))
    throw refusal(kit, 'closed', 'registration-closed', context)
  return {
    email,
    username: otherName ?? username,
    name,
    ...(locale ? { locale } : {}),
    ...(invitation ? { invitation: { id: invitation, note } } : {}),
  }
}

// Without a password and without another way in, nobody could open the account.
function requirePassword({ accountsOptions }: RegistrationKit, password: string | undefined): void {
  if (password === undefined && !accountsOptions.emailSignIn)
    throw invalidRequest([{ path: 'password', message: 'Invalid input: expected string' }])
}

async function requireGood(
  kit: RegistrationKit,
  { sealed }: FoundProof,
  { username, password }: { readonly username: string | undefined; readonly password: string },
  context: RequestContext,
): Promise<void> {
  const { email, name } = sealed
  const newcomer = {
    email: email ?? '',
    username: username ?? sealed['username'] ?? '',
    name: name ?? '',
  }
  const details = { ...(await judgeNewcomer(kit, newcomer, password)) }
  if (details.reasons.length === 0) return
  throw refusal(kit, 'password', 'password-refused', context, { details })
}

// One use for each proof: a second confirmation, with another user name, takes none.
async function takeInvitation(
  { proofs, audit }: RegistrationKit,
  proof: FoundProof,
  context: RequestContext,
): Promise<void> {
  const { invitation: invitationId = null } = proof.sealed
  if (invitationId === null) return
  await proofs.doOnce(proof, async () => {
    const record = { idHash: invitationId, purpose: 'invitation', userId: null }
    await proofs.takeTry({ record }, context)
    audit({ type: 'invitation.used', invitationId }, context)
  })
}

// The host's write decides. A repeat after a crash finds the address taken.
async function createUser(
  kit: RegistrationKit,
  newUser: NewUser,
  { record }: FoundProof,
  context: RequestContext,
): Promise<AuthUser> {
  const made = await kit.createUser(newUser)
  if (made.outcome === 'created') return made.user
  if (made.field === 'email') throw kit.proofs.refusal('taken', record, context)
  // The proof lives: the same code works with another name.
  throw refusal(kit, 'username-taken', 'username-taken', context)
}

async function signIn(
  kit: RegistrationKit,
  user: AuthUser,
  { email, passwordHash }: Registered,
  asked: Pick<SessionRequest, 'tokens' | 'lifetime'>,
  context: RequestContext,
): Promise<OpenedSession> {
  const { audit } = kit
  const methods = passwordHash === null ? (['email'] as const) : (['email', 'pwd'] as const)
  const attempt = { door: 'registration', user, methods, code: undefined, context } as const
  const decision = await kit.decideSignIn(attempt)
  if (!decision.allowed) {
    const { reason, error } = decision
    const identifierDigest = kit.digestIdentifier({ kind: 'email', value: email }).name
    audit({ type: 'login.failed', reason, identifierDigest, userId: user.id }, context)
    throw error
  }
  const { approved } = decision
  const opened = await openApproved(kit, { approved, ...asked }, context)
  const { id: sessionId, userId } = opened.session
  // If this fails, guesses of strangers may lock the owner out here; the call has reported it.
  const network = kit.knownNetworks.standing(userId, context)
  await network.then(({ remember }) => remember()).catch(() => {})
  audit({ type: 'login.succeeded', userId, sessionId, methods: approved.methods }, context)
  return opened
}
