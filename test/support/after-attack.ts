// What every attack must leave behind, whatever it tried: see afterAttack.
import { expect } from 'vitest'
import { post } from './client.js'
import { password, passwordHash, type TestHost } from './host.js'

/** As much of an answer as is judged here. */
export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** What must not stand in any answer: stacks, paths of the machine, drivers' errors. */
const internals = /\n\s+at |node_modules|\.js:\d+|<!DOCTYPE/i

/**
 * An answer of ours, as every one of them is: JSON that nobody keeps, no cookie, no name of a
 * product, no stack, no other origin let in.
 */
export function expectCommon({ status, headers, text }: Answered): void {
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  })
  const names = Object.keys(headers)
  expect(
    names.filter((name) =>
      /^(set-cookie|x-powered-by|server|location|access-control-.*)$/.test(name),
    ),
  ).toEqual([])
  expect(text).not.toMatch(internals)
  if (status >= 400)
    expect(JSON.parse(text)).toMatchObject({
      success: false,
      status: 'error',
      error: expect.any(String),
    })
  if (status === 429 || status === 503) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
}

/**
 * What an attack must leave behind: answers like any other, nothing that reached the host's error
 * handler, none of these secrets (nor anybody's password) in the log or the events, and a process
 * that serves the next login.
 */
export async function afterAttack(
  host: TestHost,
  answers: Answered | readonly Answered[],
  secrets: readonly string[] = [],
) {
  for (const answer of [answers].flat() as Answered[]) expectCommon(answer)
  expect(host.unforeseen).toEqual([])
  host.users.add({ id: 'u-next', username: 'next', passwordHash })
  const next = await post(host, '/login', { username: 'next', password })
  expect({ status: next.status, text: next.text }).toMatchObject({ status: 200 })
  expectNothingTold(host, [password, ...secrets])
}

/** None of these is in a log line or in an event. */
export function expectNothingTold(
  host: Pick<TestHost, 'log' | 'events'>,
  secrets: Iterable<string>,
): void {
  const told = JSON.stringify([host.log, host.events])
  for (const secret of secrets)
    expect(told.includes(secret), 'a secret was written down').toBe(false)
}
