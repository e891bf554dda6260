import { z } from 'zod'
import type { Audit } from '../audit/events.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { isOneLine } from '../lib/one-line.js'
import { codeChallengePattern } from '../pkce/code-challenge.js'
import type { DeviceCodeStore } from '../stores/device-code-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { LinkSecrets } from './link-secrets.js'

/** The body of `POST /auth/device-links`. */
export const beginRequest: z.ZodObject<{
  codeChallenge: z.ZodString
  name: z.ZodOptional<z.ZodString>
}> = z.object({
  codeChallenge: z
    .string()
    .regex(codeChallengePattern, 'Invalid input: expected 43 base64url characters'),
  // The length is checked first.
  name: z
    .string()
    .max(60)
    .trim()
    .min(1)
    .refine(isOneLine, 'Invalid input: expected text without control or bidirectional characters')
    .optional(),
})

export interface BeginDeps {
  readonly deviceCodes: Pick<DeviceCodeStore, 'save'>
  readonly linkSecrets: Pick<LinkSecrets, 'newLink'>
  readonly throttle: Pick<Throttle, 'takeDeviceLink'>
  /** Where the picture leads to. */
  readonly linkPage: string
  readonly shortCode: boolean
  readonly clock: () => Date
  readonly audit: Audit
}

/** Seconds. */
const linkLifetime = 180
/** Seconds between two questions, as the device is told. */
const announcedInterval = 2
/** As they are counted: a device on a bad line asks a little too soon. */
const countedInterval = 1
/** How many check codes may be typed. */
const checkCodes = 3

/** `POST /auth/device-links`: a device that nobody is signed in on shows a picture. */
export function beginEndpoint(deps: BeginDeps): Endpoint {
  const { deviceCodes, linkSecrets, throttle, linkPage, shortCode, clock, audit } = deps
  return async function beginLink({ context, readJson }) {
    // 400, 413, 415
    const { codeChallenge, name = null } = parseInput(beginRequest, await readJson())
    // 429, 503
    await throttle.takeDeviceLink(context)
    const { link, linkId } = linkSecrets.newLink()
    const now = clock()
    await deviceCodes.save({
      userCodeHash: linkId,
      // The secret that the device asks with is the verifier, whose digest this is.
      deviceCodeHash: codeChallenge,
      purpose: 'link',
      clientId: null,
      scope: '*',
      resources: [],
      name,
      requestedIp: context.ip,
      requestedAgent: context.userAgent,
      interval: countedInterval,
      nextPollAt: now,
      userId: null,
      claimedAt: null,
      triesLeft: checkCodes,
      state: 'pending',
      authorizationCodeHash: null,
      createdAt: now,
      expiresAt: new Date(now.getTime() + linkLifetime * 1000),
    })
    audit({ type: 'device-link.requested' }, context)
    const typed = shortCode ? { shortCode: link } : {}
    const qr = `${linkPage}#${link}`
    const data = { linkId, qr, ...typed, interval: announcedInterval, expiresIn: linkLifetime }
    return ok({ status: 'success', data })
  }
}
