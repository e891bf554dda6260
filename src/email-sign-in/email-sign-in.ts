import { z } from 'zod'
import type { AccountsKit } from '../accounts/accounts-server.js'
import { codeLifetime } from '../accounts/addresses.js'
import { type Channel, provenIn } from '../accounts/channel.js'
import type { MailTo } from '../accounts/mails.js'
import { type FoundProof, requireCode } from '../accounts/proofs.js'
import { addressParts } from '../accounts/sent-codes.js'
import type { RequestContext } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { openApproved } from '../host-sign-in/open-session.js'
import type { JsonBody } from '../http/body.js'
import type { Capability, Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { randomSecret } from '../lib/secrets.js'
import { loggedIn } from '../login/login.js'
import { hasIdentifier, parseIdentifier } from '../login/login-request.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { OpenedSession, SessionRequest } from '../sessions/issuing.js'
import { tokensSchema } from '../sessions/sign-in-options.js'
import type { StoredMethod } from '../stores/contract.js'
import { type AssertionResponse, assertionSchema } from '../two-factor/passkey-response.js'
import { type AskedRemember, rememberIn, rememberShape } from '../two-factor/remembered-browser.js'
import { countsAsFactor } from '../two-factor/second-factor.js'
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

// Sends a code to sign in with, if the name has a proven address or number.
function askForCodeEndpoint(kit: AccountsKit): Endpoint {
  return async function code({ context, readJson }) {
    // 400, 413, 415, 429, 503
    const requestId = await askForCode(kit, await recipientIn(kit, await readJson()), context)
    return {
      status: 202,
      body: { status: 'success', data: { requestId, expiresIn: codeLifetime } },
    }
  }
}

/** The user who gets a code, and how. */
export interface CodeFor {
  readonly channel: Channel
  readonly identifier: LoginIdentifier
}

/** The body of `POST /auth/code`, if it names a number. */
export const phoneBody: z.ZodObject<{ phone: z.ZodString }> = z.object({
  phone: z.string().min(1).max(32),
})

// Exactly one name, or a number.
async function recipientIn(kit: AccountsKit, body: JsonBody): Promise<CodeFor> {
  const { email, phone } = kit.channels
  const isByPhone = phone?.options.signIn === true && Object.hasOwn(body, 'phone')
  if (isByPhone && !hasIdentifier(body))
    return { channel: phone, identifier: await phone.askFor(parseInput(phoneBody, body).phone) }
  if (kit.accountsOptions.emailSignIn) return { channel: email, identifier: parseIdentifier(body) }
  throw invalidRequest([{ path: 'phone', message: 'Send it, and no other name.' }])
}

/** For a page, where one field takes a name or a number. Throws 400 and 503. */
export async function codeForTyped(
  kit: AccountsKit,
  typed: string,
  identifier: () => LoginIdentifier,
): Promise<CodeFor> {
  const { email, phone } = kit.channels
  const isByPhone = phone?.options.signIn === true && (await phone.readNumber(typed)) !== null
  if (isByPhone) return { channel: phone, identifier: await phone.askFor(typed) }
  if (kit.accountsOptions.emailSignIn) return { channel: email, identifier: identifier() }
  throw new AuthError('invalid-request')
}

/**
 * Asks for a code to sign in with, and resolves with the id of the request. Tells nobody whether
 * the name has an account: it resolves before anything is looked up. Throws 400, 429 and 503.
 */
export async function askForCode(
  kit: AccountsKit,
  { channel, identifier: given }: CodeFor,
  context: RequestContext,
): Promise<string> {
  const identifier = await kit.canonical(given)
  const { name } = kit.digestIdentifier(identifier)
  await kit.throttle.takeMailRequest(name, context)
  const requestId = randomSecret()
  const asked = { channel, identifier, name, requestId }
  kit.afterAnswer.run(() => sendCode(kit, asked, context))
  return requestId
}

// Runs for a name without an account, too: a person who types a code there must not see the
// difference.
async function sendCode(
  kit: AccountsKit,
  asked: CodeFor & { readonly name: string; readonly requestId: string },
  context: RequestContext,
): Promise<void> {
  const { users, proofs } = kit
  const { channel, name, requestId } = asked
  const { messages } = channel
  const to = await recipientOf(kit, asked, await users.findByIdentifier(asked.identifier))
  const isSent = to !== null && (await messages.take(to, 'sign-in-code', context)) === null
  const owner = isSent ? to : null
  const mark = owner && proofs.markOf(addressParts(owner.user, owner.address))
  const proof = {
    purpose: 'sign-in',
    userId: owner?.user.id ?? null,
    mark,
    sealed: { channel: channel.name, name },
    lifetime: codeLifetime,
  } as const
  const { code, expiresAt } = await proofs.openCode(proof, requestId)
  if (owner !== null) messages.send(owner, { kind: 'sign-in-code', code, expiresAt }, context)
}

/** A user who gets a code. */
type Recipient = MailTo & { readonly user: AuthUser }

async function recipientOf(
  { contacts }: AccountsKit,
  { channel, identifier }: CodeFor,
  user: AuthUser | null,
): Promise<Recipient | null> {
  if (user === null || user.disabled === true) return null
  const contact = await contacts.findContact(user.id)
  const address = provenIn(channel, contact)
  // Somebody may have the number of another user for a name.
  const isOther = channel.name === 'phone' && address !== identifier.value
  return address === null || isOther ? null : { address, user, locale: contact?.locale }
}

/** The body of `POST /auth/code/login`. */
export const codeLoginRequest: z.ZodObject<
  {
    requestId: z.ZodString
    code: z.ZodString
    password: z.ZodOptional<z.ZodString>
    secondFactor: z.ZodOptional<z.ZodString>
    passkey: z.ZodOptional<typeof assertionSchema>
    tokens: typeof tokensSchema
  } & typeof rememberShape
> = z.object({
  requestId: z.string().min(1).max(100),
  code: z.string().min(1).max(64),
  password: z.string().min(1).optional(),
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
    const { requestId, code, password, secondFactor = null, passkey = null, tokens } = given
    if (secondFactor !== null && passkey !== null)
      throw invalidRequest([{ path: 'secondFactor, passkey', message: 'Send one of them.' }])
    // 400, 401, 403, 429, 503
    const browser = rememberIn(given)
    const shown = { requestId, code, password, secondFactor, passkey, browser }
    const asked = { ...shown, tokens, lifetime: undefined }
    return loggedIn(await logInByCode(kit, asked, request))
  })
}

/** The request that carries a code. */
type CodeRequest = Pick<EndpointRequest, 'context' | 'setHeaders' | 'aborted'>

/** A mailed code, and the second factor of a user who has one. */
interface MailedLogin extends Omit<SessionRequest, 'approved' | 'marks'> {
  readonly requestId: string
  readonly code: string
  /** Of a user who has not been here for long. */
  readonly password: string | undefined
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
  await requireOwner(kit, approved, proof, given.password, request)
  return open(kit, approved, proof, given, context)
}

// The user is read again: the user may be disabled by now, or have another address.
async function requireUser(
  kit: AccountsKit,
  proof: FoundProof,
  context: RequestContext,
): Promise<AuthUser> {
  const { users, contacts, proofs } = kit
  const { userId } = proof.record
  const user = userId === null ? null : await users.findById(userId)
  if (user === null || user.disabled === true)
    throw proofs.refusal('no-user', proof.record, context)
  const address = provenIn(channelOf(kit, proof), await contacts.findContact(user.id))
  if (address !== null && proofs.isMark(proof, addressParts(user, address))) return user
  throw proofs.refusal('overtaken', proof.record, context)
}

function channelOf({ channels: { email, phone } }: AccountsKit, { sealed }: FoundProof): Channel {
  return sealed['channel'] === 'phone' && phone !== undefined ? phone : email
}

/** The method of a session that a code opens, for a page that asks for the second factor. */
export async function methodOfCode(
  kit: AccountsKit,
  requestId: string,
  context: RequestContext,
): Promise<StoredMethod> {
  return channelOf(kit, await kit.proofs.findCode(['sign-in'], requestId, context)).method
}

// A number is given to somebody else some months after its owner has left it: whoever has not been
// here for half a year shows something else as well.
async function requireOwner(
  kit: AccountsKit,
  { user, methods }: ApprovedSignIn,
  proof: FoundProof,
  password: string | undefined,
  request: CodeRequest,
): Promise<void> {
  const { phone } = kit.channels
  if (channelOf(kit, proof) !== phone || methods.some(countsAsFactor)) return
  if (await phone.wasHereLately(user.id)) return
  if (password === undefined) throw new AuthError('reauthentication-required')
  await kit.provePassword(user.id, password, request)
}

async function decide(
  kit: AccountsKit,
  user: AuthUser,
  proof: FoundProof,
  { secondFactor, passkey: response, browser: { rememberToken } }: MailedLogin,
  { context, setHeaders }: CodeRequest,
): Promise<ApprovedSignIn> {
  const passkey = response && { response, setHeaders }
  const { name, method } = channelOf(kit, proof)
  const shown = { methods: [method], code: secondFactor, passkey, rememberToken }
  const decision = await kit.decideSignIn({ door: `${name}-code`, user, ...shown, context })
  if (decision.allowed) return decision.approved
  const { reason, error } = decision
  const identifierDigest = proof.sealed['name'] ?? ''
  kit.audit({ type: 'login.failed', reason, identifierDigest, userId: user.id }, context)
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
  const address = await requireSameAddress(kit, user, proof, opened, context)
  // The owner of the mailbox may sign in as often as they like.
  await channelOf(kit, proof).messages.giveBack({ address, user }, 'sign-in-code')
  if (opened.required.length === 0) await network?.remember().catch(() => {})
  const { id: sessionId } = opened.session
  audit({ type: 'login.succeeded', userId, sessionId, methods }, context)
  return opened
}

// An undo of the address has ended all sessions except this one, which did not exist yet. This is
// checked again after the write: one of the two sees the other.
async function requireSameAddress(
  kit: AccountsKit,
  user: AuthUser,
  proof: FoundProof,
  { session }: OpenedSession,
  context: RequestContext,
): Promise<string> {
  const { contacts, proofs, sessions } = kit
  const end = () => sessions.end(session, 'revoked', context)
  const contact = await contacts.findContact(user.id).catch(async (error: unknown) => {
    // Otherwise a session would stay whose token nobody has.
    await end()
    throw error
  })
  const address = provenIn(channelOf(kit, proof), contact)
  if (address !== null && proofs.isMark(proof, addressParts(user, address))) return address
  await end()
  throw proofs.refusal('overtaken', proof.record, context)
}
