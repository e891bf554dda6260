// A code that was mailed to nobody is judged like any other, so that the work at a wrong code tells
// no stranger which addresses have an account.
import '../support/steps.js'
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createProofs, type ProofsKit } from '../../src/accounts/proofs.js'
import { noRequest } from '../../src/audit/events.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { kitOf } from '../support/kit-of.js'
import { stepsOf } from '../support/steps.js'

it('a wrong code takes as many steps for nobody as for a user', async () => {
  const { proofs: proofStore } = memoryStores()
  const encryptionKeys = [randomBytes(32), randomBytes(32)]
  const clock = () => new Date('2026-01-01T12:00:00Z')
  const proofs = createProofs(
    kitOf<ProofsKit>({ proofStore, encryptionKeys, clock, audit: () => {} }),
  )
  const asked = { purpose: 'sign-in', mark: null, lifetime: 600, sealed: {} } as const
  const open = async (userId: string | null) => {
    const { requestId } = await proofs.openCode({ ...asked, userId })
    return proofs.findCode(['sign-in'], requestId, noRequest)
  }
  const [users, nobodys] = [await open('u-alice'), await open(null)]
  const judge = (proof: typeof users) => stepsOf(() => proofs.isCode(proof, 'not a code'))

  judge(users)
  expect(judge(nobodys)).toBe(judge(users))
})
