// Chat servers in processes of their own, and a client that talks to them.
import { createHash, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { generateSigningKey } from '../../src/index.js'
import { encryptionKey, password, passwordHash } from '../support/host.js'
import { type Child, startChild } from './child.js'

/** What a chat server keeps its sign-ins in. */
export type DatabaseName = 'sqlite' | 'postgres' | 'mariadb' | 'redis'

/** The database of a chat server. */
export interface ChatDatabase {
  readonly kind: DatabaseName
  /** A path for SQLite. */
  readonly url: string
  /** The most connections. Default 10. */
  readonly connections?: number
  /** For each connection to PostgreSQL. */
  readonly postgresOptions?: string
}

/** A running chat server. */
export interface Chat {
  readonly child: Child
  readonly url: string
}

/** An answer, or what came instead of one. */
export interface Reply {
  /** 0: none came. */
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server answers
  readonly body: any
  readonly retryAfter: string | null
  readonly milliseconds: number
}

const program = fileURLToPath(new URL('chat-process.mjs', import.meta.url))
const signingKey = JSON.stringify(await generateSigningKey())

/** Starts a chat server; all of a test file trust each other's tokens. */
export async function startChat({
  kind,
  url,
  connections = 10,
  postgresOptions = '',
}: ChatDatabase): Promise<Chat> {
  const env = {
    DATABASE_KIND: kind,
    DATABASE_URL: url,
    POOL_SIZE: String(connections),
    POSTGRES_OPTIONS: postgresOptions,
    SIGNING_KEY: signingKey,
    ENCRYPTION_KEY: encryptionKey,
    PASSWORD_HASH: passwordHash,
  }
  const child = startChild(process.execPath, [program], { env })
  const port = await Promise.race([
    new Promise<number>((resolve) => {
      child.process.stdout?.once('data', (line: Buffer) => resolve(JSON.parse(String(line)).port))
    }),
    child.ended.then((how) => {
      throw new Error(`a chat server ended with ${how}: ${child.complaints()}`)
    }),
  ])
  return { child, url: `http://127.0.0.1:${port}/api/v1` }
}

async function send(
  chat: Chat,
  method: 'GET' | 'POST',
  path: string,
  token: string | null,
  body?: object,
): Promise<Reply> {
  const from = performance.now()
  const headers = {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const request = {
    method,
    headers,
    signal: AbortSignal.timeout(10_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
  try {
    const response = await fetch(`${chat.url}${path}`, request)
    const answer = await response.json()
    const retryAfter = response.headers.get('retry-after')
    return {
      status: response.status,
      body: answer,
      retryAfter,
      milliseconds: performance.now() - from,
    }
  } catch (error) {
    return {
      status: 0,
      body: String(error),
      retryAfter: null,
      milliseconds: performance.now() - from,
    }
  }
}

/** What a client asks for. Each answers whatever came. */
export const ask = {
  login: (chat: Chat, username: string, code?: string) =>
    send(chat, 'POST', '/login', null, {
      username,
      password,
      ...(code === undefined ? {} : { code }),
    }),
  rooms: (chat: Chat, token: string) => send(chat, 'GET', '/rooms', token),
  logout: (chat: Chat, token: string) => send(chat, 'POST', '/logout', token),
  authorize: (chat: Chat, token: string, codeChallenge: string) =>
    send(chat, 'POST', '/auth/pkce/authorize', token, { codeChallenge }),
  exchange: (chat: Chat, code: Code) => send(chat, 'POST', '/auth/pkce/token', null, code),
  refresh: (chat: Chat, refreshToken: string) =>
    send(chat, 'POST', '/auth/refresh', null, { refreshToken }),
}

/** A code that nobody has exchanged yet. */
export interface Code {
  readonly authorizationCode: string
  readonly codeVerifier: string
}

/** The tokens of an exchange or a refresh. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** The answer's body, where anything but 200 would spoil the test's preparation. */
export async function ok(asked: Promise<Reply>): Promise<Reply['body']> {
  const reply = await asked
  if (reply.status !== 200)
    throw new Error(`answered ${reply.status}: ${JSON.stringify(reply.body)}`)
  return reply.body
}

/** Logs a user in. */
export async function logIn(chat: Chat, username: string): Promise<string> {
  return (await ok(ask.login(chat, username))).data.authToken
}

/** Logs a user in and obtains a code. */
export async function obtainCode(chat: Chat, username: string): Promise<Code> {
  const codeVerifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const { data } = await ok(ask.authorize(chat, await logIn(chat, username), challenge))
  return { authorizationCode: data.authorizationCode, codeVerifier }
}

/** Logs a user in and exchanges a code. */
export async function obtainTokens(chat: Chat, username: string): Promise<Tokens> {
  return ok(ask.exchange(chat, await obtainCode(chat, username)))
}
