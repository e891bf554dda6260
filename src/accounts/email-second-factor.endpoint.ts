import { z } from 'zod'
import { changeFactor, forgetOtherNetworks } from '../account/totp.endpoint.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn, SignedInRequest } from '../principal/principal.js'
import { noteMethods } from '../sessions/note-methods.js'
import type { Sessions } from '../sessions/sessions.js'
import { type Proof, proofRequest, type RequireFresh } from '../sign-in-again.js'
import type { StoredMethod } from '../stores/contract.js'
import type { Throttle } from '../throttle/throttle.js'
import { hasShownCode, type SecondFactors } from '../two-factor/second-factor.js'
import type { UserStore } from '../users/contract.js'
import type { Contacts } from './contacts.js'
import { provenAddress } from './email-factor.js'

/** The body of `POST /auth/email/second-factor`: on or off, and a proof. */
export const emailFactorRequest: z.ZodObject<
  (typeof proofRequest)['shape'] & { enabled: z.ZodBoolean }
> = proofRequest.extend({ enabled: z.boolean() })

type Asking = Pick<SignedInRequest, 'session' | 'user'>

/**
 * Switches codes by mail on or off. The user's other sessions end. Throws 400, 401, 403, 429, 503.
 */
export type SwitchEmailFactor = (
  asking: Asking,
  given: { readonly enabled: boolean; readonly proof: Proof },
  request: EndpointRequest,
) => Promise<void>

export interface EmailSecondFactorDeps {
  readonly requireFresh: RequireFresh
  readonly contacts: Pick<Contacts, 'findContact'>
  readonly setEmailFactor: NonNullable<UserStore['setEmailFactor']>
  readonly secondFactors: Pick<SecondFactors, 'of'>
  readonly sessions: Pick<Sessions, 'requireLive' | 'endAllForUser' | 'setMethods'>
  /** Drops a session from the cache of this process. */
  readonly forgetSession: (sessionId: string) => void
  readonly throttle: Pick<Throttle, 'knownNetworks'>
  readonly audit: Audit
}

export function createSwitchEmailFactor(deps: EmailSecondFactorDeps): SwitchEmailFactor {
  const { requireFresh, contacts, setEmailFactor, audit } = deps

  async function switchOn({ user, session }: Asking, context: RequestContext) {
    if (provenAddress(await contacts.findContact(user.id)) === null)
      throw invalidRequest([{ path: 'enabled', message: 'This account has no proven address.' }])
    await changeFactor(deps, session, context, () => setEmailFactor(user.id, true))
    audit({ type: 'second-factor.enabled', userId: user.id, method: 'email' }, context)
    // If this fails, the limits of wrong passwords are only looser where a thief has signed in.
    await forgetOtherNetworks(deps, user.id, context).catch(reported)
  }

  async function switchOff(asking: Asking, context: RequestContext) {
    const { user, session } = asking
    if ((await contacts.findContact(user.id))?.emailFactor !== true) return
    const left = await methodsWithoutIt(deps.secondFactors, asking)
    // First, while a failure still changes nothing: a session that claims a factor which the user
    // no longer has would pass where the host requires one.
    await noteMethods(deps, session, left)
    await changeFactor(deps, session, context, () => setEmailFactor(user.id, false))
    audit({ type: 'second-factor.disabled', userId: user.id, method: 'email' }, context)
    // A reauthentication meanwhile has stored the former methods again.
    await noteMethods(deps, session, left).catch(reported)
  }

  return async function switchEmailFactor(asking, { enabled, proof }, request) {
    await requireFresh(asking, proof, request)
    await (enabled ? switchOn : switchOff)(asking, request.context)
  }
}

// What a session has shown with another factor stays.
async function methodsWithoutIt(
  secondFactors: Pick<SecondFactors, 'of'>,
  { user, session: { methods } }: Asking,
): Promise<readonly StoredMethod[]> {
  const factors = await secondFactors.of(user)
  const hasOthers = factors?.methods.some((name) => name !== 'email') === true
  return hasOthers ? methods : methods.filter((method) => !hasShownCode([method]))
}

/** `POST /auth/email/second-factor`: switches codes by mail on or off. */
export function emailSecondFactorEndpoint(
  signedIn: SignedIn,
  switchEmailFactor: SwitchEmailFactor,
): Endpoint {
  return async function emailSecondFactor(request) {
    // 401, 403
    const asking = await ownerOf(signedIn, request, 'may-enrol')
    // 400, 413, 415
    const given = parseInput(emailFactorRequest, await request.readJson())
    const { enabled, password, code, passkey } = given
    // By name: what is left over would inherit from a polluted Object.prototype.
    const proof = { password, code, passkey }
    // 400, 401, 403, 429, 503
    await switchEmailFactor(asking, { enabled, proof }, request)
    return ok({ status: 'success', data: {} })
  }
}

// The failed call has reported itself.
function reported(): void {}
