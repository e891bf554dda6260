import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { sha256 } from '../lib/digest.js'
import { loggedIn } from '../login/login.endpoint.js'
import { codeVerifierPattern } from '../pkce/code-challenge.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { DeviceCodeRecord, DeviceCodeStore } from '../stores/device-code-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { Me } from '../users/me.js'
import { linkIdSchema } from './approve.endpoint.js'
import type { LinkSecrets } from './link-secrets.js'
import { createOpenLinked, type OpenLinkedDeps } from './open-linked.js'

/** The body of `POST /auth/device-links/collect`. */
export const collectRequest: z.ZodObject<{
  linkId: z.ZodString
  codeVerifier: z.ZodString
  confirm: z.ZodOptional<z.ZodLiteral<true>>
}> = z.object({
  linkId: linkIdSchema,
  codeVerifier: z
    .string()
    .regex(
      codeVerifierPattern,
      'Invalid input: expected 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
    ),
  confirm: z.literal(true).optional(),
})

export interface CollectDeps extends OpenLinkedDeps {
  readonly deviceCodes: Pick<DeviceCodeStore, 'poll'>
  readonly codeStore: Pick<AuthorizationCodeStore, 'find' | 'consume'>
  readonly linkSecrets: Pick<LinkSecrets, 'checkCodeOf' | 'refreshSecretOf'>
  readonly users: Pick<UserStore, 'findById'>
  readonly describeMe: (user: AuthUser) => Promise<Me>
  readonly throttle: Pick<Throttle, 'limitFailures'>
}

/**
 * `POST /auth/device-links/collect`: the new device asks whether somebody has signed it in. Its
 * verifier is compared before it is told anything.
 */
export function collectEndpoint(deps: CollectDeps): Endpoint {
  const { deviceCodes, throttle, clock } = deps
  const openLinked = createOpenLinked(deps)
  return throttle.limitFailures('device-link', async function collectLink({ context, readJson }) {
    // 400, 413, 415
    const { linkId, codeVerifier, confirm } = parseInput(collectRequest, await readJson())
    const now = clock()
    // 400, 503
    const polled = await deviceCodes.poll(linkId, sha256(codeVerifier), now)
    if (polled.outcome === 'unknown' || polled.code.purpose !== 'link')
      throw new AuthError('invalid_grant', { message: 'no such link, or another verifier' })
    if (polled.outcome === 'too-soon') throw new AuthError('slow_down')
    const link = polled.code
    if (link.state === 'denied') throw new AuthError('access_denied')
    if (link.state !== 'approved' || confirm !== true) throw await untilThen(deps, link, now)
    return loggedIn(await open(link, codeVerifier, context))
  })

  async function open(link: DeviceCodeRecord, codeVerifier: string, context: RequestContext) {
    const { authorizationCodeHash: hash } = link
    const code = hash === null ? null : await deps.codeStore.find(hash)
    if (code === null || (code.consumedAt === null && clock() >= code.expiresAt))
      throw new AuthError('expired_token')
    const refreshSecret = deps.linkSecrets.refreshSecretOf(link.userCodeHash, codeVerifier)
    return openLinked({ code, name: link.name, refreshSecret }, context)
  }
}

// Whoever opened the link first decides whose session it will be, so the device asks its user
// before
// it collects: otherwise it might end up in a stranger's account. Before the right check code was
// typed it is told no account: a stranger may have sent the link to see who opens it.
async function untilThen(
  { users, describeMe, linkSecrets }: CollectDeps,
  link: DeviceCodeRecord,
  now: Date,
): Promise<AuthError> {
  if (now >= link.expiresAt) return new AuthError('expired_token')
  const user = link.userId === null ? null : await users.findById(link.userId)
  if (user === null) return new AuthError('authorization_pending')
  if (link.state !== 'approved')
    return new AuthError('opened', { details: { checkCode: linkSecrets.checkCodeOf(link) } })
  const { name, username } = await describeMe(user)
  return new AuthError('approved', { details: { account: { name, username } } })
}
