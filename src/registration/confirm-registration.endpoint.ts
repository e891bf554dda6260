import type { CheckedAccountsOptions } from '../accounts/accounts-options.js'
import type { NewPasswords } from '../accounts/new-password.js'
import type { FoundProof, Proofs } from '../accounts/proofs.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import type { OpenApproved, OpenedSession } from '../host-sign-in/open-session.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { loggedIn } from '../login/login.endpoint.js'
import type { SessionRequest } from '../sessions/issuing.js'
import type { DecideSignIn } from '../sign-in.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, NewUser, UserStore } from '../users/contract.js'
import type { AskHost, IsOpen, RefuseRegistration, RequireFreeName } from './register.endpoint.js'
import { confirmRegistrationRequest } from './register-request.js'

/**
 * Makes a user of whoever has the mailed code, with the password that comes with it, and signs in.
 * Throws 400 `proof-refused` and `password-refused`, 401, 403, 409 `username-taken`, 429, 503.
 */
export type ConfirmRegistration = (
  given: {
    readonly requestId: string
    readonly code: string
    /** Whoever proves the address sets it; undefined with `emailSignIn`: none. */
    readonly password?: string | undefined
    /** Instead of the one that was taken meanwhile. */
    readonly username?: string | undefined
    readonly tokens: SessionRequest['tokens']
    readonly lifetime?: SessionRequest['lifetime']
  },
  request: Pick<EndpointRequest, 'context' | 'incoming' | 'aborted'>,
) => Promise<OpenedSession>

export interface ConfirmRegistrationDeps {
  readonly accountsOptions: Pick<CheckedAccountsOptions, 'emailSignIn'>
  readonly isOpen: IsOpen
  readonly newPasswords: Pick<NewPasswords, 'judgeNewcomer' | 'hash'>
  readonly proofs: Pick<
    Proofs,
    'findCode' | 'takeTry' | 'isCode' | 'doOnce' | 'consume' | 'refusal'
  >
  readonly create: NonNullable<UserStore['create']>
  readonly requireFreeName: RequireFreeName
  readonly askHost: AskHost
  readonly refuseRegistration: RefuseRegistration
  readonly decideSignIn: DecideSignIn
  readonly openApproved: OpenApproved
  readonly throttle: Pick<Throttle, 'knownNetworks'>
  readonly digestIdentifier: DigestIdentifier
  readonly audit: Audit
}

export function createConfirmRegistration(deps: ConfirmRegistrationDeps): ConfirmRegistration {
  const { proofs, audit } = deps
  return async function confirmRegistration(given, request) {
    const { context } = request
    const { requestId, code, password, username, tokens, lifetime } = given
    requirePassword(deps, password)
    const proof = await proofs.findCode(['register'], requestId, context)
    // Before a try is taken: a name that somebody has costs none, nor does a bad password.
    if (username !== undefined) await deps.requireFreeName(username, context)
    if (password !== undefined) await requireGood(deps, proof, { username, password }, context)
    await proofs.takeTry(proof, context)
    if (!proofs.isCode(proof, code)) throw proofs.refusal('wrong-code', proof.record, context)
    const passwordHash =
      password === undefined ? null : await deps.newPasswords.hash(password, request)
    const newUser = { ...(await newUserOf(deps, proof, username, context)), passwordHash }
    // The host has judged another name with this address.
    if (newUser.username !== proof.sealed['username'])
      await deps.askHost(newUser, newUser.invitation ?? null, request)
    await takeInvitation(deps, proof, context)
    const user = await createUser(deps, newUser, proof, context)
    const invitationId = newUser.invitation?.id ?? null
    audit({ type: 'account.registered', userId: user.id, invitationId }, context)
    // There is no second user with this address, so an outage here does no harm.
    await proofs.consume(proof).catch(() => {})
    return signIn(deps, user, newUser, { tokens, lifetime }, context)
  }
}

/** `POST /auth/register/confirm`: makes the user, and answers as `POST /login`. */
export function confirmRegistrationEndpoint(
  confirmRegistration: ConfirmRegistration,
  { limitFailures }: Pick<Throttle, 'limitFailures'>,
): Endpoint {
  return limitFailures('register-confirm', async function confirm(request) {
    // 400, 413, 415
    const given = parseInput(confirmRegistrationRequest, await request.readJson())
    // 400, 401, 403, 409, 429, 503
    return loggedIn(await confirmRegistration(given, request))
  })
}

/** A new user who has proven an address. */
type Registered = NewUser & { readonly email: string }

async function newUserOf(
  { isOpen, proofs, refuseRegistration }: ConfirmRegistrationDeps,
  { sealed, record }: FoundProof,
  otherName: string | undefined,
  context: RequestContext,
): Promise<Omit<Registered, 'passwordHash'>> {
  const { email, username, name, locale, invitation, note = null } = sealed
  if (!email || !username || !name) throw proofs.refusal('unreadable', record, context)
  // It was open when the code was mailed.
  if (!invitation && !(await isOpen()))
    throw refuseRegistration('closed', 'registration-closed', context)
  return {
    email,
    username: otherName ?? username,
    name,
    ...(locale ? { locale } : {}),
    ...(invitation ? { invitation: { id: invitation, note } } : {}),
  }
}

// Who has neither a password nor another way in would have an account that nobody can open.
function requirePassword(
  { accountsOptions }: Pick<ConfirmRegistrationDeps, 'accountsOptions'>,
  password: string | undefined,
): void {
  if (password === undefined && !accountsOptions.emailSignIn)
    throw invalidRequest([{ path: 'password', message: 'Invalid input: expected string' }])
}

async function requireGood(
  { newPasswords, refuseRegistration }: ConfirmRegistrationDeps,
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
  const details = { ...(await newPasswords.judgeNewcomer(newcomer, password)) }
  if (details.reasons.length === 0) return
  throw refuseRegistration('password', 'password-refused', context, { details })
}

// One use for each proof: a second confirmation, with another user name, takes none.
async function takeInvitation(
  { proofs, audit }: Pick<ConfirmRegistrationDeps, 'proofs' | 'audit'>,
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
  { create, proofs, refuseRegistration }: ConfirmRegistrationDeps,
  newUser: NewUser,
  { record }: FoundProof,
  context: RequestContext,
): Promise<AuthUser> {
  const made = await create(newUser)
  if (made.outcome === 'created') return made.user
  if (made.field === 'email') throw proofs.refusal('taken', record, context)
  // The proof lives: the same code works with another name.
  throw refuseRegistration('username-taken', 'username-taken', context)
}

async function signIn(
  deps: ConfirmRegistrationDeps,
  user: AuthUser,
  { email, passwordHash }: Registered,
  asked: Pick<SessionRequest, 'tokens' | 'lifetime'>,
  context: RequestContext,
): Promise<OpenedSession> {
  const { audit } = deps
  const methods = passwordHash === null ? (['email'] as const) : (['email', 'pwd'] as const)
  const attempt = { door: 'registration', user, methods, code: undefined, context } as const
  const decision = await deps.decideSignIn(attempt)
  if (!decision.allowed) {
    const { reason, error } = decision
    const identifierDigest = deps.digestIdentifier({ kind: 'email', value: email }).name
    audit({ type: 'login.failed', reason, identifierDigest, userId: user.id }, context)
    throw error
  }
  const { approved } = decision
  const opened = await deps.openApproved({ approved, ...asked }, context)
  const { id: sessionId, userId } = opened.session
  // If this fails, guesses of strangers may lock the owner out here; the call has reported it.
  const network = deps.throttle.knownNetworks.standing(userId, context)
  await network.then(({ remember }) => remember()).catch(() => {})
  audit({ type: 'login.succeeded', userId, sessionId, methods: approved.methods }, context)
  return opened
}
