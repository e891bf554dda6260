// A client whose consent is taken back, or that is disabled, while it gets tokens.
import { afterEach, describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors.js'
import { afterAttack } from '../support/after-attack.js'
import {
  asTracker,
  desktop,
  type OAuthSettings,
  type Step,
  startOAuth,
  tracker,
} from './oauth-parts.js'

type OAuth = Awaited<ReturnType<typeof startOAuth>>

const running: OAuth[] = []
const start = async (settings: OAuthSettings = {}) => {
  const oauth = await startOAuth(settings)
  running.push(oauth)
  return oauth
}

afterEach(async () => {
  for (const { host, app } of running.splice(0)) {
    await afterAttack(host, [], [])
    expect(app.unforeseen).toEqual([])
  }
})

const reasonsOf = ({ host }: OAuth, type: 'code.refused' | 'refresh.refused') =>
  host.events.flatMap((event) => (event.type === type && 'reason' in event ? [event.reason] : []))
const endOf = async ({ session }: OAuth, id: string) => (await session(id))?.endReason ?? null

/** Lets steps happen in one order, from `begin()` on. What is not in it happens at once. */
function inTurn(order: readonly Step[]) {
  let left: Step[] = []
  const waiting = new Set<() => void>()
  const goOn = (rest: Step[]) => {
    left = rest
    for (const go of waiting) go()
    waiting.clear()
  }
  const step: OAuthSettings['step'] = async (name, work) => {
    if (!left.includes(name)) return work()
    while (left[0] !== name) await new Promise<void>((resolve) => waiting.add(resolve))
    return work().finally(() => goOn(left.slice(1)))
  }
  return {
    step,
    begin: () => goOn([...order]),
    /** Nobody waits for a step any more that did not come to be. */
    skip: (name: Step) => goOn(left.filter((other) => other !== name)),
    isDone: () => left.length === 0,
  }
}

/** Every order of two lists in which each keeps its own. */
function mergesOf<Item>(ones: readonly Item[], others: readonly Item[]): (readonly Item[])[] {
  const [one] = ones
  const [other] = others
  if (one === undefined || other === undefined) return [[...ones, ...others]]
  return [
    ...mergesOf(ones.slice(1), others).map((rest) => [one, ...rest]),
    ...mergesOf(ones, others.slice(1)).map((rest) => [other, ...rest]),
  ]
}

const named = (orders: (readonly Step[])[]) =>
  orders.map((order) => [order.join(', '), order] as const)

describe('a code of a consent that is taken back', () => {
  it.each(named(mergesOf<Step>(['open', 'look at consent'], ['end', 'write', 'end'])))(
    'leaves no session: %s',
    async (_name, order) => {
      const { step, begin, isDone } = inTurn(order)
      const oauth = await start({ step })
      await oauth.allow('tracker')
      const { record, form } = await oauth.issueCode(tracker)
      const withdraw = await oauth.withdrawer()
      begin()
      const [answer, status] = await Promise.all([
        oauth.token(form, asTracker),
        withdraw('tracker'),
      ])
      expect([status, isDone()]).toEqual([200, true])
      expect(await endOf(oauth, record.opensSessionId)).toBe('consent-revoked')
      // What was read before the row was gone was allowed then.
      const isEarly = order.indexOf('look at consent') < order.indexOf('write')
      expect(answer.json['error']).toBe(isEarly ? undefined : 'invalid_grant')
      expect(Object.hasOwn(answer.json, 'access_token')).toBe(isEarly)
      expect(reasonsOf(oauth, 'code.refused')).toEqual(isEarly ? [] : ['consent-revoked'])
      const ends = oauth.host.events.filter(({ type }) => type === 'session.ended')
      expect(ends).toMatchObject([{ sessionId: record.opensSessionId, reason: 'consent-revoked' }])
    },
  )

  it('is refused like any other', async () => {
    const oauth = await start()
    const { form } = await oauth.issueCode(tracker)
    const wrong = await oauth.token({ ...form, code: `mar_oc_${'A'.repeat(43)}` }, asTracker)
    const answer = await oauth.token(form, asTracker)
    expect([answer.status, answer.text]).toEqual([400, wrong.text])
  })

  it('is no code for more than is allowed by now', async () => {
    const oauth = await start()
    await oauth.allow('tracker', ['openid'])
    const more = await oauth.issueCode(tracker, { scope: 'openid profile' })
    expect((await oauth.token(more.form, asTracker)).json['error']).toBe('invalid_grant')
    expect(await endOf(oauth, more.record.opensSessionId)).toBe('consent-revoked')
    const less = await oauth.issueCode(tracker, { scope: 'openid' })
    expect((await oauth.token(less.form, asTracker)).status).toBe(200)
  })

  it('needs the consent of this user, and to this client', async () => {
    const oauth = await start()
    await oauth.allow('wiki')
    const { scopes, ...at } = { scopes: ['openid', 'profile'], grantedAt: oauth.clock() }
    const of = { clientId: 'tracker', userId: 'u-bob', scopes, ...at, updatedAt: oauth.clock() }
    await oauth.consents.grant(of)
    const { form } = await oauth.issueCode(tracker)
    expect((await oauth.token(form, asTracker)).status).toBe(400)
  })

  it('needs none where the client is the host’s own', async () => {
    const oauth = await start()
    const { form } = await oauth.issueCode(desktop)
    expect((await oauth.token(form)).status).toBe(200)
  })

  it('is answered 503, and without a token, while nobody can tell', async () => {
    for (const down of ['look at client', 'look at consent']) {
      const oauth = await start({
        step: (name, work) =>
          name === down
            ? Promise.reject(new AuthError('temporarily-unavailable', { retryAfter: 2 }))
            : work(),
      })
      await oauth.allow('tracker')
      const { form } = await oauth.issueCode(tracker)
      const answer = await oauth.token(form, asTracker)
      expect([answer.status, Object.keys(answer.json)]).toEqual([
        503,
        expect.not.arrayContaining(['access_token', 'refresh_token', 'id_token']),
      ])
    }
  })
})

describe('a refresh token of a consent that is taken back', () => {
  it.each(named(mergesOf<Step>(['rotate', 'look at consent'], ['end', 'write', 'end'])))(
    'leaves no session: %s',
    async (_name, order) => {
      const { step, begin, skip } = inTurn(order)
      const oauth = await start({ step })
      await oauth.allow('tracker', ['openid', 'profile', 'offline_access', 'read'])
      const { refreshToken, sessionId } = await oauth.openApp(tracker, asTracker)
      const withdraw = await oauth.withdrawer()
      begin()
      const refreshing = oauth.refresh(refreshToken, {}, asTracker)
      // Of a session that has ended nothing is looked at.
      void refreshing.then(() => skip('look at consent'))
      const [answer, status] = await Promise.all([refreshing, withdraw('tracker')])
      expect(status).toBe(200)
      expect(await endOf(oauth, sessionId)).toBe('consent-revoked')
      const again = await oauth.refresh(refreshToken, {}, asTracker)
      expect([again.status, again.json['error']]).toEqual([400, 'invalid_grant'])
      if (answer.status !== 200) expect(answer.json['error']).toBe('invalid_grant')
    },
  )

  it('is refused, and its session ends, also where nobody has ended it', async () => {
    const oauth = await start()
    const granted = ['openid', 'profile', 'offline_access', 'read']
    await oauth.allow('tracker', granted)
    const { refreshToken, sessionId } = await oauth.openApp(tracker, asTracker)
    expect((await oauth.refresh(refreshToken, {}, asTracker)).status).toBe(200)
    await oauth.consents.revoke('u-alice', 'tracker')
    // Of what was granted a part alone is there again.
    await oauth.allow('tracker', granted.slice(1))
    const answer = await oauth.refresh(refreshToken, { scope: 'read' }, asTracker)
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_grant'])
    expect(await endOf(oauth, sessionId)).toBe('consent-revoked')
    expect(reasonsOf(oauth, 'refresh.refused')).toEqual(['consent-revoked'])
  })

  it('is answered 503 while nobody can tell, and works afterwards', async () => {
    const { secretHashes: _none, ...rest } = tracker
    const app = { ...rest, type: 'native' } as const
    let isDown = false
    const oauth = await start({
      clients: [app],
      step: (name, work) =>
        isDown && name === 'look at consent'
          ? Promise.reject(new AuthError('temporarily-unavailable', { retryAfter: 2 }))
          : work(),
    })
    await oauth.allow('tracker', ['openid', 'profile', 'offline_access', 'read'])
    const { form } = await oauth.issueCode(app, { scope: 'openid' })
    const { json } = await oauth.token({ ...form, client_id: 'tracker' })
    const as = { client_id: 'tracker' }
    isDown = true
    expect((await oauth.refresh(json['refresh_token'] as string, as)).status).toBe(503)
    isDown = false
    expect((await oauth.refresh(json['refresh_token'] as string, as)).status).toBe(200)
  })
})

describe('a code of a client that is disabled', () => {
  it.each(named(mergesOf<Step>(['open', 'look at client'], ['write', 'end'])))(
    'leaves no session, also where another process has disabled it: %s',
    async (_name, order) => {
      const { step, begin, isDone } = inTurn(order)
      const oauth = await start({ step })
      const { record, form } = await oauth.issueCode(desktop)
      begin()
      const [answer, isDisabled] = await Promise.all([oauth.token(form), oauth.disable('desktop')])
      expect([isDisabled, isDone()]).toEqual([true, true])
      expect(await endOf(oauth, record.opensSessionId)).toBe('client-disabled')
      const isEarly = order.indexOf('look at client') < order.indexOf('write')
      expect(answer.json['error']).toBe(isEarly ? undefined : 'invalid_grant')
      expect(reasonsOf(oauth, 'code.refused')).toEqual(isEarly ? [] : ['client-disabled'])
    },
  )

  it('leaves none where the client was deleted either', async () => {
    const oauth = await start()
    const { record, form } = await oauth.issueCode(desktop)
    oauth.rows.delete('desktop')
    expect((await oauth.token(form)).json['error']).toBe('invalid_grant')
    expect(await endOf(oauth, record.opensSessionId)).toBe('client-disabled')
  })

  it('is judged by what the client is by now: no more one of the host’s own', async () => {
    const oauth = await start()
    const { form } = await oauth.issueCode(desktop)
    oauth.rows.set('desktop', { ...desktop, firstParty: false })
    expect((await oauth.token(form)).json['error']).toBe('invalid_grant')
  })
})

describe('a second look that fails', () => {
  it.each<Step>(['look at client', 'look at consent'])(
    'at %s is a 503 that leaves no session whose tokens nobody has',
    async (failing) => {
      const down = new AuthError('temporarily-unavailable', { retryAfter: 2 })
      const step: OAuthSettings['step'] = (name, work) =>
        name === failing ? Promise.reject(down) : work()
      const oauth = await start({ step })
      const { record, form } = await oauth.issueCode(tracker)
      const { status } = await oauth.token(form, asTracker)
      expect([status, await endOf(oauth, record.opensSessionId)]).toEqual([503, 'revoked'])
    },
  )
})
