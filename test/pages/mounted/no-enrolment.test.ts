// A host that demands a factor which its users can set up nowhere but with the host itself.
import { expect, it } from 'vitest'
import { signIn } from './forms.js'
import { startMounted } from './mounted-host.js'
import { openVisitor } from './visitor.js'

it('a client is told that its user lacks a factor, and nobody is led to a page that is not there', async () => {
  const options = {
    secondFactors: undefined,
    secondFactor: { policy: () => 'required' as const, acceptHostMfa: true },
  } as object
  const host = await startMounted({ options })
  const visitor = openVisitor(host)
  const last = await signIn(visitor, host, 'alice')
  expect(last.status).toBe(200)
  expect(last.text).toContain('error=access_denied')
})
