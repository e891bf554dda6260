import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { type Audit, noRequest } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import type { JsonBody } from '../http/body.js'
import { singleHeader } from '../http/credentials.js'
import { parseInput } from '../http/input.js'
import { withAsciiDomain } from '../lib/addresses.js'
import type { Soon } from '../lib/async.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { deriveKey, hmacSha256 } from '../lib/secrets.js'
import { isWellFormed } from '../lib/texts.js'
import type { ShownPassword } from '../passwords/contract.js'
import { type SignInTokens, tokensSchema } from '../sessions/sign-in-options.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import { type AssertionResponse, assertionSchema } from '../two-factor/passkey-response.js'
import { type AskedRemember, rememberIn, rememberShape } from '../two-factor/remembered-browser.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'

/** A well-formed login. */
export interface LoginRequest {
  readonly identifier: LoginIdentifier
  /** As received: not trimmed, no change of case (ASVS V6.2.8). */
  readonly password: ShownPassword
  readonly code: string | null
  /** A passkey instead of a code. */
  readonly passkey: AssertionResponse | null
  /** A browser in which the user is not asked for the second factor, or wishes so. */
  readonly browser: AskedRemember
}

const kinds = ['email', 'username', 'user'] as const

/** Whether a body names a user. */
export function hasIdentifier(body: JsonBody): boolean {
  return kinds.some((kind) => Object.hasOwn(body, kind))
}

const text = z.string().min(1).refine(isWellFormed, 'Invalid input: lone surrogates')
// `abort`, because zod would continue with the next check, and normalising many combining marks
// takes quadratic time. Two spellings that look the same must be neither two accounts nor one
// account with two counters, so a value that NFKC would change is refused, not repaired. Control
// characters could forge log lines.
export const identifierText: z.ZodString = text
  .max(320, { abort: true })
  // Keyboards and clipboards put blanks around a name.
  .trim()
  .min(1)
  .refine((value) => !/\p{Cc}/u.test(value), 'Invalid input: control characters')
  .refine((value) => value.normalize('NFKC') === value, 'Invalid input: not in Unicode form NFKC')

type Text = z.ZodString
const schema: z.ZodObject<
  {
    password: Text
    email: z.ZodOptional<Text>
    username: z.ZodOptional<Text>
    user: z.ZodOptional<Text>
    code: z.ZodOptional<Text>
    passkey: z.ZodOptional<typeof assertionSchema>
  } & typeof rememberShape
> = z.object({
  password: text,
  email: identifierText.optional(),
  username: identifierText.optional(),
  user: identifierText.optional(),
  code: text.max(64).optional(),
  passkey: assertionSchema.optional(),
  ...rememberShape,
})

/** The body of `POST /login`. That it has exactly one of the three names is checked separately. */
export const loginBody: z.ZodObject<(typeof schema)['shape'] & { tokens: typeof tokensSchema }> =
  schema.extend({ tokens: tokensSchema })

/** Reads the body of `POST /login`. Throws 400 naming each field at fault. */
export function parseLoginRequest(
  body: JsonBody,
  codeHeader: () => string,
): LoginRequest & { readonly tokens: SignInTokens } {
  const { kind, input } = parse(loginBody, body, codeHeader)
  return { ...asLogin(kind, input), tokens: input.tokens }
}

/** The body of a request that only names a user: exactly one of the three names. */
export const identifierBody: z.ZodObject<Pick<(typeof schema)['shape'], (typeof kinds)[number]>> =
  schema.pick({ email: true, username: true, user: true })

/** Reads a name without a password. Throws 400 naming each field at fault. */
export function parseIdentifier(body: JsonBody): LoginIdentifier {
  const kind = kindIn(body)
  return { kind, value: parseInput(identifierBody, body)[kind] as string }
}

/**
 * Reads credentials that a host passes on, often the whole body of its own request. Only the host's
 * options, never the credentials, choose the tokens and whether the password is a digest. Throws
 * 400 naming each field at fault, 413.
 */
export function parseCredentials(given: unknown, isDigest = false): LoginRequest {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidRequest([{ path: '', message: 'Invalid input: expected an object' }])
  const { kind, input } = parse(schema, given as JsonBody, () => '')
  const login = asLogin(kind, input)
  return isDigest ? { ...login, password: asDigest(input.password) } : login
}

/**
 * Reads credentials from a form. Forms send every field, so an empty optional field counts as
 * absent.
 */
export function parseFormCredentials(given: unknown): LoginRequest {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return parseCredentials(given)
  const filled = Object.entries(given).filter(([name, value]) => !isOptional(name) || value !== '')
  return parseCredentials(Object.fromEntries(filled))
}

const isOptional = (name: string) => name === 'code' || name === 'passkey'

/** The code from a header; empty without one. Throws 400. */
export function readCodeHeader(incoming: IncomingMessage): string {
  return singleHeader(incoming, 'x-2fa-code') ?? ''
}

type Input = z.output<typeof schema>

// Never reads the URL.
function parse<Schema extends typeof schema | typeof loginBody>(
  by: Schema,
  body: JsonBody,
  codeHeader: () => string,
) {
  const kind = kindIn(body)
  const header = codeHeader()
  const input = parseInput(by, body, header === '' ? {} : { code: header })
  if (input.code !== undefined && input.passkey !== undefined)
    throw invalidRequest([{ path: 'code, passkey', message: 'Send one of them.' }])
  return { kind, input: input as z.output<Schema> }
}

function kindIn(body: JsonBody): (typeof kinds)[number] {
  const named = kinds.filter((kind) => Object.hasOwn(body, kind))
  const [kind] = named
  if (kind !== undefined && named.length === 1) return kind
  throw invalidRequest([
    { path: named.join(', '), message: 'Send exactly one of email, username, user.' },
  ])
}

function asLogin(kind: (typeof kinds)[number], input: Input): LoginRequest {
  return {
    identifier: { kind, value: input[kind] as string },
    password: input.password,
    code: input.code ?? null,
    passkey: input.passkey ?? null,
    browser: rememberIn(input),
  }
}

function asDigest(password: string): ShownPassword {
  if (/^[\da-f]{64}$/i.test(password))
    return { digest: password.toLowerCase(), algorithm: 'sha-256' }
  throw invalidRequest([{ path: 'password', message: 'Invalid input: expected a digest' }])
}

/**
 * Replaces the default canonical form of identifiers. Receives a checked identifier, returns the
 * value to look up.
 */
export type CanonicalIdentifier = (identifier: LoginIdentifier) => string | Promise<string>

/**
 * The default: e-mail addresses and user names in lower case and Unicode form NFKC; `user` as
 * typed, since it may be a case-sensitive id. The domain of an address is in ASCII in both.
 * @internal
 */
export function lowerCaseNames({ kind, value }: LoginIdentifier): string {
  if (kind === 'username') return inLowerCase(value)
  return kind === 'user' ? withAsciiDomain(value) : folded(value)
}

/**
 * Returns the function that makes identifiers canonical: the host's, or the default. Blanks at
 * either end do not count. Rejects with 503 if the host's function fails, and with 400 for nothing
 * but blanks. `numberIn` reads a mobile number, which is its own canonical form, of the kind
 * `user`: a field for names takes it, too.
 */
export function createCanonical(
  ofHost: CanonicalIdentifier | undefined,
  call: HostCall,
  numberIn?: (typed: string) => Promise<string | null>,
): (identifier: LoginIdentifier) => Soon<LoginIdentifier> {
  const ofName = canonicalNames(ofHost, call)
  if (numberIn === undefined) return ofName
  return async function canonicalWithNumbers(identifier) {
    const number = identifier.kind === 'email' ? null : await numberIn(identifier.value)
    return number === null ? ofName(identifier) : { kind: 'user', value: number }
  }
}

function canonicalNames(
  ofHost: CanonicalIdentifier | undefined,
  call: HostCall,
): (identifier: LoginIdentifier) => Soon<LoginIdentifier> {
  if (ofHost === undefined) {
    return function canonical(identifier) {
      return { kind: identifier.kind, value: lowerCaseNames(trimmed(identifier)) }
    }
  }
  return async function canonicalByHost(identifier) {
    const typed = trimmed(identifier)
    const value = typed.kind === 'email' ? withAsciiDomain(typed.value) : typed.value
    const found = await call('canonicalIdentifier', async () =>
      nonEmptyText(await ofHost({ ...typed, value })),
    )
    return { kind: identifier.kind, value: found }
  }
}

// Some databases ignore trailing blanks: one account would have a counter for each spelling.
function trimmed({ kind, value }: LoginIdentifier): LoginIdentifier {
  const name = value.trim()
  if (name !== '') return { kind, value: name }
  throw invalidRequest([{ path: kind, message: 'Invalid input: nothing but blanks' }])
}

function nonEmptyText(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new UnexpectedAnswer('the answer is not a non-empty string')
}

/**
 * Keyed if the host has an encryption key, because an unknown identifier is often a mistyped
 * password. Processes with the same key share their counts.
 */
export function identifierDigests(encryptionKeys: readonly Buffer[]): DigestIdentifier {
  const key = deriveKey('identifier', encryptionKeys[0])
  return function digestIdentifier({ kind, value }) {
    return {
      name: hmacSha256(key, folded(value)),
      typed: hmacSha256(key, JSON.stringify([kind, value])),
    }
  }
}

/**
 * The text in lower case and NFKC. Lower-casing can break NFKC: W with a ring is two characters, w
 * with a ring is one.
 */
function inLowerCase(value: string): string {
  return value.toLowerCase().normalize('NFKC')
}

/** An address in lower case and NFKC, with its domain in ASCII. */
function folded(value: string): string {
  const lower = value.toLowerCase()
  return /\P{ASCII}/u.test(lower) ? withAsciiDomain(lower.normalize('NFKC')) : lower
}

/**
 * A database may compare names more loosely than by case, as MySQL does by default. It then finds
 * one user by many names, each with its own failure count. So a user found by a name other than
 * their own counts as not found; the audit stream reports it once.
 */
export function withExactNames(users: UserStore, audit: Audit): UserStore {
  let isReported = false
  return {
    ...users,
    findByIdentifier: (identifier) =>
      users.findByIdentifier(identifier).then((user) => {
        const { kind, value } = identifier
        if (user === null || kind !== 'username' || goesBy(user, value)) return user
        if (!isReported) audit({ type: 'user.mismatched', userId: user.id }, noRequest)
        isReported = true
        return null
      }),
  }
}

/** Characters. NFKC of a long name is slow, and no real name is this long. */
const maxNameChars = 2000

function goesBy({ username }: AuthUser, value: string): boolean {
  return (
    username.length <= maxNameChars && [value, inLowerCase(value)].includes(inLowerCase(username))
  )
}
