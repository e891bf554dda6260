import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { AccountsKit } from '../accounts/accounts-server.js'
import { type CodeSent, requireAddress } from '../accounts/addresses.js'
import type { FoundProof, Proofs } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import {
  contextOfAction,
  type HostAction,
  parseInput,
  readAction,
  requireIds,
} from '../http/input.js'
import type { ManagementKit } from '../kits/session-kit.js'
import { lazily } from '../lib/async.js'

/** An invitation that can be used. */
export interface Invitation {
  readonly id: string
  /** The only address that it registers; null: any. */
  readonly email: string | null
  /** The note of the host. */
  readonly note: string | null
  readonly expiresAt: Date
}

/** Options of {@link InvitationsForHost.invite}. */
export interface InviteOptions extends HostAction {
  /** The only address that may be registered with it. Default: any. */
  readonly email?: string
  /** How many users it makes, 1-100000. Default 1. */
  readonly uses?: number
  /** Seconds until it expires, 60-31622400. Default 604800, seven days. */
  readonly expiresIn?: number
  /**
   * At most 500 characters, for `beforeRegister` and `users.create`, such as a team. Everybody who
   * has the token can read it.
   */
  readonly note?: string
  /** True mails the link to `email`. Default false. */
  readonly send?: boolean
}

/** A new invitation. */
export interface MadeInvitation {
  /** For {@link InvitationsForHost.revokeInvitation}. It invites nobody. */
  readonly id: string
  /** For `invitation` of `POST /auth/register`. Never log it. */
  readonly token: string
  /** The page for it. Never log it. */
  readonly url: string
}

/** An invitation that can still be used. */
export interface InvitationSummary extends Invitation {
  /** How many users it can still make. */
  readonly usesLeft: number
  readonly createdAt: Date
}

/** Invitations, for the host's own code. Needs the option `accounts.registration`. */
export interface InvitationsForHost {
  /**
   * Makes an invitation. A use of it is taken when its user confirms the address, also if the
   * host's `create` then refuses the user. Rejects with `AuthError`: `invalid-request`,
   * `too-many-requests` if too many mails went to `email` lately, `temporarily-unavailable`; with
   * `AuthConfigError` without a page for the link.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const { url } = await auth.accounts.invite({ uses: 20, note: 'team:support' })
   * ```
   */
  invite(options?: InviteOptions): Promise<MadeInvitation>
  /**
   * All invitations that can still be used, in any order. Rejects with `temporarily-unavailable`.
   */
  invitations(): Promise<readonly InvitationSummary[]>
  /**
   * Revokes an invitation; registrations that wait for their code fail as well. False if it could
   * not be used any more. Rejects with `invalid-request`, `temporarily-unavailable`.
   */
  revokeInvitation(id: string, options?: HostAction): Promise<boolean>
}

/** New users, for the host's own code. Needs the option `accounts.registration`. */
export interface RegistrationForHost extends InvitationsForHost {
  /**
   * `POST /auth/register` for a form of your own, whose answer you make yourself; the code is
   * confirmed, with the password, by `POST /auth/register/confirm`. It has the limits, events and
   * errors of the endpoint. Rejects with `AuthError`: `invalid-request`, `proof-refused`,
   * `registration-closed`, `forbidden`, `username-taken`, `too-many-requests`,
   * `temporarily-unavailable`.
   */
  register(request: IncomingMessage, user: RegisteringUser): Promise<CodeSent>
}

/** A new user who registers. */
export interface RegisteringUser {
  readonly email: string
  readonly username: string
  /** The name that others see. */
  readonly name: string
  /** The language that the user has chosen. */
  readonly locale?: string
  /** The token of an invitation. */
  readonly invitation?: string
}

/** The content of a stored invitation. */
function invitationIn({ record, sealed }: FoundProof): Invitation {
  const { email = null, note = null } = sealed
  return { id: record.idHash, email, note, expiresAt: record.expiresAt }
}

/** Looks an invitation up; takes no use. Throws 400 `proof-refused`, 503. */
export async function findInvitation(
  { proofs }: AccountsKit,
  token: string,
  context: RequestContext,
): Promise<Invitation> {
  return invitationIn(await proofs.findLink('invitation', token, context))
}

/** `GET /auth/invitations/:token`: what a form for an invited user must know. */
export function invitationEndpoint(kit: AccountsKit): Endpoint {
  const { limitFailures } = kit.throttle
  return limitFailures('invitation', async function showInvitation({ parameters, context }) {
    // 400, 429, 503
    const found = await findInvitation(kit, String(parameters['token']), context)
    const { email, note, expiresAt } = found
    const named = { ...(email !== null && { email }), ...(note !== null && { note }) }
    return ok({ status: 'success', data: { ...named, expiresAt } })
  })
}

const day = 24 * 60 * 60
const inviteOptions = lazily(() =>
  z.object({
    email: z.string().optional(),
    uses: z.int().min(1).max(100_000).default(1),
    expiresIn: z
      .int()
      .min(60)
      .max(366 * day)
      .default(7 * day),
    note: z.string().max(500).optional(),
    send: z.boolean().default(false),
  }),
)

/** `auth.accounts.invite`. */
export async function invite(
  { proofs, mails, linkTo, audit }: AccountsKit,
  given: InviteOptions | undefined,
): Promise<MadeInvitation> {
  const { options, context } = readAction(given)
  const { email, note = null, ...asked } = readInvite(options)
  // A missing page is told before anything is stored.
  linkTo('invitation', '')
  const to = email === undefined ? null : requireAddress(email)
  const sentTo = asked.send && to !== null ? { address: to, user: null, locale: null } : null
  const refused = sentTo && (await mails.take(sentTo, 'invitation', context))
  if (refused !== null) throw refused
  const sealed = { email: to, note }
  const proof = { purpose: 'invitation', userId: null, mark: null, sealed } as const
  const lasting = { lifetime: asked.expiresIn, tries: asked.uses }
  const { id, token, expiresAt } = await proofs.openLink({ ...proof, ...lasting })
  const url = linkTo('invitation', token)
  audit({ type: 'invitation.created', invitationId: id }, context)
  if (sentTo !== null) mails.send(sentTo, { kind: 'invitation', url, expiresAt }, context)
  return { id, token, url }
}

function readInvite(options: Partial<InviteOptions>) {
  const { by: _, ...given } = options
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(inviteOptions().shape, name))
  if (unknown.length > 0)
    throw invalidRequest(unknown.map((path) => ({ path, message: 'Invalid input: unknown' })))
  const input = parseInput(inviteOptions(), given)
  if (input.send && input.email === undefined)
    throw invalidRequest([{ path: 'email', message: 'Invalid input: send needs an address' }])
  return input
}

export type InvitationsMade = Pick<InvitationsForHost, 'invitations' | 'revokeInvitation'>

/** The invitations that were made. */
export function invitationsMade({ audit }: ManagementKit, proofs: Proofs): InvitationsMade {
  return {
    async invitations() {
      const found = await proofs.list('invitation', null)
      return found.map((one) => {
        const { createdAt, triesLeft: usesLeft } = one.record
        return { ...invitationIn(one), usesLeft, createdAt }
      })
    },

    async revokeInvitation(id, options) {
      const context = contextOfAction(options)
      requireIds({ id })
      const record = { idHash: id, purpose: 'invitation', userId: null }
      const isRevoked = await proofs.consume({ record })
      if (isRevoked) audit({ type: 'invitation.revoked', invitationId: id }, context)
      return isRevoked
    },
  }
}
