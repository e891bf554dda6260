import { z } from 'zod'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Capability, Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { isOneLine } from '../lib/texts.js'
import { typedDigits } from '../lib/typed-codes.js'
import { accountRoute } from '../pages/account-form.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { codeChallengePattern } from '../pkce/authorization-code.js'
import { freshSeconds, requireRecentSignIn } from '../sessions/recent-sign-in.js'
import { proofRequest } from '../sign-in-again.js'
import { collectEndpoint, linkIdSchema } from './collect.js'
import { createLinkPage } from './link-page.js'
import {
  approveLink,
  approverOf,
  createLinkSecrets,
  denyLink,
  type LinksKit,
  maxSignInAge,
  openLink,
  requireCheckCode,
  tellDevice,
} from './links.js'

/** Seconds. */
const linkLifetime = 180
/** Seconds between two questions, as the device is told. */
const announcedInterval = 2
/** As they are counted: a device on a bad line asks a little too soon. */
const countedInterval = 1
/** How many check codes may be typed. */
const checkCodes = 3

/**
 * The endpoints of `/auth/device-links`: a signed-in device signs another one in, whose picture it
 * has scanned and whose check code its user has typed. `forms`: undefined if the host has a page
 * of its own for it.
 */
export function createDeviceLinks(
  given: SignInKit,
  parts: Pick<LinksKit, 'deviceCodes' | 'linkPage' | 'shortCode'>,
  forms: FormsKit | undefined,
): Capability {
  const linkSecrets = createLinkSecrets(given.encryptionKeys, parts.shortCode)
  const kit = { ...given, ...parts, linkSecrets }
  const page = forms && createLinkPage(forms, kit)
  return {
    routes: [
      ['/auth/device-links', { POST: beginEndpoint(kit) }],
      ['/auth/device-links/open', { POST: openEndpoint(kit) }],
      ['/auth/device-links/approve', { POST: approveEndpoint(kit) }],
      ['/auth/device-links/deny', { POST: denyEndpoint(kit) }],
      ['/auth/device-links/collect', { POST: collectEndpoint(kit) }],
      ...(forms && page ? [accountRoute(forms, page)] : []),
    ],
  }
}

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

// A device that nobody is signed in on shows a picture.
function beginEndpoint(kit: LinksKit): Endpoint {
  return async function beginLink({ context, readJson }) {
    // 400, 413, 415
    const { codeChallenge, name = null } = parseInput(beginRequest, await readJson())
    // 429, 503
    await kit.throttle.takeDeviceLink(context)
    const { link, linkId } = kit.linkSecrets.newLink()
    const now = kit.clock()
    await kit.deviceCodes.save({
      userCodeHash: linkId,
      // The device asks with the verifier as its secret. This is the digest of the verifier.
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
    kit.audit({ type: 'device-link.requested' }, context)
    const typed = kit.shortCode ? { shortCode: link } : {}
    const qr = `${kit.linkPage}#${link}`
    const data = { linkId, qr, ...typed, interval: announcedInterval, expiresIn: linkLifetime }
    return ok({ status: 'success', data })
  }
}

/** The body of `POST /auth/device-links/open`. */
export const openRequest: z.ZodObject<{ link: z.ZodString }> = z.object({
  link: z.string().min(1).max(64),
})

// A signed-in user has scanned the picture, and is told which device it is.
function openEndpoint(kit: LinksKit): Endpoint {
  return kit.throttle.limitFailures('device-link', async function openScanned(request) {
    const { context } = request
    // 400, 401, 403, 503
    const { session } = await approverOf(kit, request)
    // 400, 413, 415
    const { link } = parseInput(openRequest, await request.readJson())
    // 403
    await requireRecentSignIn(kit.sessions, session, maxSignInAge, kit.clock)
    // 400, 429, 503
    const data = await tellDevice(kit, await openLink(kit, session, link, context), context)
    return ok({ status: 'success', data })
  })
}

/** The body of `POST /auth/device-links/approve`. */
export const approveRequest: z.ZodObject<
  { linkId: z.ZodString; checkCode: z.ZodString } & typeof proofRequest.shape
> = z.object({
  linkId: linkIdSchema,
  checkCode: z
    .string()
    .max(20, { abort: true })
    .overwrite(typedDigits)
    .regex(/^\d{4}$/, 'Invalid input: expected four digits'),
  ...proofRequest.shape,
})

// The user who has opened a link types what the new device shows. A picture alone signs nobody in:
// it may come from a stranger.
function approveEndpoint(kit: LinksKit): Endpoint {
  return kit.throttle.limitFailures('device-link', async function approve(request) {
    const { context } = request
    // 400, 401, 403, 503
    const asking = await approverOf(kit, request)
    const { session, user } = asking
    // 400, 413, 415
    const { linkId, checkCode, ...proof } = parseInput(approveRequest, await request.readJson())
    // 403, 503. Costs no try: most clients learn by this what they have to ask for. A stolen
    // session must not become one on another device: a user with a factor or a passkey shows it.
    if (proof.password === undefined && proof.passkey === undefined) {
      await requireRecentSignIn(kit.sessions, session, freshSeconds, kit.clock)
      if (await kit.hasMoreToShow(user)) throw new AuthError('reauthentication-required')
    }
    // 400, 503. The check code comes before the proof: a code or a challenge works once, and a
    // mistyped check code must not use it up. It counts before it is compared, so a wrong proof
    // does not make it guessable.
    const link = await requireCheckCode(kit, session, { linkId, checkCode }, context)
    // 400, 401, 403, 429, 503
    const proved = await kit.proveAgain(asking, proof, request)
    // 400, 401, 403, 429, 503
    await approveLink(kit, session, link, proved, context)
    return ok({ status: 'success' })
  })
}

/** The body of `POST /auth/device-links/deny`. */
export const denyRequest: z.ZodObject<{ linkId: z.ZodString }> = z.object({ linkId: linkIdSchema })

// The user who has opened a link says no.
function denyEndpoint(kit: LinksKit): Endpoint {
  return async function deny(request) {
    // 400, 401, 403, 503
    const { session } = await approverOf(kit, request)
    // 400, 413, 415
    const { linkId } = parseInput(denyRequest, await request.readJson())
    // 400, 503
    await denyLink(kit, session, linkId, request.context)
    return ok({ status: 'success' })
  }
}
