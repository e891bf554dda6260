// Clients that the tests of OAuth share, and what the host has.
import type { GroundKit } from '../../src/kits/ground-kit.js'
import { createHostCall } from '../../src/lib/host-call.js'
import {
  type ClientFacts,
  type ClientSource,
  type Clients,
  createClients,
} from '../../src/oauth/clients.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { kitOf } from '../support/kit-of.js'

export const secretHash = `sha256:${'A'.repeat(43)}`

/** Every scope that there is. */
export const knownScopes: ReadonlySet<string> = new Set([
  '*',
  'openid',
  'profile',
  'email',
  'offline_access',
  'messages:read',
  'messages:write',
])

/** A server of the host's own. */
export const wiki: OAuthClient = {
  id: 'wiki',
  name: 'Team wiki',
  type: 'web',
  firstParty: true,
  redirectUris: ['https://wiki.example.com/oidc/callback', 'https://wiki.example.com/cb?tenant=a'],
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  secretHashes: [secretHash],
}

/** An app of the host's own. */
export const desktop: OAuthClient = {
  id: 'desktop',
  name: 'Chat Desktop',
  type: 'native',
  firstParty: true,
  redirectUris: [
    'http://127.0.0.1/callback',
    'com.example.chat:/callback',
    'https://app.example.com/callback',
  ],
  scopes: ['*', 'openid', 'profile', 'offline_access'],
  defaultScopes: ['openid', 'profile'],
}

/** A server of somebody else's. */
export const tracker: OAuthClient = {
  id: 'tracker',
  name: 'Tracker',
  type: 'web',
  redirectUris: ['https://tracker.example.net/callback'],
  scopes: ['openid', 'messages:read', 'offline_access'],
  secretHashes: [secretHash],
  resources: ['https://search.example.com/', 'https://chat.example.com/api'],
}

/** An app of somebody else's. */
export const bridge: OAuthClient = {
  id: 'bridge',
  name: 'Bridge',
  type: 'native',
  redirectUris: [
    'http://localhost/callback',
    'net.example.bridge:/cb',
    'https://bridge.example.net/cb',
  ],
  scopes: ['openid', 'messages:read'],
}

export const ownResource = 'https://chat.example.com/api'

/** A register with the parts that a test names. */
export function registerOf(
  clients: ClientSource,
  parts: Partial<ClientFacts & Pick<GroundKit, 'clock' | 'warnOnce' | 'call'>> = {},
): Clients {
  const {
    clock = () => new Date(0),
    warnOnce = () => {},
    call = createHostCall(60_000, () => {}),
  } = parts
  const { idTokenAlgorithms = ['ES256', 'RS256'] } = parts
  const facts = {
    knownScopes,
    ownResource: parts.ownResource ?? ownResource,
    ownAddress: 'https://chat.example.com/api/v1',
    webOnLoopback: false,
    idTokenAlgorithms,
  }
  const kit = kitOf<GroundKit>({ clock, warnOnce, call })
  return createClients(kit, facts, clients, undefined)
}
