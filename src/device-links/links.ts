import type { RequestContext } from '../audit/events.js'
import type { DeviceLinkRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import { isOneNetwork, networkOf } from '../http/client-address.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import {
  deriveKey,
  equalInConstantTime,
  hmacSha256,
  randomId,
  randomSecret,
  sha256,
} from '../lib/secrets.js'
import { newUserCode, readUserCode, shownUserCode } from '../lib/typed-codes.js'
import { usedCodeRetention } from '../pkce/authorization-code.js'
import { ownerOf, type SignedInRequest } from '../principal/principal.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { SessionRecord } from '../stores/contract.js'
import type { DeviceCodeRecord, DeviceCodeStore } from '../stores/one-time-contract.js'

export interface LinksKit extends SignInKit {
  readonly deviceCodes: DeviceCodeStore
  readonly linkSecrets: LinkSecrets
  /** The page that the picture leads to. */
  readonly linkPage: string
  readonly shortCode: boolean
}

/** The code that the user has typed. */
export interface TypedCheckCode {
  readonly linkId: string
  readonly checkCode: string
}

/** The facts that the user is told of a new device. */
export interface ToldDevice {
  readonly linkId: string
  /** The name that the device gives itself. */
  readonly name: string | null
  readonly network: string | null
  readonly sameNetwork: boolean
  readonly agent: string | null
  readonly at: Date
}

/**
 * The session that may sign another device in: the session of a user's own device, with full scope.
 * An app, a bot, or a session that ends with another session may not: the opened session would
 * outlive it. Throws 401, 403 or 503.
 */
export async function approverOf(
  { signedIn }: LinksKit,
  request: EndpointRequest,
): Promise<SignedInRequest> {
  const asking = await ownerOf(signedIn, request)
  const { kind, parentId } = asking.session
  if ((kind === 'login' || kind === 'pkce') && parentId === undefined) return asking
  throw new AuthError('forbidden', { message: 'this session may not sign another device in' })
}

/** Reports a refusal; returns the one answer to all reasons. */
export function linkRefusal(
  { audit }: LinksKit,
  reason: DeviceLinkRefusal,
  userId: string,
  context: RequestContext,
  details?: { readonly triesLeft: number },
): AuthError {
  audit({ type: 'device-link.refused', reason, userId }, context)
  return new AuthError('proof-refused', {
    message: `device link refused: ${reason}`,
    ...(details === undefined ? {} : { details }),
  })
}

/**
 * Opens what a signed-in user has scanned or typed. The first one who opens a link is the only one
 * who may approve it. Rejects with 400 `proof-refused`, 429 and 503.
 */
export async function openLink(
  kit: LinksKit,
  { id: sessionId, userId }: SessionRecord,
  link: string,
  context: RequestContext,
): Promise<DeviceCodeRecord> {
  const linkId = kit.linkSecrets.linkIdOf(link)
  const find = async () => {
    if (linkId === null) return null
    const result = await kit.deviceCodes.claim(linkId, userId, kit.clock())
    // A stranger's link looks like none at all.
    return result.outcome === 'claimed' && result.code.purpose === 'link' ? result.code : null
  }
  // 429, 503. Nobody guesses 256 bits.
  const claimed = kit.shortCode
    ? await kit.throttle.limitUserCodes(sessionId, context, find)
    : await find()
  if (claimed === null) throw linkRefusal(kit, 'unknown', userId, context)
  kit.audit({ type: 'device-link.opened', userId, sessionId }, context)
  return claimed
}

/** The facts that the user of this request is told of the device that shows a link. */
export async function tellDevice(
  { nameDevice }: LinksKit,
  { userCodeHash: linkId, name, requestedIp, requestedAgent, createdAt: at }: DeviceCodeRecord,
  { ip }: RequestContext,
): Promise<ToldDevice> {
  const network = requestedIp === null ? null : networkOf(requestedIp)
  const sameNetwork = isOneNetwork(requestedIp, ip)
  return { linkId, name, network, sameNetwork, agent: await nameDevice(requestedAgent), at }
}

/** The link, if this user may decide about it; else null. Changes nothing. Rejects with 503. */
export async function lookAt(
  { deviceCodes, clock }: LinksKit,
  { userId }: SessionRecord,
  linkId: string,
): Promise<DeviceCodeRecord | null> {
  const link = await deviceCodes.find(linkId)
  if (link?.purpose !== 'link' || link.userId !== userId) return null
  // This check only explains: the conditional writes that follow decide.
  return link.state === 'pending' && link.triesLeft > 0 && clock() < link.expiresAt ? link : null
}

/** The link whose device shows this code. Costs a try. Rejects with 400 `proof-refused` and 503. */
export async function requireCheckCode(
  kit: LinksKit,
  { userId }: SessionRecord,
  { linkId, checkCode }: TypedCheckCode,
  context: RequestContext,
): Promise<DeviceCodeRecord> {
  const { deviceCodes, linkSecrets, clock } = kit
  const tried = await deviceCodes.takeTry(linkId, userId, clock())
  if (tried.outcome === 'void' || tried.code.purpose !== 'link')
    throw linkRefusal(kit, 'void', userId, context)
  const { code } = tried
  if (linkSecrets.isCheckCode(code, checkCode)) return code
  const { triesLeft } = code
  // The new device need not wait for an approval that cannot come any more.
  if (triesLeft === 0) await deviceCodes.decide(linkId, userId, { state: 'denied' }, clock())
  throw linkRefusal(kit, 'wrong-check-code', userId, context, { triesLeft })
}

/**
 * Signs the device in: stores the code that opens its session. `proved`: the proof that the user
 * has shown for it; null where the sign-in was enough. Rejects with 400 `proof-refused`, 401, 403,
 * 429, 503.
 */
export async function approveLink(
  kit: LinksKit,
  session: SessionRecord,
  link: DeviceCodeRecord,
  proved: ApprovedSignIn | null,
  context: RequestContext,
): Promise<void> {
  const { userId, id: sessionId } = session
  // The rows are read again: the guard's rows may be some seconds old.
  await kit.sessions.requireLive(session)
  const { methods } = await decide(kit, userId, proved?.methods ?? session.methods, context)
  await kit.takeIssue('code', { userId, sessionId }, context)
  const now = kit.clock()
  // Nobody is told the code: only its hash is ever used, by the link.
  const codeHash = sha256(randomSecret())
  const opensSessionId = randomId()
  await kit.codeStore.save({
    codeHash,
    userId,
    issuedBySessionId: sessionId,
    opensSessionId,
    codeChallenge: link.deviceCodeHash,
    scope: link.scope,
    methods,
    authenticatedAt: proved === null ? session.authenticatedAt : now,
    createdAt: now,
    expiresAt: link.expiresAt,
    retainUntil: new Date(link.expiresAt.getTime() + usedCodeRetention * 1000),
    consumedAt: null,
  })
  const verdict = { state: 'approved', authorizationCodeHash: codeHash } as const
  const { outcome } = await kit.deviceCodes.decide(link.userCodeHash, userId, verdict, now)
  if (outcome === 'unknown') throw linkRefusal(kit, 'void', userId, context)
  kit.audit({ type: 'device-link.approved', userId, sessionId, opensSessionId }, context)
}

async function decide(
  { decideSignIn, users, audit }: LinksKit,
  userId: string,
  methods: SessionRecord['methods'],
  context: RequestContext,
): Promise<ApprovedSignIn> {
  const user = await users.findById(userId)
  const asked = { door: 'device-link', user, methods, code: undefined, context } as const
  const decision = await decideSignIn(asked)
  if (decision.allowed) return decision.approved
  audit({ type: 'device-link.refused', reason: decision.reason, userId }, context)
  throw decision.error
}

/** Rejects with 400 `proof-refused` and 503. */
export async function denyLink(
  kit: LinksKit,
  { userId, id: sessionId }: SessionRecord,
  linkId: string,
  context: RequestContext,
): Promise<void> {
  const { deviceCodes, audit, clock } = kit
  const { outcome } = await deviceCodes.decide(linkId, userId, { state: 'denied' }, clock())
  if (outcome === 'decided') {
    audit({ type: 'device-link.denied', userId, sessionId }, context)
    return
  }
  const link = await deviceCodes.find(linkId)
  // A user who lost the answer says no again.
  const isDenied = link?.purpose === 'link' && link.userId === userId && link.state === 'denied'
  if (!isDenied) throw linkRefusal(kit, 'unknown', userId, context)
}

/** A sign-in of this age, in seconds, may open a link; approving takes a fresh one, or a proof. */
export const maxSignInAge: number = 24 * 60 * 60

// A user in a browser session that another session has opened must sign in, too: the session opened
// here would outlive that other session.
export async function mustSignIn(
  { mustSignInForDevice }: LinksKit,
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  { createdAt }: DeviceCodeRecord,
): Promise<boolean> {
  return asking.session.parentId !== undefined || mustSignInForDevice(asking, createdAt)
}

/** The link that a device shows, and the id under which it is stored. */
export interface NewLink {
  readonly link: string
  readonly linkId: string
}

/** Whose link it is, since when. */
export type OpenedLink = Pick<DeviceCodeRecord, 'userCodeHash' | 'userId' | 'claimedAt'>

/** The secrets of links. No secret is stored: each is random, or computed from stored values. */
export interface LinkSecrets {
  newLink(): NewLink
  /**
   * The id of the link in what was scanned or typed; null if there is none in it. The id alone
   * cannot open the link: it is a digest.
   */
  linkIdOf(given: string): string | null
  /** Four digits for the new device to show, and for its user to type into the other one. */
  checkCodeOf(link: OpenedLink): string
  /** Compares in constant time. */
  isCheckCode(link: OpenedLink, typed: string): boolean
  /**
   * The secret part of the first refresh token, computed so that a device whose answer was lost
   * gets the same token again.
   */
  refreshSecretOf(linkId: string, codeVerifier: string): string
}

const prefix = 'mar_dl_'
const pattern = /^mar_dl_[A-Za-z0-9_-]{43}$/

/** With `shortCode`, a link is eight letters, which a plain digest would give away. */
export function createLinkSecrets(
  encryptionKeys: readonly Buffer[],
  shortCode: boolean,
): LinkSecrets {
  const [encryptionKey] = encryptionKeys
  const keyFor = (purpose: string, key = encryptionKey) => deriveKey(`device-links ${purpose}`, key)
  const codeKey = keyFor('short code')
  const checkKey = keyFor('check code')
  const otherCheckKeys = encryptionKeys.slice(1).map((key) => keyFor('check code', key))
  const refreshKey = keyFor('refresh token')
  const idOfCode = (code: string) => hmacSha256(codeKey, code)

  // JSON is used so that no two lists of parts are the same text.
  function checkCodeOf({ userCodeHash, userId, claimedAt }: OpenedLink, key = checkKey): string {
    const digest = hmacSha256(key, JSON.stringify([userCodeHash, userId, claimedAt]))
    const number = Buffer.from(digest, 'base64url').readUIntBE(0, 6) % 10_000
    return String(number).padStart(4, '0')
  }

  return {
    newLink() {
      if (shortCode) {
        const code = newUserCode()
        return { link: shownUserCode(code), linkId: idOfCode(code) }
      }
      const link = `${prefix}${randomSecret()}`
      return { link, linkId: sha256(link) }
    },
    linkIdOf(given) {
      if (!shortCode) return pattern.test(given) ? sha256(given) : null
      const code = readUserCode(given)
      return code === null ? null : idOfCode(code)
    },
    checkCodeOf: (link) => checkCodeOf(link),
    // While a new key comes first in one process and not yet in another, either may have shown it.
    isCheckCode: (link, typed) =>
      [checkKey, ...otherCheckKeys].some((key) =>
        equalInConstantTime(checkCodeOf(link, key), typed),
      ),
    refreshSecretOf: (linkId, codeVerifier) =>
      hmacSha256(refreshKey, JSON.stringify([linkId, codeVerifier])),
  }
}
