import type { ConsentStore } from '../../../stores/consent-contract.js'
import { newConsent } from '../../../stores/new-records.js'
import { check, isNone, resolves, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'
import { sorted } from './sorted.js'

const oneStatement =
  'Add in the write itself: a list that is read, and written with more in it, loses what ' +
  'somebody else has added meanwhile, and the user is asked again.'

/** Several grants of one user to one client add up. */
export function consentUnion(part: Part<ConsentStore>): void {
  unionInTurn(part)
  unionAtOnce(part)
  unionAndRevocation(part)
}

function unionInTurn({ it }: Part<ConsentStore>): void {
  it('granting again adds scopes, moves updatedAt and leaves grantedAt', async (consents, at) => {
    const first = newConsent(at, { scopes: ['openid', 'messages:read'] })
    const { userId, clientId } = first
    await consents.grant(first)
    const later = { userId, clientId, grantedAt: at(60), updatedAt: at(60.5) }
    await consents.grant({ ...later, scopes: ['messages:read', 'profile'] })
    same(
      sorted(await consents.find(userId, clientId)),
      sorted({ ...first, scopes: ['openid', 'messages:read', 'profile'], updatedAt: at(60.5) }),
      'consents.grant of a consent that is there: the union of both, each scope once.',
    )
    await consents.grant({ ...later, scopes: [], updatedAt: at(61) })
    same(
      sorted(await consents.find(userId, clientId)),
      sorted({ ...first, scopes: ['openid', 'messages:read', 'profile'], updatedAt: at(61) }),
      'consents.grant of no scope takes none away.',
    )
  })
}

function unionAtOnce({ it }: Part<ConsentStore>): void {
  for (const callers of [2, 10, 50]) {
    it(`grant by ${callers} callers, at once: every scope is there`, async (consents, at) => {
      for (const isThere of [false, true]) {
        const base = newConsent(at, { scopes: ['openid'] })
        if (isThere) await consents.grant(base)
        const added = Array.from({ length: callers }, (_none, caller) => `scope:${caller}`)
        const grants = added.map((scope) => consents.grant({ ...base, scopes: [scope] }))
        await resolves(Promise.all(grants), 'One of several consents.grant at once failed.')
        const found = await consents.find(base.userId, base.clientId)
        const left = added.filter((scope) => found?.scopes?.includes(scope))
        check(
          left.length === callers,
          `After ${callers} consents.grant at once, the scopes of ${left.length} are there. ` +
            oneStatement,
        )
        check(
          new Set(found?.scopes).size === found?.scopes.length,
          'consents.find answered a scope twice.',
        )
      }
    })
  }
}

function unionAndRevocation({ inRounds }: Part<ConsentStore>): void {
  inRounds(
    'grant and revoke, at once: nothing of before is left, whoever was first',
    async (consents, at, round) => {
      const before = newConsent(at, { scopes: ['openid', 'messages:write'] })
      const { userId, clientId } = before
      await consents.grant(before)
      const grant = () => consents.grant({ ...before, scopes: ['profile'], updatedAt: at(1) })
      const revoke = () => consents.revoke(userId, clientId)
      const [one, other] = round % 2 === 0 ? [grant, revoke] : [revoke, grant]
      await Promise.all([one(), other()])
      const found = await consents.find(userId, clientId)
      const isNew = found?.scopes.length === 1 && found.scopes[0] === 'profile'
      check(
        isNone(found) || isNew,
        'After consents.grant and consents.revoke at once, a scope is there that was taken ' +
          `back: ${found?.scopes.join(' ')}. ${oneStatement}`,
      )
    },
  )
}
