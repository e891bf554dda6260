import { sha256 } from '../../../lib/digest.js'
import type { IdentityStore } from '../../../stores/identity-contract.js'
import { moments, newIdentity } from '../../../stores/new-records.js'
import { check, won } from '../harness/checks.js'
import { given, type StoresUnderTest } from '../harness/suite.js'
import { type OneTimeOperation, oneWrite, usual } from './one-time-operation.js'

const identitiesIn = (stores: StoresUnderTest): IdentityStore => given(stores, 'identities')
const provider = 'race'

const link: OneTimeOperation = {
  ...usual,
  contract: 'identities',
  name: 'link',
  did: 'linked one identity, each to another user',
  why:
    'An identity would sign in whoever came later. Insert, and let the key of provider and ' +
    'subject refuse the rest.',
  prepare: async () => newIdentity(moments()).subject,
  attempt: async (stores, subject, caller) => {
    const userId = `${subject}-${caller}`
    const identity = newIdentity(moments(), { provider, subject, userId })
    const answer = await identitiesIn(stores).link(identity)
    return won(answer, 'identities.link', { outcome: 'linked' }, { outcome: 'exists' })
  },
  verify: async (stores, subject, winner) => {
    const stored = await identitiesIn(stores).find(provider, subject)
    check(
      stored?.userId === `${subject}-${winner}`,
      'After identities.link was raced, the identity is not of the user whose call was `linked`.',
    )
  },
}

const linkAgain: OneTimeOperation = {
  ...link,
  name: 'link of one that was unlinked',
  did: 'linked one identity that was unlinked, each to another user',
  why: 'An identity would sign in whoever came later. Update it only where it is unlinked still.',
  prepare: async (stores) => {
    const identity = newIdentity(moments(), { provider })
    const { subject, userId, id } = identity
    await identitiesIn(stores).link(identity)
    await identitiesIn(stores).unlink(userId, id, { unlessLast: false })
    return subject
  },
}

const unlinkUnlessLast: OneTimeOperation = {
  ...usual,
  contract: 'identities',
  name: 'unlink unless it is the last',
  did: 'unlinked one of two identities, unless it was the last,',
  why: `The user would have no way to sign in. ${oneWrite}`,
  prepare: async (stores) => {
    const { userId } = newIdentity(moments())
    for (const half of ['0', '1'])
      await identitiesIn(stores).link(
        newIdentity(moments(), { userId, id: sha256(`${half}${userId}`) }),
      )
    return userId
  },
  attempt: async (stores, userId, caller) => {
    const id = sha256(`${caller % 2}${userId}`)
    const answer = await identitiesIn(stores).unlink(userId, id, { unlessLast: true })
    return won(
      answer,
      'identities.unlink',
      { outcome: 'unlinked' },
      { outcome: 'last' },
      { outcome: 'unknown' },
    )
  },
  verify: async (stores, userId) => {
    const left = await identitiesIn(stores).listForUser(userId)
    check(left.length === 1, `After identities.unlink was raced, ${left.length} of 2 are left.`)
  },
}

const unlink: OneTimeOperation = {
  ...usual,
  contract: 'identities',
  name: 'unlink',
  did: 'unlinked one identity',
  why: `Who is told \`unlinked\` ends the sessions and tells the user. ${oneWrite}`,
  prepare: async (stores) => {
    const identity = newIdentity(moments())
    await identitiesIn(stores).link({ ...identity, id: sha256(identity.userId) })
    return identity.userId
  },
  attempt: async (stores, userId) =>
    won(
      await identitiesIn(stores).unlink(userId, sha256(userId), { unlessLast: false }),
      'identities.unlink',
      { outcome: 'unlinked' },
      { outcome: 'unknown' },
    ),
}

/** The one-time operations of identities. */
export const identityOperations: readonly OneTimeOperation[] = [
  link,
  linkAgain,
  unlinkUnlessLast,
  unlink,
]
