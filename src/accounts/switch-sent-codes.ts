import { z } from 'zod'
import { changeFactor, forgetOtherNetworks } from '../account/totp.js'
import type { RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf, type SignedInRequest } from '../principal/principal.js'
import { noteMethods } from '../sessions/note-methods.js'
import { type Proof, proofRequest } from '../sign-in-again.js'
import type { StoredMethod } from '../stores/contract.js'
import { hasShownCode } from '../two-factor/second-factor.js'
import type { AccountsKit } from './accounts-server.js'
import { type Channel, provenIn } from './channel.js'

/** The body of `POST /auth/email/second-factor`: on or off, and a proof. */
export const emailFactorRequest: z.ZodObject<
  (typeof proofRequest)['shape'] & { enabled: z.ZodBoolean }
> = proofRequest.extend({ enabled: z.boolean() })

type Asking = Pick<SignedInRequest, 'session' | 'user'>

/** The parts of a host that stores which users have codes of this channel. */
export interface SentCodesKit extends AccountsKit {
  readonly channel: Channel
  readonly setFactor: (userId: string, on: boolean) => Promise<void>
}

/** `POST /auth/email/second-factor` and `/auth/phone/second-factor`: switches codes on or off. */
export function sentCodesEndpoint(kit: SentCodesKit): Endpoint {
  return async function sentCodes(request) {
    // 401, 403
    const asking = await ownerOf(kit.signedIn, request, 'enrol')
    // 400, 413, 415
    const given = parseInput(emailFactorRequest, await request.readJson())
    const { enabled, password, code, passkey } = given
    // The proof is made by name: a rest object would inherit from a polluted Object.prototype.
    const proof = { password, code, passkey }
    // 400, 401, 403, 429, 503
    await switchSentCodes(kit, asking, { enabled, proof }, request)
    return ok({ status: 'success', data: {} })
  }
}

/**
 * Switches sent codes on or off. The user's other sessions end. Throws 400, 401, 403, 429, 503.
 */
export async function switchSentCodes(
  kit: SentCodesKit,
  asking: Asking,
  { enabled, proof }: { readonly enabled: boolean; readonly proof: Proof },
  request: EndpointRequest,
): Promise<void> {
  await kit.requireFresh(asking, proof, request)
  await (enabled ? switchOn : switchOff)(kit, asking, request.context)
}

async function switchOn(
  kit: SentCodesKit,
  { user, session }: Asking,
  context: RequestContext,
): Promise<void> {
  const { channel } = kit
  if (provenIn(channel, await kit.contacts.findContact(user.id)) === null)
    throw invalidRequest([{ path: 'enabled', message: 'This account has no proven address.' }])
  await changeFactor(kit, session, context, () => kit.setFactor(user.id, true))
  kit.audit({ type: 'second-factor.enabled', userId: user.id, method: channel.method }, context)
  // If this fails, the limits of wrong passwords are only looser where a thief has signed in.
  await forgetOtherNetworks(kit, user.id, context).catch(reported)
}

async function switchOff(
  kit: SentCodesKit,
  asking: Asking,
  context: RequestContext,
): Promise<void> {
  const { user, session } = asking
  const { channel } = kit
  if (!channel.hasFactor(await kit.contacts.findContact(user.id))) return
  const left = await methodsWithoutIt(kit, asking)
  // This comes first, while a failure still changes nothing: a session that claims a factor which
  // the user no longer has would pass where the host requires one.
  await noteMethods(kit, session, left)
  await changeFactor(kit, session, context, () => kit.setFactor(user.id, false))
  kit.audit({ type: 'second-factor.disabled', userId: user.id, method: channel.method }, context)
  // A reauthentication meanwhile has stored the former methods again.
  await noteMethods(kit, session, left).catch(reported)
}

// With another factor left, the methods of the session stay as they are.
async function methodsWithoutIt(
  { secondFactors, channel }: SentCodesKit,
  { user, session: { methods } }: Asking,
): Promise<readonly StoredMethod[]> {
  const factors = await secondFactors.of(user)
  const hasOthers = factors?.methods.some((name) => name !== channel.method) === true
  return hasOthers ? methods : methods.filter((method) => !hasShownCode([method]))
}

// The failed call has reported itself.
function reported(): void {}
