// The eye that is kept on every answer: each kind of difference is seen.
import { describe, expect, it } from 'vitest'
import { type Answered, faultsOf } from '../support/described.js'

const headers = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-request-id': '7f3c',
}
const me = { success: true, _id: 'u', name: 'A', username: 'a', status: 'online' }
const status = { status: 'success', data: { enabled: true, recoveryCodesLeft: 3 } }
const refusal = { success: false, status: 'error', error: 'forbidden', message: 'No.' }

function answered(body: object | string, change: Partial<Answered> = {}): Answered {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { method: 'GET', route: '/auth/totp', status: 200, headers, text, ...change }
}

describe('an answer', () => {
  it('is as described', () => {
    expect(faultsOf(answered(status))).toEqual([])
    expect(faultsOf(answered(refusal, { status: 403 }))).toEqual([])
    const allowed = { ...headers, allow: 'GET, HEAD, POST' }
    const other = { method: 'PUT', status: 405, headers: allowed }
    expect(faultsOf(answered(refusal, other))).toEqual([])
  })

  it('may hold what the host adds only where the description says so', () => {
    expect(faultsOf(answered({ ...me, team: 'x' }, { route: '/me' }))).toEqual([])
    expect(faultsOf(answered({ ...status, team: 'x' }))).toHaveLength(1)
  })

  const differences: Readonly<Record<string, Answered>> = {
    'a path': answered(status, { route: '/auth/other' }),
    'a method': answered(status, { method: 'DELETE' }),
    'a status': answered(refusal, { status: 404 }),
    'a header': answered(status, { headers: { ...headers, etag: 'x' } }),
    'a missing header': answered(status, {
      headers: { ...headers, 'cache-control': undefined } as never,
    }),
    'the value of a header': answered(status, { headers: { ...headers, 'cache-control': 'x' } }),
    'a type': answered(status, { headers: { ...headers, 'content-type': 'text/plain' } }),
    'a field': answered({ ...status, data: { ...status.data, secret: 'x' } }),
    'a missing field': answered({ ...status, data: { enabled: true } }),
    'the type of a field': answered({ ...status, data: { ...status.data, enabled: 'yes' } }),
    'a constant': answered({ ...status, status: 'ok' }),
    'the name of a refusal': answered({ ...refusal, error: 'not-found' }, { status: 403 }),
    'details of a refusal': answered({ ...refusal, details: { scope: 'x' } }, { status: 403 }),
    'the methods of a path': answered(refusal, {
      method: 'PUT',
      status: 405,
      headers: { ...headers, allow: 'GET, HEAD' },
    }),
    'a body where there is none': answered('<p>', {
      method: 'POST',
      route: '/auth/browser-session',
      status: 204,
    }),
  }
  it.each(Object.entries(differences))('is seen to differ by %s', (_what, one) => {
    expect(faultsOf(one)).not.toEqual([])
  })
})
