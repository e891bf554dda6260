import { z } from 'zod'
import type { AccountsKit } from '../accounts/accounts-server.js'
import { codeLifetime } from '../accounts/email.js'
import { addressParts } from '../accounts/email-factor.js'
import { type MailTo, provenAddress } from '../accounts/mails.js'
import { type FoundProof, requireCode } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { openApproved } from '../host-sign-in/open-session.js'
import type { Capability, Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { randomSecret } from '../lib/secrets.js'
import { loggedIn } from '../login/login.js'
import { parseIdentifier } from '../login/login-request.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { OpenedSession, SessionRequest } from '../sessions/issuing.js'
import { tokensSchema } from '../sessions/sign-in-options.js'
import { type AssertionResponse, assertionSchema } from '../two-factor/passkey-response.js'
import { type AskedRemember, rememberIn, rememberShape } from '../two-factor/remembered-browser.js'
import type { AuthUser, LoginIdentifier } from '../users/contract.js'

/** The endpoints of `/auth/code`. */
export function createEmailSignIn(kit: AccountsKit): Capability {
  return {
    routes: [
      ['/auth/code', { POST: askForCodeEndpoint(kit) }],
      ['/auth/code/login', { POST: logInByCodeEndpoint(kit) }],
    ],
  }
}

// Mails a code to sign in with, if the name has a proven address.
function askForCodeEndpoint(kit: AccountsKit): Endpoint {
  return async function code({ context, readJson }) {
    // 400, 413, 415, 429, 503
    const requestId = await askForCode(kit, parseIdentifier(await readJson()), context)
    return {
      status: 202,
      body: { status: 'success', data: { requestId, expiresIn: codeLifetime } },
    }
  }
}

/**
 * Asks for a code to sign in with, and resolves with the id of the request. Tells nobody whether
 * the name has an account: it resolves before anything is looked up. Throws 400, 429 and 503.
 */
export async function askForCode(
  kit: AccountsKit,
  given: LoginIdentifier,
  context: RequestContext,
): Promise<string> {
  const identifier = await kit.canonical(given)
  const { name } = kit.digestIdentifier(identifier)
  await kit.throttle.takeMailRequest(name, context)
  const requestId = randomSecret()
  kit.afterAnswer.run(() => mailCode(kit, identifier, { name, requestId }, context))
  return requestId
}

// Runs for a name without an account, too: a person who types a code there must not see the
// difference.
async function mailCode(
  kit: AccountsKit,
  identifier: LoginIdentifier,
  { name, requestId }: { readonly name: string; readonly requestId: string },
  context: RequestContext,
): Promise<void> {
  const { users, proofs, mails } = kit
  const to = await recipientOf(kit, await users.findByIdentifier(identifier))
  const isMailed = to !== null && (await mails.take(to, 'sign-in-code', context)) === null
  const owner = isMailed ? to : null
  const mark = owner && proofs.markOf(addressParts(owner.user, owner.email))
  const asked = {
    purpose: 'sign-in',
    userId: owner?.user.id ?? null,
    mark,
    sealed: { name },
    lifetime: codeLifetime,
  } as const
  const { code, expiresAt } = await proofs.openCode(asked, requestId)
  if (owner !== null) mails.send(owner, { kind: 'sign-in-code', code, expiresAt }, context)
}

/** A user who gets a code. */
type Recipient = MailTo & { readonly user: AuthUser }

async function recipientOf(
  { contacts }: AccountsKit,
  user: AuthUser | null,
): Promise<Recipient | null> {
  if (user === null || user.disabled === true) return null
  const contact = await contacts.findContact(user.id)
  const email = provenAddress(contact)
  return email === null ? null : { email, user, locale: contact?.locale }
}

/** The body of `POST /auth/code/login`. */
export const codeLoginRequest: z.ZodObject<
  {
    requestId: z.ZodString
    code: z.ZodString
    secondFactor: z.ZodOptional<z.ZodString>
    passkey: z.ZodOptional<typeof assertionSchema>
    tokens: typeof tokensSchema
  } & typeof rememberShape
> = z.object({
  requestId: z.string().min(1).max(100),
  code: z.string().min(1).max(64),
  secondFactor: z.string().min(1).max(64).optional(),
  passkey: assertionSchema.optional(),
  tokens: tokensSchema,
  ...rememberShape,
})

// Opens a session by a mailed code, as `POST /login` does by password.
function logInByCodeEndpoint(kit: AccountsKit): Endpoint {
  return kit.throttle.limitFailures('code-login', async function codeLogin(request) {
    // 400, 413, 415
    const given = parseInput(codeLoginRequest, await request.readJson())
    const { requestId, code, secondFactor = null, passkey = null, tokens } = given
    if (secondFactor !== null && passkey !== null)
      throw invalidRequest([{ path: 'secondFactor, passkey', message: 'Send one of them.' }])
    // 400, 401, 403, 429, 503
    const shown = { requestId, code, secondFactor, passkey, browser: rememberIn(given) }
    const asked = { ...shown, tokens, lifetime: undefined }
    return loggedIn(await logInByCode(kit, asked, request))
  })
}

/** The request that carries a code. */
type CodeRequest = Pick<EndpointRequest, 'context' | 'setHeaders'>

/** A mailed code, and the second factor of a user who has one. */
interface MailedLogin extends Omit<SessionRequest, 'approved' | 'marks'> {
  readonly requestId: string
  readonly code: string
  readonly secondFactor: string | null
  readonly passkey: AssertionResponse | null
  readonly browser: AskedRemember
}

/**
 * For a page. It uses the counters of the endpoint: a page is no second set of guesses. `error`:
 * `totp-required` or `totp-invalid`. Rejects with `proof-refused`, 403, 429 and 503.
 */
export async function logInOnPage(
  kit: AccountsKit,
  given: MailedLogin,
  request: CodeRequest,
): Promise<
  | { readonly outcome: 'logged-in'; readonly loggedIn: OpenedSession }
  | { readonly outcome: 'factor-due'; readonly error: AuthError; readonly userId: string }
> {
  try {
    const opened = await kit.throttle.limitRefusals('code-login', request, () =>
      logInByCode(kit, given, request),
    )
    return { outcome: 'logged-in', loggedIn: opened }
  } catch (error) {
    if (!(error instanceof AuthError && error.code.startsWith('totp-'))) throw error
    // Only a user's code leads so far.
    const { record } = await kit.proofs.findCode(['sign-in'], given.requestId, request.context)
    return { outcome: 'factor-due', error, userId: record.userId ?? '' }
  }
}

/**
 * Signs in by a mailed code. While a second factor is missing, the code stays good for what is left
 * of its five tries. Throws 400 `proof-refused`, 401, 403, 429, 503.
 */
async function logInByCode(
  kit: AccountsKit,
  given: MailedLogin,
  request: CodeRequest,
): Promise<OpenedSession> {
  const { requestId, code } = given
  const { context } = request
  const proof = await kit.proofs.findCode(['sign-in'], requestId, context)
  const { userId } = proof.record
  const { name } = proof.sealed
  await requireCode(kit, proof, { code, userId, name: name ?? '', isHere: true }, context)
  const user = await requireUser(kit, proof, context)
  const approved = await decide(kit, user, proof, given, request)
  return open(kit, approved, proof, given, context)
}

// The user is read again: the user may be disabled by now, or have another address.
async function requireUser(
  { users, contacts, proofs }: AccountsKit,
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
  { decideSignIn, audit }: AccountsKit,
  user: AuthUser,
  { sealed }: FoundProof,
  { secondFactor, passkey: response, browser: { rememberToken } }: MailedLogin,
  { context, setHeaders }: CodeRequest,
): Promise<ApprovedSignIn> {
  const passkey = response && { response, setHeaders }
  const shown = { methods: ['email'], code: secondFactor, passkey, rememberToken } as const
  const decision = await decideSignIn({ door: 'email-code', user, ...shown, context })
  if (decision.allowed) return decision.approved
  const { reason, error } = decision
  const identifierDigest = sealed['name'] ?? ''
  audit({ type: 'login.failed', reason, identifierDigest, userId: user.id }, context)
  throw error
}

async function open(
  kit: AccountsKit,
  approved: ApprovedSignIn,
  proof: FoundProof,
  { tokens, lifetime, browser }: MailedLogin,
  context: RequestContext,
): Promise<OpenedSession> {
  const { proofs, audit } = kit
  const { user, methods } = approved
  const { id: userId } = user
  // If this fails, guesses of strangers may lock the owner out here; the call has reported it.
  const network = await kit.knownNetworks.standing(userId, context).catch(() => null)
  // Names the winner, before there is a session.
  if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
  const asked = { approved, tokens, lifetime }
  const opened = await openApproved(kit, asked, context, browser.remember)
  const email = await requireSameAddress(kit, user, proof, opened, context)
  // The owner of the mailbox may sign in as often as they like.
  await kit.mails.giveBack({ email, user }, 'sign-in-code')
  if (opened.required.length === 0) await network?.remember().catch(() => {})
  const { id: sessionId } = opened.session
  audit({ type: 'login.succeeded', userId, sessionId, methods }, context)
  return opened
}

// An undo of the address has ended all sessions except this one, which did not exist yet. This is
// checked again after the write: one of the two sees the other.
async function requireSameAddress(
  { contacts, proofs, sessions }: AccountsKit,
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
