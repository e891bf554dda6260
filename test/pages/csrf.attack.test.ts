// Somebody else's page sends a form of ours, or one is sent again where it was not shown.

import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { AppsKit } from '../../src/oauth/apps-kit.js'
import { createCsrf, type FormBinding } from '../../src/pages/csrf.js'
import { manualClock } from '../../src/testing/testing.js'
import { kitOf } from '../support/kit-of.js'
import { binding, key, otherKey, request } from './flow-parts.js'

const origin = 'https://chat.example.com'
const form: FormBinding = { ...binding, page: 'consent', account: 'u-alice' }
const own = { 'sec-fetch-site': 'same-origin', origin }

function sent(headers: Record<string, string>): IncomingMessage {
  const rawHeaders = Object.entries(headers).flat()
  return { method: 'POST', headers, rawHeaders } as unknown as IncomingMessage
}

function csrfParts(encryptionKeys: readonly Buffer[] = [key]) {
  const clock = manualClock(new Date('2030-01-01T12:00:00Z'))
  const csrf = createCsrf(kitOf<AppsKit>({ encryptionKeys, baseUrl: new URL(origin), clock }))
  return { clock, csrf, token: csrf.tokenFor(form) as string }
}

describe('a form of ours', () => {
  it.each<[string, Record<string, string>]>([
    ['with Fetch Metadata', own],
    ['with Fetch Metadata alone', { 'sec-fetch-site': 'same-origin' }],
    ['of a browser that names its origin', { origin }],
    ['of one that names the page', { referer: `${origin}/api/v1/oauth/sign-in?${request}` }],
  ])('is taken: %s', (_name, headers) => {
    const { csrf, token } = csrfParts()
    expect(csrf.judge(sent(headers), token, form)).toBe('ours')
  })

  it.each<[string, Record<string, string>]>([
    ['of another site', { ...own, 'sec-fetch-site': 'cross-site' }],
    ['of a neighbour', { ...own, 'sec-fetch-site': 'same-site' }],
    ['of nobody’s page', { ...own, 'sec-fetch-site': 'none' }],
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port', { origin: `${origin}:8443` }],
    ['in the clear', { origin: 'http://chat.example.com' }],
    ['of a page without an origin', { origin: 'null' }],
    ['of a page that says nothing', {}],
    ['with the token, of a page elsewhere', { referer: 'https://evil.example/' }],
  ])('is refused: %s', (_name, headers) => {
    const { csrf, token } = csrfParts()
    expect(csrf.judge(sent(headers), token, form)).toBe('foreign')
  })

  it.each<[string, Partial<FormBinding>]>([
    ['in another browser', { browser: 'another' }],
    ['in one without a cookie', { browser: null }],
    ['on another page', { page: 'continue' }],
    ['for another request', { request: `${request}&scope=*` }],
    ['with what stands in one part put into another', { page: `consent${request}`, request: '' }],
  ])('is refused where it was not shown: %s', (_name, other) => {
    const { csrf, token } = csrfParts()
    expect(csrf.judge(sent(own), token, { ...form, ...other })).toBe('foreign')
  })

  it('has no token in a browser without a cookie, where everybody’s would be the same', () => {
    const { csrf } = csrfParts()
    expect(csrf.tokenFor({ ...form, browser: null })).toBeNull()
    expect(csrf.judge(sent(own), '', { ...form, browser: null })).toBe('foreign')
  })

  it.each(['', 'A', 'A'.repeat(43), 'A'.repeat(1_000_000), '\u0141'.repeat(43)])(
    'is refused with a token that is none, and no error',
    (wrong) => {
      const { csrf, token } = csrfParts()
      expect(csrf.judge(sent(own), wrong, form)).toBe('foreign')
      expect(csrf.judge(sent(own), `${token}A`, form)).toBe('foreign')
      expect(csrf.judge(sent(own), token.slice(0, -1), form)).toBe('foreign')
    },
  )

  it('is refused with each of its characters changed', () => {
    const { csrf, token } = csrfParts()
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A'
      const changed = token.slice(0, at) + other + token.slice(at + 1)
      expect(csrf.judge(sent(own), changed, form), `${at}`).toBe('foreign')
    }
  })

  it.each([
    [0, true],
    [0.399, true],
    [0.4, false],
    [3600, false],
    // By another clock nothing can be said.
    [-0.001, false],
  ])('that comes after %d s comes too soon: %s', (seconds, isTooSoon) => {
    const { csrf, clock, token } = csrfParts()
    clock.advance(seconds)
    expect(csrf.isTooSoon(token)).toBe(isTooSoon)
  })

  it('has a moment that nobody can change', () => {
    const { csrf, clock, token } = csrfParts()
    clock.advance(1)
    const moment = clock().getTime().toString(36)
    expect(csrf.judge(sent(own), token.replace(/^[^.]+/, moment), form)).toBe('foreign')
  })

  it.each([-3600, 3600, 30 * 24 * 3600])(
    'is taken %d s later: its age proves nothing',
    (seconds) => {
      const { csrf, clock, token } = csrfParts()
      clock.advance(seconds)
      expect(csrf.judge(sent(own), token, form)).toBe('ours')
    },
  )

  it.each<[string, string | null, string | null]>([
    ['somebody else has signed in', 'u-alice', 'u-bea'],
    ['somebody has signed in', null, 'u-alice'],
    ['she has signed out', 'u-alice', null],
  ])('is known as one that was shown before %s', (_what, before, now) => {
    const { csrf } = csrfParts()
    const token = csrf.tokenFor({ ...form, account: before }) as string
    expect(csrf.judge(sent(own), token, { ...form, account: before })).toBe('ours')
    expect(csrf.judge(sent(own), token, { ...form, account: now })).toBe('other-account')
    const mine = csrf.tokenFor({ ...form, account: now }) as string
    // Neither half of two tokens makes a third.
    const [moment, , proof] = token.split('.')
    const joined = `${moment}.${mine.split('.')[1]}.${proof}`
    expect(csrf.judge(sent(own), joined, { ...form, account: now })).toBe('foreign')
    // Nor does it say whose it is: in another browser the same account has another mark.
    const elsewhere = csrf.tokenFor({ ...form, account: before, browser: 'another' }) as string
    expect(elsewhere.split('.')[1]).not.toBe(token.split('.')[1])
  })

  it('is taken under every key that there is, and shown under the first', () => {
    const { csrf, token } = csrfParts([key])
    const rotated = csrfParts([otherKey, key])
    expect(rotated.csrf.judge(sent(own), token, form)).toBe('ours')
    expect(csrfParts([otherKey]).csrf.judge(sent(own), rotated.token, form)).toBe('ours')
    expect(csrf.judge(sent(own), rotated.token, form)).toBe('foreign')
  })
})
