import { describe, expect, it } from 'vitest'
import { idTokenClaims } from '../../src/oauth/issue-tokens.js'
import type { SessionRecord } from '../../src/stores/contract.js'
import { moments, newSession } from '../../src/stores/new-records.js'

const at = moments()
const claimsFor = (change: Partial<SessionRecord>, clientId = 'wiki') =>
  idTokenClaims({
    session: newSession(at, change),
    clientId,
    accessToken: 'an.access.token',
    acr: 'urn:mar:1fa',
    nonce: null,
    claims: {},
    now: at(0),
  })

describe('the ID token of a sign-in', () => {
  it.each([
    [['pwd'], ['pwd']],
    [
      ['pwd', 'otp'],
      ['pwd', 'otp', 'mfa'],
    ],
    [
      ['pwd', 'recovery'],
      ['pwd', 'otp', 'mfa'],
    ],
    [
      ['host', 'mfa', 'hwk'],
      ['mfa', 'pop', 'hwk'],
    ],
    [
      ['host', 'swk'],
      ['pop', 'swk'],
    ],
    [['host'], undefined],
    [['a-method-of-a-later-release', 'pwd'], ['pwd']],
  ])('by %j has the amr %j', (methods, amr) => {
    expect(claimsFor({ methods })['amr']).toEqual(amr)
  })

  it('that ends with the browser has one sid for a client, and another for another', () => {
    const sid = (change: Partial<SessionRecord>, clientId?: string) =>
      claimsFor(change, clientId)['sid']
    const parentId = 'browser-1'
    expect(sid({ id: 'one', parentId })).toBe(sid({ id: 'two', parentId }))
    expect(sid({ id: 'one', parentId })).not.toBe(sid({ id: 'one', parentId }, 'tracker'))
    expect(sid({ id: 'one', parentId })).not.toBe(sid({ id: 'one', parentId: 'browser-2' }))
    expect(sid({ id: 'one' })).toBe('one')
  })

  it('has the at_hash of OpenID Connect Core §3.1.3.6', () => {
    // The access token and its hash are of the specification's appendix A, where the algorithm
    // uses SHA-256 as well.
    const claims = idTokenClaims({
      session: newSession(at),
      clientId: 'wiki',
      accessToken: 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y',
      acr: 'urn:mar:1fa',
      nonce: null,
      claims: {},
      now: at(0),
    })
    expect(claims['at_hash']).toBe('77QmUPtjPfzWtF2AnpK9RQ')
  })
})
