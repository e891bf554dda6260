import { describe, expect, it } from 'vitest'
import { isAllowed, type RequiredScope } from '../../src/guard/scope.js'
import type { Principal } from '../../src/index.js'
import { at } from '../support/records.js'

const app = (...scope: string[]): Principal => ({
  userId: 'u-alice',
  sessionId: 's',
  kind: 'oauth',
  scope,
  methods: ['pwd'],
  authenticatedAt: at(0),
  expiresAt: at(600),
  actor: null,
})

const isScoped = (principal: Principal, scope: RequiredScope) => isAllowed(principal, { scope })

describe('an app that a user has signed in to', () => {
  it('passes where a guard names a scope that it was given', () => {
    expect(isScoped(app('openid', 'messages:read'), 'messages:read')).toBe(true)
    expect(isScoped(app('openid', 'messages:read'), ['messages:read', 'openid'])).toBe(true)
  })

  it('passes no guard that names another scope, or none, which was written for people', () => {
    for (const required of ['messages:write', ['messages:read', 'messages:write'], undefined])
      expect(isScoped(app('openid', 'messages:read'), required), String(required)).toBe(false)
    expect(isScoped(app(), undefined)).toBe(false)
  })

  it('passes everywhere with the scope *, as an app of the host itself', () => {
    for (const required of ['messages:write', [], undefined])
      expect(isScoped(app('*'), required)).toBe(true)
  })
})
