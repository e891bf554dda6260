import { fileURLToPath } from 'node:url'
import {
  AuthConfigError,
  type KeyRing,
  type KeyStore,
  keyRing,
  type OAuthClient,
  type OAuthOptions,
  type PagesOptions,
  type TokenSigner,
} from 'messaging-auth-router'
import type { SqlOAuthStores } from 'messaging-auth-router/stores/sql'
import { encode } from 'uqr'
import { type EncryptionKeys, reasonOf, SettingError, type Settings } from './settings.js'
import type { ChatUser } from './users.js'

/**
 * The chat's own app for desktops, and for terminals without a browser. It listens on whichever
 * port it gets.
 */
const desktop: OAuthClient = {
  id: 'desktop',
  name: 'Chat Desktop',
  type: 'native',
  firstParty: true,
  redirectUris: ['http://127.0.0.1/callback'],
  grants: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  scopes: ['*', 'openid', 'profile', 'offline_access', 'messages:read'],
}

/** The chat's own page, which signs in as any app does. */
const chat: Omit<OAuthClient, 'redirectUris'> = {
  id: 'chat-page',
  name: 'Chat',
  type: 'web',
  firstParty: true,
  scopes: ['*', 'offline_access'],
}

/** An assistant on its user's device, which calls the tools at `/mcp`: see docs/agents.md. */
const assistant: Omit<OAuthClient, 'scopes'> = {
  id: 'assistant',
  name: 'Assistant',
  type: 'native',
  redirectUris: ['http://127.0.0.1/callback'],
}

/** How the pages look: see docs/pages.md. */
export const pages: PagesOptions = {
  brand: {
    name: 'Chat',
    logo: {
      file: fileURLToPath(new URL('../public/icon.svg', import.meta.url)),
      alt: '',
      width: 40,
      height: 40,
    },
    accent: '#3157d5',
  },
  texts: {
    en: { 'sign-in.title': 'Sign in to {service}', 'sign-in.lead': 'with your account here' },
    de: { 'sign-in.title': 'Bei {service} anmelden', 'sign-in.lead': 'mit Deinem Konto hier' },
  },
  qrCode: (text) => encode(text, { border: 0 }).data,
}

/** The address of the tools, as assistants write it: their tokens are for it alone. */
export const toolsUrl = (publicUrl: string): string => `${publicUrl}/mcp`

/** Lets apps sign their users in with their chat account: see docs/oauth.md. */
export function oauthOptions(
  { oauthClients, assistantHosts }: Pick<Settings, 'oauthClients' | 'assistantHosts'>,
  publicUrl: string,
  { idTokenAlgorithms = [] }: TokenSigner,
  { clients: registered, consents, once }: Pick<SqlOAuthStores, 'clients' | 'consents' | 'once'>,
): OAuthOptions {
  // A key of AUTH_SIGNING_KEY may be one that signs no ID Tokens.
  const scopes = desktop.scopes.filter(
    (scope) => scope !== 'openid' || idTokenAlgorithms.includes('ES256'),
  )
  const tools = toolsUrl(publicUrl)
  const onlyTools = { scopes: ['messages:read'], resources: [tools] }
  return {
    baseUrl: `${publicUrl}/api/v1`,
    clients: [
      { ...chat, redirectUris: [`${publicUrl}/`] },
      { ...desktop, scopes },
      { ...assistant, ...onlyTools },
      ...oauthClients,
    ],
    clientDocuments: { hosts: assistantHosts, ...onlyTools },
    // For assistants that know nothing else, such as mcp-remote and the inspector of MCP.
    registration: { clients: registered, hosts: assistantHosts, ...onlyTools },
    resources: {
      [tools]: {
        scopes: onlyTools.scopes,
        name: { en: 'Tools of the chat', de: 'Werkzeuge des Chats' },
      },
    },
    consents,
    once,
    // Apps sign their users out here, and are told when a session ends here. A key of
    // AUTH_SIGNING_KEY may sign no ID Tokens.
    logout: idTokenAlgorithms.length > 0,
    deviceFlow: true,
    scopes: { 'messages:read': { en: 'Read your messages', de: 'Deine Nachrichten lesen' } },
    claims: (user) => {
      const { email, emailVerified } = user as ChatUser
      return { email, email_verified: emailVerified }
    },
  }
}

/** Keys for apps that take RS256 alone, where there is such an app. */
export function keysForApps(
  { oauthClients }: Pick<Settings, 'oauthClients'>,
  store: KeyStore,
  { base64: encryptionKeys }: EncryptionKeys,
): { rs256?: KeyRing } {
  if (!oauthClients.some((client) => client?.idTokenAlgorithm === 'RS256')) return {}
  return { rs256: keyRing({ algorithm: 'RS256', store, encryptionKeys }) }
}

/** Makes the router, so that its refusal of what the environment says of apps names the setting. */
export function namingSettings<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    const option = error instanceof AuthConfigError ? error.option : ''
    if (!/^(oauth|pagesOrigin|passkeys|providers|directories)/.test(option)) throw error
    const setting = settingOf(option)
    throw new SettingError(`${setting}: ${reasonOf(error)}`)
  }
}

function settingOf(option: string): string {
  if (option.startsWith('providers')) return 'PROVIDERS'
  if (option.startsWith('directories')) return 'DIRECTORIES'
  if (/^oauth\.(clientDocuments|registration)/.test(option)) return 'ASSISTANT_HOSTS'
  return option.startsWith('oauth.clients') ? 'OAUTH_CLIENTS' : 'PUBLIC_URL'
}
