import { randomBytes } from 'node:crypto'
import { generateSigningKey, type SigningKey } from 'messaging-auth-router'

/** What the environment says. */
export interface Settings {
  readonly port: number
  readonly trustProxy: number | string[]
  readonly seedUsers: number
  readonly encryptionKey: string
  readonly signingKey: SigningKey
}

/** A setting that cannot be used. Its message is the one line that whoever starts the server needs to see. */
export class SettingError extends Error {}

/** Reads the environment. An empty variable counts as one that is not set. */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<Settings> {
  return {
    port: whole('PORT', env['PORT'] || '3000', 65_535),
    trustProxy: trustProxy(env['TRUST_PROXY'] || '0'),
    seedUsers: whole('SEED_USERS', env['SEED_USERS'] || '0', 100_000),
    // The users and sessions in memory end with this process, so keys that end with it too lose nothing more.
    encryptionKey: env['AUTH_ENCRYPTION_KEY'] || randomBytes(32).toString('base64'),
    signingKey: env['AUTH_SIGNING_KEY'] ? signingKey(env['AUTH_SIGNING_KEY']) : await generateSigningKey(),
  }
}

/** Runs what takes a setting's value, so that its refusal names the setting. */
export function withSetting<T>(name: string, use: () => T): T {
  try {
    return use()
  } catch (error) {
    throw new SettingError(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function whole(name: string, text: string, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number <= most) return number
  throw new SettingError(`${name}: must be a whole number from 0 to ${most}.`)
}

function trustProxy(text: string): number | string[] {
  if (text.toLowerCase() === 'true') {
    throw new SettingError(
      'TRUST_PROXY: true would let every client forge its own address. Give the number of proxies in front, or their addresses.',
    )
  }
  if (/^\d+$/.test(text)) return whole('TRUST_PROXY', text, 16)
  return text.split(',').map((part) => part.trim())
}

function signingKey(text: string): SigningKey {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message would quote the key.
    throw new SettingError('AUTH_SIGNING_KEY: is not JSON. Give the JWK that generateSigningKey() makes.')
  }
}
