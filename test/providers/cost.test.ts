// Who uses no provider pays nothing for them; openid-client is loaded with the first use of one.
import { expect, it } from 'vitest'
import { loadedBy, packagesOf } from '../support/loaded-files.js'

const router = 'messaging-auth-router'

it('load openid-client with their first use: neither the router nor their entry does', () => {
  const own = (files: readonly string[]) => files.filter((file) => file.includes('openid-client'))
  expect(own(loadedBy(router, `${router}/stores/memory`, `${router}/stores/sql`))).toEqual([])
  const files = loadedBy(`${router}/providers`)
  expect(own(files)).toEqual([])
  expect(packagesOf(files)).not.toContain('passport')
  expect(own(loadedBy('openid-client')), 'it would be seen').not.toEqual([])
})
