import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import { isOneNetwork } from '../http/client-address.js'
import type { Endpoint } from '../http/endpoint.js'
import { type RequestParameters, readParameters } from '../http/input.js'
import { type Refreshing, refreshSession } from '../refresh/refresh.js'
import { grantTypes, type OAuthClient, type OAuthGrant } from '../stores/client-contract.js'
import type { DeviceCodeRecord, PollDeviceCodeResult } from '../stores/one-time-contract.js'
import type { AppsKit } from './apps-kit.js'
import { wordsOf } from './authorization-request.js'
import { authenticateClient } from './client-auth.js'
import {
  audiencesOf,
  deviceGrant,
  getsRefreshToken,
  grantsOf,
  isConfidential,
  serviceGrant,
} from './client-schema.js'
import {
  codeParameters,
  exchangeCode,
  type Grant,
  type GrantedTokens,
  redeem,
  required,
} from './grants/code.js'
import { requireNothingDue } from './grants/nothing-due.js'
import { remainingGrant, requireConsent, targetOf } from './grants/remaining-grant.js'
import { serve, serviceParameters } from './grants/service.js'
import { issueTokens } from './issue-tokens.js'

/** The parameters of the grant, for the description of the API. */
const deviceParameters = { device_code: 'of the third' } as const

/**
 * `urn:ietf:params:oauth:grant-type:device_code`: a device asks whether its user has decided ([RFC
 * 8628 §3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4)). An approval is an authorization
 * code that nobody has seen; only here it is exchanged.
 */
async function exchangeDeviceCode(
  kit: AppsKit,
  client: OAuthClient,
  parameters: RequestParameters,
  context: RequestContext,
): Promise<GrantedTokens> {
  const { deviceFlow, codeStore, clock } = kit
  if (deviceFlow === undefined) throw new AuthError('unsupported_grant_type')
  // 400
  const presented = required(parameters, 'device_code')
  const resources = audiencesOf(parameters.all('resource'), kit)
  // 400, 503
  const codeHash = approvalIn(
    await deviceFlow.poll(client, presented),
    clock(),
    (asked) => deviceFlow.sameNetwork !== 'require' || isOneNetwork(asked.requestedIp, context.ip),
  )
  const code = await codeStore.find(codeHash)
  if (code?.consumedAt === null && clock() >= code.expiresAt) throw new AuthError('expired_token')
  const refusal = ({ clientId }: { readonly clientId?: string }) =>
    clientId === client.id ? null : 'wrong-client'
  return redeem(kit, { door: 'device', code, refusal, client, resources }, context)
}

// The hash of the authorization code of an approved device. Otherwise throws the answer to the
// device: RFC 8628 §3.5.
function approvalIn(
  polled: PollDeviceCodeResult,
  now: Date,
  isWhereItBegan: (code: DeviceCodeRecord) => boolean,
): string {
  if (polled.outcome === 'unknown') throw new AuthError('invalid_grant')
  if (polled.outcome === 'too-soon') throw new AuthError('slow_down')
  const { state, authorizationCodeHash, expiresAt } = polled.code
  if (state === 'approved' && authorizationCodeHash !== null) {
    // A client that collects the code in another network has made another device ask.
    if (!isWhereItBegan(polled.code)) throw new AuthError('access_denied')
    return authorizationCodeHash
  }
  if (state === 'denied') throw new AuthError('access_denied')
  throw new AuthError(now >= expiresAt ? 'expired_token' : 'authorization_pending')
}

/** The parameters of the grant, for the description of the API. */
const refreshParameters = {
  refresh_token: 'of the second',
  scope: 'of the second: less than was granted; of the fourth: those that the service needs',
} as const

/**
 * `refresh_token`: new tokens for a session of this client. A confidential client keeps its refresh
 * token: only it can use the token, and its processes may share it ([RFC 9700
 * §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)).
 */
async function refreshByToken(
  kit: AppsKit,
  client: OAuthClient,
  parameters: RequestParameters,
  context: RequestContext,
): Promise<GrantedTokens> {
  const presented = required(parameters, 'refresh_token')
  const askedScope = parameters.one('scope')
  const resources = audiencesOf(parameters.all('resource'), kit)
  const refreshing: Refreshing<GrantedTokens> = {
    presented,
    admits: ({ kind, clientId }) => kind === 'oauth' && clientId === client.id,
    rotates: !isConfidential(client),
    async open(session, user) {
      // 400
      const left = remainingGrant(session, client, kit.ownResource)
      // The client has lost `offline_access`, on which the refresh token was based.
      if (!getsRefreshToken(client, left.scopes)) throw new AuthError('invalid_grant')
      const scopes = scopesOf(askedScope, left.scopes)
      const resource = targetOf(resources, left.resources)
      // 400, 503
      await requireNothingDue(kit, { door: 'refresh', session, user }, context)
      return async ({ refreshToken, session: refreshed }) => {
        // 400
        await requireConsent(kit, client, refreshed, context)
        const grant = { client, user, scopes, resource, acr: null, nonce: null }
        const tokens = await issueTokens(kit, refreshed, grant)
        return { ...tokens, refresh_token: refreshToken }
      }
    },
  }
  return refreshSession(kit, refreshing, context)
}

// RFC 6749 §6: the granted scopes or fewer; the refresh token stays valid for all of them.
function scopesOf(asked: string | null, granted: readonly string[]): readonly string[] {
  if (asked === null) return granted
  const words = wordsOf(asked)
  if (words.length > 0 && words.every((word) => granted.includes(word))) return words
  throw new AuthError('invalid_scope')
}

/**
 * `POST /oauth/token`, [RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2):
 * exchanges a code, a refresh token or the client's own credentials for tokens. The client is
 * authenticated first, so that nobody else learns anything about a code.
 */
export function tokenEndpoint(kit: AppsKit): Endpoint {
  return kit.throttle.limitFailures('oauth-token', async function answerTokens(request) {
    // 400, 413, 415
    const parameters = await readParameters(request.incoming)
    // 400, 401, 429, 503
    const { client } = await authenticateClient(kit, request, parameters)
    const grantType = parameters.one('grant_type')
    if (grantType === null)
      throw new AuthError('invalid-request', { clientMessage: 'grant_type is missing.' })
    if (!isGrant(grantType) || !grants[grantType].isOn(kit))
      throw new AuthError('unsupported_grant_type')
    if (!grantsOf(client).includes(grantType)) throw new AuthError('unauthorized_client')
    return ok(await grants[grantType].grant(kit, client, parameters, request.context))
  })
}

function isGrant(word: string): word is OAuthGrant {
  return Object.hasOwn(grants, word)
}

/** One `grant_type` of the token endpoint. */
export interface GrantType {
  readonly grant: Grant
  readonly isOn: (kit: AppsKit) => boolean
  /** The parameters of the grant with their descriptions, for the API description. */
  readonly parameters: Readonly<Record<string, string>>
}

const isOn = () => true

/** Every grant with its parameters. The registration of clients lists them as `grantTypes`. */
export const grants: Readonly<Record<OAuthGrant, GrantType>> = {
  authorization_code: { grant: exchangeCode, isOn, parameters: codeParameters },
  refresh_token: { grant: refreshByToken, isOn, parameters: refreshParameters },
  [deviceGrant]: {
    grant: exchangeDeviceCode,
    isOn: ({ deviceFlow }) => deviceFlow !== undefined,
    parameters: deviceParameters,
  },
  [serviceGrant]: {
    grant: serve,
    isOn: ({ hasServices }) => hasServices,
    parameters: serviceParameters,
  },
}

/** The grants that are on, for the metadata. */
export function grantsOn(kit: AppsKit): readonly OAuthGrant[] {
  return grantTypes.filter((name) => grants[name].isOn(kit))
}
