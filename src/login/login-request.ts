import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { invalidRequest } from '../errors.js'
import type { JsonBody } from '../http/body.js'
import { singleHeader } from '../http/credentials.js'
import { parseInput } from '../http/input.js'
import { isWellFormed } from '../lib/well-formed.js'
import type { LoginIdentifier } from '../users/contract.js'

/** A login that is well-formed. Whether it is right is another matter. */
export interface LoginRequest {
  readonly identifier: LoginIdentifier
  /** As received: no trimming, no change of case, no normalization (ASVS V6.2.8). */
  readonly password: string
  readonly code: string | null
}

const kinds = ['email', 'username', 'user'] as const
const text = z.string().min(1).refine(isWellFormed, 'Invalid input: lone surrogates')
// Two spellings that look the same must not be two accounts, or one account with two counters: what NFKC would change is refused
// instead of being repaired, and so are control characters, which would forge log lines.
const identifier = text
  .max(320)
  .refine((value) => !/\p{Cc}/u.test(value), 'Invalid input: control characters')
  .refine((value) => value.normalize('NFKC') === value, 'Invalid input: not in Unicode form NFKC')

const schema = z.object({
  password: text,
  email: identifier.optional(),
  username: identifier.optional(),
  user: identifier.optional(),
  code: text.max(64).optional(),
})

/** Reads `POST /login`, wire §1. Throws 400 naming each field at fault; never looks at the URL. */
export function parseLoginRequest(body: JsonBody, incoming: IncomingMessage): LoginRequest {
  const named = kinds.filter((kind) => Object.hasOwn(body, kind))
  if (named.length !== 1) {
    throw invalidRequest([{ path: named.join(', '), message: 'Send exactly one of email, username, user.' }])
  }
  const header = singleHeader(incoming, 'x-2fa-code') ?? ''
  const input = parseInput(schema, header === '' || Object.hasOwn(body, 'code') ? body : { ...body, code: header })
  const kind = named[0] as LoginIdentifier['kind']
  return { identifier: { kind, value: input[kind] as string }, password: input.password, code: input.code ?? null }
}
