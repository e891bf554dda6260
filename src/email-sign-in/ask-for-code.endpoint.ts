import type { AfterAnswer } from '../accounts/after-answer.js'
import type { Contacts } from '../accounts/contacts.js'
import { codeLifetime } from '../accounts/email.endpoint.js'
import { addressParts, provenAddress } from '../accounts/email-factor.js'
import type { Mails, MailTo } from '../accounts/mails.js'
import type { Proofs } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import type { Endpoint } from '../http/endpoint.js'
import { randomSecret } from '../lib/random.js'
import { parseIdentifier } from '../login/login-request.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'

/**
 * Asks for a code to sign in with, and resolves with the id of the request. Tells nobody whether
 * the name has an account: it resolves before anything is looked up. Throws 400, 429 and 503.
 */
export type AskForCode = (identifier: LoginIdentifier, context: RequestContext) => Promise<string>

export interface AskForCodeDeps {
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Pick<Throttle, 'takeMailRequest'>
  readonly users: Pick<UserStore, 'findByIdentifier'>
  readonly contacts: Pick<Contacts, 'findContact'>
  readonly proofs: Pick<Proofs, 'openCode' | 'markOf'>
  readonly mails: Mails
  readonly afterAnswer: Pick<AfterAnswer, 'run'>
}

export function createAskForCode(deps: AskForCodeDeps): AskForCode {
  const { canonical, digestIdentifier, throttle, users, proofs, mails, afterAnswer } = deps

  // For nobody as well: whoever types a code there must not see the difference.
  async function openCode(
    identifier: LoginIdentifier,
    name: string,
    requestId: string,
    context: RequestContext,
  ) {
    const to = await recipientOf(deps, await users.findByIdentifier(identifier))
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

  return async function askForCode(given, context) {
    const identifier = await canonical(given)
    const { name } = digestIdentifier(identifier)
    await throttle.takeMailRequest(name, context)
    const requestId = randomSecret()
    afterAnswer.run(() => openCode(identifier, name, requestId, context))
    return requestId
  }
}

/** A user who gets a code. */
type Recipient = MailTo & { readonly user: AuthUser }

async function recipientOf(
  { contacts }: Pick<AskForCodeDeps, 'contacts'>,
  user: AuthUser | null,
): Promise<Recipient | null> {
  if (user === null || user.disabled === true) return null
  const contact = await contacts.findContact(user.id)
  const email = provenAddress(contact)
  return email === null ? null : { email, user, locale: contact?.locale }
}

/** `POST /auth/code`: mails a code to sign in with, if the name has a proven address. */
export function askForCodeEndpoint(askForCode: AskForCode): Endpoint {
  return async function code({ context, readJson }) {
    // 400, 413, 415, 429, 503
    const requestId = await askForCode(parseIdentifier(await readJson()), context)
    return {
      status: 202,
      body: { status: 'success', data: { requestId, expiresIn: codeLifetime } },
    }
  }
}
