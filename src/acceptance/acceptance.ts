import { z } from 'zod'
import { AuthConfigError, AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Capability } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { listOf, record, requireExpected, text } from '../lib/check-answer.js'
import { callable, fitting, type Shape } from '../lib/check-options.js'
import type { HostCall } from '../lib/host-call.js'
import { isHostId } from '../lib/texts.js'
import { ownerOf } from '../principal/principal.js'
import type { Acceptance, AcceptanceDocument } from '../principal/required-actions.js'
import type { AcceptedDocument, AuthUser, UserStore } from '../users/contract.js'

/**
 * The option `acceptance`: a session opens nothing until its user has accepted each document in its
 * present version. Needs `accepted` of your users.
 */
export interface AcceptanceOptions {
  /** Up to 10. */
  readonly documents: readonly AcceptanceDocument[]
  /** What the user has accepted, as `users.accepted` has stored it. */
  readonly current: (
    user: AuthUser,
  ) => readonly AcceptedDocument[] | Promise<readonly AcceptedDocument[]>
}

const isDocument = (given: unknown) => {
  const { id, version, name, url } = Object(given) as Partial<Record<string, unknown>>
  const isText = typeof name === 'string' && name !== ''
  return isHostId(id) && isHostId(version) && isText && isPlace(url)
}
const isPlace = (url: unknown) =>
  typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

/** {@link AcceptanceOptions}, as they are checked. */
export const acceptanceShape: Shape<AcceptanceOptions> = {
  documents: fitting<readonly AcceptanceDocument[]>(
    (value) =>
      Array.isArray(value) && value.length > 0 && value.length <= 10 && value.every(isDocument),
    'is not a list of one to ten { id, version, name, url }.',
  ),
  current: callable<AcceptanceOptions['current']>(),
}

/** The parts of {@link createAcceptance}. */
interface AcceptanceKit extends Pick<SignInKit, 'audit' | 'clock'> {
  readonly call: HostCall
  readonly users: Pick<UserStore, 'accepted'>
}

const acceptedList = listOf(record<AcceptedDocument>({ id: text, version: text }))

/** @throws AuthConfigError if the host's users cannot store it */
export function createAcceptance(
  { users, call, clock, audit }: AcceptanceKit,
  { documents, current }: AcceptanceOptions,
): Acceptance {
  const { accepted } = users
  if (accepted === undefined)
    throw new AuthConfigError(
      'acceptance',
      'needs users with accepted, and they have none.',
      'add it, as docs/required-actions.md says, or leave acceptance out.',
    )
  const isSame = (one: AcceptedDocument) => (other: AcceptedDocument) =>
    one.id === other.id && one.version === other.version
  return {
    async dueFor(user) {
      const has = await call('acceptance.current', async () => {
        const answer = await current(user)
        requireExpected(acceptedList(answer))
        return answer
      })
      return documents.filter((one) => !has.some(isSame(one)))
    },
    async accept({ id: sessionId, userId }, given, context) {
      // Nobody accepts a text that has changed since it was shown.
      if (!given.every((one) => documents.some(isSame(one)))) throw new AuthError('superseded')
      for (const { id, version } of given) {
        await accepted(userId, { id, version, at: clock() })
        audit({ type: 'document.accepted', userId, sessionId, document: id, version }, context)
      }
    },
  }
}

/** The body of `POST /auth/acceptance`. */
export const acceptRequest: z.ZodObject<{
  documents: z.ZodArray<z.ZodObject<{ id: z.ZodString; version: z.ZodString }>>
}> = z.object({
  documents: z
    .array(z.object({ id: z.string().max(256), version: z.string().max(256) }))
    .min(1)
    .max(10),
})

/** The endpoints of `/auth/acceptance`; undefined without the option. */
export function createAcceptanceRoutes(kit: SignInKit): Capability | undefined {
  const { acceptance, signedIn } = kit
  if (acceptance === undefined) return undefined
  const answer = async (user: AuthUser) =>
    ok({ status: 'success', data: { documents: await acceptance.dueFor(user) } })
  return {
    routes: [
      [
        '/auth/acceptance',
        {
          GET: async (request) => answer((await ownerOf(signedIn, request, 'accept')).user),
          POST: async (request) => {
            // 401, 403
            const { session } = await ownerOf(signedIn, request, 'accept')
            // 400, 413, 415
            const { documents } = parseInput(acceptRequest, await request.readJson())
            // 409, 503
            await acceptance.accept(session, documents, request.context)
            const user = await kit.users.findById(session.userId)
            if (user === null) throw new AuthError('Unauthorized')
            return answer(user)
          },
        },
      ],
    ],
  }
}
