import { z } from 'zod'
import type { Contacts } from '../accounts/contacts.js'
import { addressParts, provenAddress } from '../accounts/email-factor.js'
import type { Mails } from '../accounts/mails.js'
import type { FoundProof, Proofs } from '../accounts/proofs.js'
import { requireCode } from '../accounts/require-code.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import type { OpenApproved, OpenedSession } from '../host-sign-in/open-session.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { loggedIn } from '../login/login.endpoint.js'
import type { MailedLogin } from '../pages/mailed-login.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import { tokensSchema } from '../sessions/sign-in-options.js'
import type { DecideSignIn } from '../sign-in.js'
import type { Throttle } from '../throttle/throttle.js'
import { assertionSchema } from '../two-factor/passkey-response.js'
import type { AuthUser, UserStore } from '../users/contract.js'

/** The body of `POST /auth/code/login`. */
export const codeLoginRequest: z.ZodObject<{
  requestId: z.ZodString
  code: z.ZodString
  secondFactor: z.ZodOptional<z.ZodString>
  passkey: z.ZodOptional<typeof assertionSchema>
  tokens: typeof tokensSchema
}> = z.object({
  requestId: z.string().min(1).max(100),
  code: z.string().min(1).max(64),
  secondFactor: z.string().min(1).max(64).optional(),
  passkey: assertionSchema.optional(),
  tokens: tokensSchema,
})

/**
 * Signs in by a mailed code. While a second factor is missing, the code stays good for what is left
 * of its five tries. Throws 400 `proof-refused`, 401, 403, 429, 503.
 */
export type LogInByCode = (
  given: MailedLogin,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
) => Promise<OpenedSession>

export interface LogInByCodeDeps {
  readonly proofs: Proofs
  readonly throttle: Pick<Throttle, 'takeMailedCode' | 'giveBackMailedCode' | 'knownNetworks'>
  readonly users: Pick<UserStore, 'findById'>
  readonly contacts: Pick<Contacts, 'findContact'>
  readonly mails: Pick<Mails, 'giveBack'>
  readonly decideSignIn: DecideSignIn
  readonly openApproved: OpenApproved
  readonly sessions: Pick<Sessions, 'end'>
  readonly audit: Audit
}

export function createLogInByCode(deps: LogInByCodeDeps): LogInByCode {
  const { proofs, throttle, mails, openApproved, audit } = deps

  async function open(
    approved: ApprovedSignIn,
    proof: FoundProof,
    { tokens, lifetime }: MailedLogin,
    context: RequestContext,
  ): Promise<OpenedSession> {
    const { user, methods } = approved
    const { id: userId } = user
    // If this fails, guesses of strangers may lock the owner out here; the call has reported it.
    const network = await throttle.knownNetworks.standing(userId, context).catch(() => null)
    // Names the winner, before there is a session.
    if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
    const opened = await openApproved({ approved, tokens, lifetime }, context)
    const email = await requireSameAddress(deps, user, proof, opened, context)
    // Whoever has the mailbox may sign in as often as they like.
    await mails.giveBack({ email, user }, 'sign-in-code')
    if (!opened.mustEnrol) await network?.remember().catch(() => {})
    const { id: sessionId } = opened.session
    audit({ type: 'login.succeeded', userId, sessionId, methods }, context)
    return opened
  }

  return async function logInByCode(given, request) {
    const { requestId, code } = given
    const { context } = request
    const proof = await proofs.findCode(['sign-in'], requestId, context)
    const { userId } = proof.record
    const { name } = proof.sealed
    await requireCode(deps, proof, { code, userId, name: name ?? '', isHere: true }, context)
    const user = await requireUser(deps, proof, context)
    const approved = await decide(deps, user, proof, given, request)
    return open(approved, proof, given, context)
  }
}

// Read again: the user may be disabled by now, or have another address.
async function requireUser(
  { users, contacts, proofs }: LogInByCodeDeps,
  proof: FoundProof,
  context: RequestContext,
): Promise<AuthUser> {
  const { userId } = proof.record
  const user = userId === null ? null : await users.findById(userId)
  if (user === null || user.disabled === true)
    throw proofs.refusal('no-user', proof.record, context)
  const email = provenAddress(await contacts.findContact(user.id))
  if (email !== null && proofs.isMark(proof, addressParts(user, email))) return user
  throw proofs.refusal('overtaken', proof.record, context)
}

async function decide(
  { decideSignIn, audit }: LogInByCodeDeps,
  user: AuthUser,
  { sealed }: FoundProof,
  { secondFactor, passkey: response }: MailedLogin,
  { context, setHeaders }: Pick<EndpointRequest, 'context' | 'setHeaders'>,
): Promise<ApprovedSignIn> {
  const passkey = response && { response, setHeaders }
  const shown = { methods: ['email'], code: secondFactor, passkey } as const
  const decision = await decideSignIn({ door: 'email-code', user, ...shown, context })
  if (decision.allowed) return decision.approved
  const { reason, error } = decision
  const identifierDigest = sealed['name'] ?? ''
  audit({ type: 'login.failed', reason, identifierDigest, userId: user.id }, context)
  throw error
}

// An undo of the address has ended all sessions except this one, which did not exist yet. Checked
// again after the write, one of the two sees the other.
async function requireSameAddress(
  { contacts, proofs, sessions }: LogInByCodeDeps,
  user: AuthUser,
  proof: FoundProof,
  { session }: OpenedSession,
  context: RequestContext,
): Promise<string> {
  const end = () => sessions.end(session, 'revoked', context)
  const contact = await contacts.findContact(user.id).catch(async (error: unknown) => {
    // Otherwise a session would stay whose token nobody has.
    await end()
    throw error
  })
  const email = provenAddress(contact)
  if (email !== null && proofs.isMark(proof, addressParts(user, email))) return email
  await end()
  throw proofs.refusal('overtaken', proof.record, context)
}

/** `POST /auth/code/login`: opens a session by a mailed code, as `POST /login` does by password. */
export function logInByCodeEndpoint(
  logInByCode: LogInByCode,
  { limitFailures }: Pick<Throttle, 'limitFailures'>,
): Endpoint {
  return limitFailures('code-login', async function codeLogin(request) {
    // 400, 413, 415
    const given = parseInput(codeLoginRequest, await request.readJson())
    const { requestId, code, secondFactor = null, passkey = null, tokens } = given
    if (secondFactor !== null && passkey !== null)
      throw invalidRequest([{ path: 'secondFactor, passkey', message: 'Send one of them.' }])
    // 400, 401, 403, 429, 503
    const asked = { requestId, code, secondFactor, passkey, tokens, lifetime: undefined }
    return loggedIn(await logInByCode(asked, request))
  })
}
