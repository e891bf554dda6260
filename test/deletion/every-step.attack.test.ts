// Whichever call of whichever step fails: no session outlives the first one, and the same request
// completes the rest.
import { expect, it } from 'vitest'
import { asAlice } from '../accounts/account-host.js'
import { addPasskey } from '../accounts/passkey-host.js'
import { post } from '../support/client.js'
import { password } from '../support/host.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { oauthOf } from '../support/oauth-apps.js'
import { identityRecord } from '../support/records.js'
import { begin, codeOf, confirm, noon } from '../support/two-factor.js'
import {
  askedBy,
  confirmPath,
  deletionsIn,
  leftOf,
  nothingLeft,
  startDeletion,
} from './deletion-host.js'

type Method = (...given: unknown[]) => Promise<unknown>

interface Tapped {
  readonly calls: string[]
  failsAt: number
  when: 'before' | 'after'
  isOn: boolean
}

/** Lets the call at a place fail, once: before it has done anything, or after. */
function tap(parts: Readonly<Record<string, object>>): Tapped {
  const state: Tapped = { calls: [], failsAt: -1, when: 'before', isOn: false }
  for (const [part, store] of Object.entries(parts))
    for (const [name, method] of Object.entries(store))
      if (typeof method === 'function')
        Object.assign(store, { [name]: tappedBy(state, `${part}.${name}`, method.bind(store)) })
  return state
}

function tappedBy(state: Tapped, name: string, method: Method): Method {
  return async (...given) => {
    if (!state.isOn) return method(...given)
    const fails = state.calls.push(name) - 1 === state.failsAt
    if (fails && state.when === 'before') throw new Error('the database is away')
    const answer = await method(...given)
    if (fails) throw new Error('its answer is lost')
    return answer
  }
}

/** Alice, with everything that she can have, who has asked for the deletion. */
async function scene() {
  const { passkeys, ...others } = passkeyOptions()
  if (passkeys === undefined) throw new Error('no passkeys')
  const oauth = oauthOf()
  const host = await startDeletion({ now: noon, options: { passkeys, oauth, ...others } })
  const alice = await asAlice(host)
  const token = alice.headers.Authorization.replace('Bearer ', '')
  await addPasskey(host, token)
  const secret = await begin(host, token)
  await confirm(host, token, secret)
  const consent = { userId: 'u-alice', clientId: 'wiki', scopes: ['openid'] }
  await oauth.consents.grant({ ...consent, grantedAt: noon, updatedAt: noon })
  const { proofs, sessions, secondFactors, identities } = host.stores
  await identities.link(identityRecord({ userId: 'u-alice' }))
  const asked = await askedBy(host, alice, { password, code: codeOf(host, secret, 1) })
  const { users } = host
  const tapped = tap({
    proofs,
    sessions,
    secondFactors,
    identities,
    users,
    consents: oauth.consents,
    passkeys: passkeys.store,
  })
  // What was read is forgotten, so that every part is asked again.
  host.clock.advance(31)
  const left = async () => ({
    ...(await leftOf(host)),
    passkeys: (await passkeys.store.listForUser('u-alice')).length,
    identities: (await identities.listForUser('u-alice')).length,
    consents: (await oauth.consents.listForUser('u-alice')).length,
  })
  return { host, alice, asked, tapped, left }
}

/** Steps, in their order: the marks by which the calls show that one is done. */
const steps = [
  'sessions.endAllForUser',
  'proofs.voidForUser',
  'users.delete',
  'secondFactors.deactivate',
  'passkeys.removeAllForUser',
  'identities.unlinkAllForUser',
  'consents.revoke',
  'proofs.consume',
]

it.each(['before', 'after'] as const)('a crash %s each call of a deletion', async (when) => {
  let place = 0
  let last: readonly string[] = []
  for (;;) {
    const { host, alice, asked, tapped, left } = await scene()
    const { calls } = tapped
    Object.assign(tapped, { failsAt: place, when, isOn: true })
    const { status } = await alice.post(confirmPath, asked)
    tapped.isOn = false
    const where = `call ${place} of ${calls.join(' ')}`
    if (place >= calls.length) {
      expect(status, where).toBe(200)
      last = [...calls]
      break
    }
    expect([200, 503], where).toContain(status)
    const hasEnded = calls.indexOf('sessions.endAllForUser')
    const isEnded = hasEnded >= 0 && (place > hasEnded || when === 'after')
    if (isEnded) expect((await leftOf(host)).sessions, where).toBe(0)
    if (status === 503) {
      // With the session if there is one, else without.
      const again = isEnded ? post(host, confirmPath, asked) : alice.post(confirmPath, asked)
      // An answer that was lost after the last write: it is done.
      expect([200, 400], where).toContain((await again).status)
    }
    expect(await left(), where).toEqual({
      ...nothingLeft,
      passkeys: 0,
      identities: 0,
      consents: 0,
    })
    expect(deletionsIn(host).length, where).toBeLessThanOrEqual(1)
    place += 1
  }
  const order = steps.map((step) => last.indexOf(step))
  expect(order).not.toContain(-1)
  expect(order.toSorted((one, other) => one - other)).toEqual(order)
})
