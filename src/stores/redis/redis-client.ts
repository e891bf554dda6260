import { z } from 'zod'
import { AuthConfigError } from '../../errors.js'
import { fitting } from '../../lib/check-options.js'

/** The members that are used of a client of node-redis (`createClient`, `createCluster`). */
export interface NodeRedisClient {
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  publish(channel: string, message: string): Promise<unknown>
  duplicate(): NodeRedisSubscriber
}

/** The members that are used of a connection of node-redis that only listens. */
export interface NodeRedisSubscriber {
  on(event: 'error', listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  destroy(): void
}

/** The members that are used of a client of ioredis (`Redis`, `Cluster`). */
export interface IoredisClient {
  evalsha(sha: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  publish(channel: string, message: string): Promise<unknown>
  duplicate(): IoredisSubscriber
}

/** The members that are used of a connection of ioredis that only listens. */
export interface IoredisSubscriber {
  readonly status: string
  on(event: string, listener: (...values: unknown[]) => void): unknown
  connect(): Promise<unknown>
  subscribe(channel: string): Promise<unknown>
  disconnect(): void
}

/** The host's connected client: of node-redis or ioredis, for one server or a cluster. */
export type RedisClient = NodeRedisClient | IoredisClient

/** The client, by the library it comes from. */
export type KnownClient =
  | { readonly kind: 'node-redis'; readonly client: NodeRedisClient }
  | { readonly kind: 'ioredis'; readonly client: IoredisClient }

/**
 * Tells the libraries apart by how they spell EVALSHA. Throws AuthConfigError for anything else.
 */
export function checkClient(factory: string, client: RedisClient): KnownClient {
  if (has(client, 'evalSha', 'eval', 'publish', 'duplicate'))
    return { kind: 'node-redis', client: client as NodeRedisClient }
  if (has(client, 'evalsha', 'eval', 'publish', 'duplicate'))
    return { kind: 'ioredis', client: client as IoredisClient }
  throw new AuthConfigError(
    `${factory}.client`,
    'is neither a client of redis (node-redis) nor one of ioredis.',
    'pass what createClient() or createCluster() of redis 5.9 or later, or new Redis() or new ' +
      'Cluster() of ioredis 5 or 6 returned.',
  )
}

/**
 * A prefix or channel. Braces would change which part of a key Redis Cluster hashes, and the rest
 * is what tools can show.
 */
export function nameOption(): z.ZodType<string> {
  const isName = (value: unknown) => typeof value === 'string' && /^[\w:.-]{1,64}$/.test(value)
  return fitting(isName, 'is not 1 to 64 of the characters A-Z, a-z, 0-9 and _ : . -')
}

function has(client: unknown, ...methods: string[]): boolean {
  if (client === null || (typeof client !== 'object' && typeof client !== 'function')) return false
  return methods.every(
    (method) => typeof (client as Record<string, unknown>)[method] === 'function',
  )
}

/** How many scripts are sent before their answers are awaited. */
const chunk = 100

/**
 * Asks for each of the items. Commands that are sent without awaiting one another travel together;
 * a chunk at a time, so that nobody else waits long.
 */
export async function inChunks<T, Answer>(
  items: readonly T[],
  ask: (item: T) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let from = 0; from < items.length; from += chunk) {
    answers.push(...(await Promise.all(items.slice(from, from + chunk).map(ask))))
  }
  return answers
}

const milliseconds = z.int().min(-8.64e15).max(8.64e15)
/** Milliseconds since the epoch, in JSON. */
export const moment: z.ZodType<Date, number> = milliseconds.transform((value) => new Date(value))

/** Milliseconds since the epoch, as the digits that a field of a hash holds. */
export const momentDigits: z.ZodType<Date> = z
  .string()
  .regex(/^-?\d{1,16}$/)
  .transform(Number)
  .pipe(moment)

/** A whole number, as the digits that a field of a hash holds. */
export const integerDigits: z.ZodType<number> = z
  .string()
  .regex(/^-?\d{1,16}$/)
  .transform(Number)

/** A reason: any text, since a newer release may have written one that is not known here. */
export const word: z.ZodType<string> = z.string()

/** Text that holds JSON of this shape. */
export function json<T>(shape: z.ZodType<T>): z.ZodType<T> {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue('is no JSON')
        return z.NEVER
      }
    })
    .pipe(shape)
}

/**
 * The answer of Redis, if it has the form of stored data; never a half record. The values at fault
 * are not in the message.
 */
export function readReply<T>(shape: z.ZodType<T>, reply: unknown, what: string): T {
  const result = shape.safeParse(reply)
  if (result.success) return result.data
  const path = result.error.issues[0]?.path.join('.')
  throw new Error(
    `redisStores: ${what} is not in the form it is stored in; look at ` +
      `${path === '' ? 'the whole' : path}`,
  )
}

/** The JSON of a row. Rejects one that could not be read again, before it is written. */
export function rowText<T>(shape: z.ZodType<T>, row: object, what: string): string {
  const text = JSON.stringify(row)
  readReply(shape, text, what)
  return text
}
