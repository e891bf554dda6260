import { unescape as decoded } from 'node:querystring'
import { fileURLToPath } from 'node:url'
import express from 'express'
import type { OAuthClient, SigningKey } from 'messaging-auth-router'
import type { LdapDirectoryOptions } from 'messaging-auth-router/directories'
import type { OpenIdProviderOptions } from 'messaging-auth-router/providers'

/** What the environment says. */
export interface Settings {
  readonly port: number
  /** The origin that browsers and apps use. Null: `http://localhost:<port>`. */
  readonly publicUrl: string | null
  /** The apps that may sign their users in here, besides those of `oauth.ts`. */
  readonly oauthClients: readonly OAuthClient[]
  /** Hosts of assistants that nobody registered. */
  readonly assistantHosts: readonly string[]
  /** Where users have accounts that they may sign in with here. */
  readonly providers: readonly OpenIdProviderOptions[]
  /** The directories whose people may sign in here. */
  readonly directories: readonly LdapDirectoryOptions[]
  readonly trustProxy: number | string[]
  readonly seedUsers: number
  readonly databaseUrl: string
  readonly redisUrl: string | null
  /**
   * The first seals, all open. Null: what is in `encryptionKeyFile`, which is made when it is not
   * there.
   */
  readonly encryptionKeys: EncryptionKeys | null
  readonly encryptionKeyFile: string
  /** Null: those in the database. */
  readonly signingKey: SigningKey | null
  /** The names of the users who must have a second factor; `everybody` stands for all of them. */
  readonly mustHaveSecondFactor: ReadonlySet<string>
  /** Where mail goes: to the terminal, or nowhere, and then no user can ask for any. */
  readonly mail: 'console' | 'off'
  /** Who may make an account; null: nobody. Its code comes by mail. */
  readonly registration: 'open' | 'invited' | null
  /** The countries whose mobile numbers get text messages; none: nobody has a number. */
  readonly phoneCountries: readonly string[]
  /** What whoever reads `/metrics` must show; null: there is no such page. */
  readonly metricsToken: string | null
}

/** Keys that seal what the database must not hold in clear, and the variable that they are from. */
export interface EncryptionKeys {
  readonly setting: string
  readonly base64: readonly string[]
}

/**
 * A setting that cannot be used. Its message is the one line that whoever starts the server needs
 * to see.
 */
export class SettingError extends Error {}

/**
 * The package's own folder, which relative paths start from, whatever folder the server is started
 * in.
 */
export const root: string = fileURLToPath(new URL('../..', import.meta.url))

/** Reads the environment. An empty variable counts as one that is not set. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  return {
    port: whole('PORT', env['PORT'] || '3000', 65_535),
    publicUrl: env['PUBLIC_URL'] ? publicUrl(env['PUBLIC_URL']) : null,
    oauthClients: jsonArray('OAUTH_CLIENTS', env, 'clients'),
    assistantHosts: assistantHosts(env['ASSISTANT_HOSTS']),
    providers: jsonArray('PROVIDERS', env, 'providers'),
    directories: jsonArray('DIRECTORIES', env, 'directories'),
    trustProxy: trustProxy(env['TRUST_PROXY'] || '0'),
    seedUsers: whole('SEED_USERS', env['SEED_USERS'] || '0', 100_000),
    databaseUrl: databaseUrl(env['DATABASE_URL'] || 'sqlite:example-app/data/example.db'),
    redisUrl: env['REDIS_URL'] ? redisUrl(env['REDIS_URL']) : null,
    encryptionKeys: encryptionKeys(env),
    encryptionKeyFile: env['AUTH_ENCRYPTION_KEY_FILE'] || 'example-app/data/encryption.key',
    signingKey: env['AUTH_SIGNING_KEY'] ? signingKey(env['AUTH_SIGNING_KEY']) : null,
    mustHaveSecondFactor: new Set(list(env['SECOND_FACTOR_REQUIRED'] || '')),
    mail: mail(env['MAIL'] || 'console'),
    registration: registration(env['REGISTRATION'] || null),
    phoneCountries: list(env['PHONES']),
    metricsToken: env['METRICS_TOKEN'] ? metricsToken(env['METRICS_TOKEN']) : null,
  }
}

/** Runs what takes a setting's value, so that its refusal names the setting. */
export function withSetting<T>(name: string, use: () => T): T {
  try {
    return use()
  } catch (error) {
    throw new SettingError(`${name}: ${reasonOf(error)}`)
  }
}

/**
 * The same for servers that URLs name: says what is wrong in one line, and nothing of the URLs'
 * passwords.
 */
export async function withServer<T>(
  name: string,
  urls: readonly string[],
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use()
  } catch (error) {
    // The longest first: one password may begin with the other, and the rest of it must not stay.
    const passwords = urls.flatMap(passwordsIn).sort((one, other) => other.length - one.length)
    const reason = passwords.reduce(
      (text, secret) => text.replaceAll(secret, '***'),
      reasonOf(error),
    )
    throw new SettingError(`${name}: cannot be used (${reason}).`)
  }
}

// As it is written and as it is meant. Unlike `decodeURIComponent`, this takes a bare %, which URLs
// may hold.
function passwordsIn(url: string): string[] {
  const password = URL.canParse(url) ? new URL(url).password : ''
  return [password, decoded(password)].filter((text) => text !== '')
}

/**
 * What went wrong, in one line. A host with several addresses fails with an error for each, and an
 * empty message for all of them.
 */
export function reasonOf(error: unknown): string {
  const { message, code, errors } = error as {
    message?: string
    code?: string
    errors?: readonly unknown[]
  }
  const reason = message || (errors?.length ? reasonOf(errors[0]) : code) || String(error)
  return reason.replaceAll(/\s+/g, ' ')
}

function databaseUrl(text: string): string {
  // After two slashes comes a host, and a file has none.
  if (
    /^sqlite:(?!\/\/[^/])./.test(text) ||
    (/^(postgres|postgresql|mysql):\/\//.test(text) && URL.canParse(text))
  )
    return text
  throw new SettingError(
    'DATABASE_URL: is none of sqlite:<file>, postgres://<user>:<password>@<host>/<database> and ' +
      'mysql://<user>:<password>@<host>/<database>. In a password, write special characters as ' +
      'in URLs (%23 for #).',
  )
}

function redisUrl(text: string): string {
  if (/^rediss?:\/\//.test(text) && URL.canParse(text)) return text
  throw new SettingError(
    'REDIS_URL: is not redis://<host>:<port>/<number of the database>. Leave it out to do ' +
      'without Redis.',
  )
}

function whole(name: string, text: string, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number <= most) return number
  throw new SettingError(`${name}: must be a whole number from 0 to ${most}.`)
}

// Byte for byte as browsers write it: apps compare it as text.
function publicUrl(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text
  throw new SettingError(
    'PUBLIC_URL: is not an origin, such as https://chat.example.com, without a slash at its end.',
  )
}

// The parser's own message would quote secrets of the list.
function jsonArray<T>(name: string, env: NodeJS.ProcessEnv, what: string): T[] {
  try {
    const items = JSON.parse(env[name] || '[]')
    if (Array.isArray(items)) return items
  } catch {}
  throw new SettingError(`${name}: is not a JSON array of ${what}.`)
}

function trustProxy(text: string): number | string[] {
  if (text.toLowerCase() === 'true') {
    throw new SettingError(
      'TRUST_PROXY: true would let every client forge its own address. Give the number of ' +
        'proxies in front, or their addresses.',
    )
  }
  if (/^\d+$/.test(text)) return whole('TRUST_PROXY', text, 16)
  const addresses = list(text)
  // Express alone knows what it takes. Asked here, it refuses before anything is started.
  withSetting('TRUST_PROXY', () => express().set('trust proxy', addresses))
  return addresses
}

function assistantHosts(text: string | undefined): string[] {
  return text ? list(text) : []
}

function encryptionKeys(env: NodeJS.ProcessEnv): EncryptionKeys | null {
  const setting = 'AUTH_ENCRYPTION_KEYS'
  return env[setting] ? { setting, base64: list(env[setting]) } : null
}

function mail(text: string): 'console' | 'off' {
  if (text === 'console' || text === 'off') return text
  throw new SettingError('MAIL: is neither console nor off.')
}

function registration(text: string | null): Settings['registration'] {
  if (text === null || text === 'open' || text === 'invited') return text
  throw new SettingError('REGISTRATION: is neither open nor invited.')
}

function metricsToken(text: string): string {
  if (/^[\w.~+/-]{16,}=*$/.test(text)) return text
  throw new SettingError('METRICS_TOKEN: is not 16 or more letters, digits and . _ ~ + / -')
}

function list(text = ''): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

function signingKey(text: string): SigningKey {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message would quote the key.
    throw new SettingError(
      'AUTH_SIGNING_KEY: is not JSON. Give the JWK that generateSigningKey() makes.',
    )
  }
}
