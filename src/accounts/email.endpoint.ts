import type { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { mailAddressText, parseMailAddress } from '../mail/mail-address.js'
import type { AddressOfUser } from '../pages/account/parts.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn, SignedInRequest } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import { type Proof, proofRequest } from '../sign-in-again.js'
import type { AuthUser, LoginIdentifier, UserContact, UserStore } from '../users/contract.js'
import type { CheckedAccountsOptions } from './accounts-options.js'
import type { Contacts } from './contacts.js'
import type { FormerAddresses } from './former-addresses.js'
import type { LinkToCode } from './links.js'
import type { MailContent, Mails } from './mails.js'
import type { FoundProof, MailedCode, MarkParts, Proofs } from './proofs.js'
import type { ProvePresent } from './prove-present.js'

/** Seconds in which a mailed code works. */
export const codeLifetime: number = 10 * 60

/** The body of `POST /auth/email/change`: the new address, and a proof. */
export const changeEmailRequest: z.ZodObject<
  (typeof proofRequest)['shape'] & { email: z.ZodString }
> = proofRequest.extend({ email: mailAddressText })

/** A code is on its way; `requestId` and the code confirm the address. */
export interface CodeSent {
  readonly requestId: string
  /** Seconds. */
  readonly expiresIn: number
}

/** Mails a code to the present address. Throws 409 `already-verified`, 429, 503. */
export type VerifyEmail = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  request: Pick<EndpointRequest, 'context'>,
) => Promise<CodeSent>

/**
 * Mails a code to a new address, and changes nothing yet. The same whether or not another user has
 * it, or has had it while the change can be undone. Throws 400, 401, 403, 409 `already-verified`,
 * 429, 503.
 */
export type ChangeEmail = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  given: { readonly email: string; readonly proof: Proof },
  request: EndpointRequest,
) => Promise<CodeSent>

export interface EmailDeps {
  readonly signedIn: SignedIn
  readonly accountsOptions: Pick<CheckedAccountsOptions, 'resetUnproven' | 'emailSecondFactor'>
  readonly sessions: Pick<Sessions, 'requireLive'>
  readonly contacts: Contacts
  readonly users: Pick<UserStore, 'findByIdentifier'>
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly proofs: Pick<Proofs, 'openCode' | 'markOf'>
  readonly mails: Mails
  readonly linkToCode: LinkToCode
  readonly formerAddresses: FormerAddresses
  readonly clock: () => Date
}

/** Reads the address of a user. Rejects with 503. */
export async function addressOf(
  { contacts }: Pick<EmailDeps, 'contacts'>,
  userId: string,
): Promise<AddressOfUser> {
  return addressIn((await contacts.findContact(userId)) ?? nowhere)
}

function addressIn({ email, emailVerified }: UserContact): AddressOfUser {
  return { email, verified: email !== null && emailVerified }
}

/** `GET /auth/email`: the user's address. */
export function emailStatusEndpoint(
  deps: Pick<EmailDeps, 'signedIn' | 'contacts' | 'accountsOptions'>,
): Endpoint {
  return async function emailStatus(request) {
    const { user } = await ownerOf(deps.signedIn, request)
    const contact = (await deps.contacts.findContact(user.id)) ?? nowhere
    const address = addressIn(contact)
    if (!deps.accountsOptions.emailSecondFactor) return ok({ status: 'success', data: address })
    const secondFactor = contact.emailFactor === true
    return ok({ status: 'success', data: { ...address, secondFactor } })
  }
}

const nowhere: UserContact = { email: null, emailVerified: false }

export function createVerifyEmail({
  sessions,
  sendVerification,
}: Pick<EmailDeps, 'sessions'> & { readonly sendVerification: SendVerification }): VerifyEmail {
  return async function verifyEmail({ user, session }, { context }) {
    await sessions.requireLive(session)
    return sendVerification(user, sessionParts(session.id), context, session)
  }
}

/**
 * Mails a code that proves the present address, for whoever the parts mark. `session`: the one that
 * has asked; null if the host has. Throws 400, 409 `already-verified`, 429, 503.
 */
export type SendVerification = (
  user: AuthUser,
  parts: MarkParts,
  context: RequestContext,
  session: Pick<SignedInRequest['session'], 'kind'> | null,
) => Promise<CodeSent>

export function createSendVerification({
  contacts,
  proofs,
  mails,
  linkToCode,
}: Pick<EmailDeps, 'contacts' | 'proofs' | 'mails' | 'linkToCode'>): SendVerification {
  return async function sendVerification(user, parts, context, session) {
    const contact = (await contacts.findContact(user.id)) ?? nowhere
    const { email } = contact
    if (email === null)
      throw invalidRequest([{ path: 'email', message: 'This account has no address.' }])
    if (contact.emailVerified) throw new AuthError('already-verified')
    const to = { email, user, locale: contact.locale }
    const refused = await mails.take(to, 'verify-address', context)
    if (refused !== null) throw refused
    const mailed = await proofs.openCode({
      purpose: 'verify-address',
      userId: user.id,
      mark: proofs.markOf(parts),
      sealed: { to: email },
      lifetime: codeLifetime,
    })
    const content = contentOf('verify-address', mailed, linkToCode(session, mailed))
    mails.send(to, content, context)
    return { requestId: mailed.requestId, expiresIn: codeLifetime }
  }
}

export function createChangeEmail(deps: EmailDeps, provePresent: ProvePresent): ChangeEmail {
  const { contacts, proofs, mails } = deps
  return async function changeEmail(asking, { email: typed, proof }, request) {
    const email = requireAddress(typed)
    await provePresent(asking, proof, request)
    const { user, session } = asking
    await deps.formerAddresses.requireNone(user.id)
    const contact = (await contacts.findContact(user.id)) ?? nowhere
    const { email: from, emailVerified, locale } = contact
    if (email === from && emailVerified) throw new AuthError('already-verified')
    const isTaken = await isOfAnother(deps, user.id, email)
    const since = sinceOf(session.authenticatedAt, deps.clock())
    // Counted for the account that asks, whoever has the address.
    const refused = await mails.take({ email, user }, 'change-address', request.context)
    if (refused !== null) throw refused
    // Nobody's proof, if the address is taken: it looks the same, and no code confirms it.
    const mailed = await proofs.openCode({
      purpose: 'change-address',
      userId: isTaken ? null : user.id,
      mark: proofs.markOf(sessionParts(session.id)),
      sealed: { from, to: email, undoBy: undoneBy(contact, deps.accountsOptions), since },
      lifetime: codeLifetime,
    })
    const content = contentOf('change-address', mailed, deps.linkToCode(session, mailed))
    if (isTaken)
      mails.send({ email, user: null, locale }, { kind: 'address-taken' }, request.context)
    else mails.send({ email, user, locale }, content, request.context)
    return { requestId: mailed.requestId, expiresIn: codeLifetime }
  }
}

// A thief may sign in more than once, and clocks of processes differ: an undo removes what was
// added in the three days before the change as well.
function sinceOf(authenticatedAt: Date, now: Date): string {
  return new Date(
    Math.min(authenticatedAt.getTime(), now.getTime() - 72 * 60 * 60_000),
  ).toISOString()
}

function contentOf(
  kind: 'verify-address' | 'change-address',
  { code, expiresAt }: MailedCode,
  url: string | undefined,
): MailContent {
  return { kind, code, expiresAt, ...(url === undefined ? {} : { url }) }
}

function requireAddress(typed: string): string {
  const email = parseMailAddress(typed)
  if (email !== null) return email
  throw invalidRequest([{ path: 'email', message: 'Invalid input: not an address' }])
}

// Whoever has a mistyped address must not take the account with it.
function undoneBy(
  { email, emailVerified }: UserContact,
  { resetUnproven }: Pick<CheckedAccountsOptions, 'resetUnproven'>,
): string | null {
  return emailVerified || resetUnproven ? email : null
}

async function isOfAnother(
  { users, canonical, formerAddresses }: EmailDeps,
  userId: string,
  email: string,
): Promise<boolean> {
  const other = await users.findByIdentifier(await canonical({ kind: 'email', value: email }))
  // Asked also of a taken one: the time must not tell which it is.
  const isKept = await formerAddresses.isKept(email, userId)
  return other === null ? isKept : other.id !== userId
}

/** `POST /auth/email/verify`: mails a code to the present address. */
export function verifyEmailEndpoint(signedIn: SignedIn, verifyEmail: VerifyEmail): Endpoint {
  return async function verify(request) {
    const asking = await ownerOf(signedIn, request)
    return accepted(await verifyEmail(asking, request))
  }
}

/** `POST /auth/email/change`: mails a code to a new address. */
export function changeEmailEndpoint(signedIn: SignedIn, changeEmail: ChangeEmail): Endpoint {
  return async function change(request) {
    const asking = await ownerOf(signedIn, request)
    const given = parseInput(changeEmailRequest, await request.readJson())
    const { email, password, code, passkey } = given
    // By name: what is left over would inherit from a polluted Object.prototype.
    const proof = { password, code, passkey }
    return accepted(await changeEmail(asking, { email, proof }, request))
  }
}

function accepted(sent: CodeSent) {
  return { status: 202, body: { status: 'success', data: sent } }
}

/** What marks a session. A code works only in the session that has asked for it. */
export function sessionParts(sessionId: string): MarkParts {
  return ['session', sessionId]
}

/** Whether this session has asked for the code, or the host has, for any session of the user. */
export function isOfSession(
  proofs: Pick<Proofs, 'isMark'>,
  proof: FoundProof,
  { id, userId }: Pick<SignedInRequest['session'], 'id' | 'userId'>,
): boolean {
  return [sessionParts(id), sessionsOf(userId)].some((parts) => proofs.isMark(proof, parts))
}

/** What marks any session of a user, where the host has asked for a code. */
export function sessionsOf(userId: string): MarkParts {
  return ['sessions', userId]
}
