// Ways around the second factor by a remembered browser: what thieves of its token, of the password
// or of both could do, and what an owner does against it.
import type { RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { bearer, pkcePair, post, remove } from '../support/client.js'
import { type HostSettings, password, passwordHash, startHost } from '../support/host.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import {
  change,
  codeOf,
  disabling,
  expectNoSecrets,
  expectUnharmed,
  regeneration,
} from '../support/two-factor.js'
import {
  day,
  expectAsked,
  remember,
  rememberedAt,
  signIn,
  startRemembering,
  tokensIn,
} from './remembering-host.js'

const reused = expect.objectContaining({ type: 'remembered.reused' })

describe('a token of a remembered browser', () => {
  it('is worth nothing without the password', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    const wrong = { username: 'alice', password: 'wrong', rememberToken }
    const { status, body } = await post(host, '/login', wrong)
    expect([status, body.error]).toEqual([401, 'Unauthorized'])
    // Nor is it used up by somebody who guesses.
    tokensIn(host, await signIn(host, { rememberToken }))
    await expectUnharmed(host, codeOf(host, secret), rememberToken)
  })

  it('is worth nothing for another user', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash: passwordHash })
    const { secret: bobs } = await importedFactor(host)
    expectAsked(await post(host, '/login', { username: 'bob', password, rememberToken }))
    expect(bobs).toBeDefined()
    tokensIn(host, await signIn(host, { rememberToken }))
  })

  it('works once, in a burst too', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    const burst = Array.from({ length: 12 }, () => signIn(host, { rememberToken }))
    const answers = await Promise.all(burst)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expectAsked(answer)
    const [won] = answers.filter(({ status }) => status === 200)
    // Of two tabs one came second: that is no theft.
    expect(host.events).not.toContainEqual(reused)
    tokensIn(host, await signIn(host, { rememberToken: won?.body.data.rememberToken }))
  })

  it('ends its browser when a copy of it comes later', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken: copied } = await rememberedAt(host, secret)
    const next = tokensIn(host, await signIn(host, { rememberToken: copied }))
    const other = await rememberedAt(host, secret)
    host.clock.advance(60)
    expectAsked(await signIn(host, { rememberToken: copied }))
    expect(host.events.filter(({ type }) => type === 'remembered.reused')).toHaveLength(1)
    expectAsked(await signIn(host, { rememberToken: next.rememberToken }))
    // Another browser of the user goes on.
    tokensIn(host, await signIn(host, { rememberToken: other.rememberToken }))
  })

  it.each(['mar_rb_', `mar_rb_${'A'.repeat(22)}.${'A'.repeat(43)}`, 'x'.repeat(100)])(
    'that nobody was given is none: %s',
    async (rememberToken) => {
      const { host } = await startRemembering()
      expectAsked(await signIn(host, { rememberToken }))
    },
  )

  it.each([[''], ['x'.repeat(101)], [7], [null], [{}]])(
    'of another form is 400: %j',
    async (rememberToken) => {
      const { host } = await startRemembering()
      expect((await signIn(host, { rememberToken })).status).toBe(400)
    },
  )

  it('is in no row in clear', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    const rows = await host.stores.proofs.list('remembered', 'u-alice', host.clock())
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(rememberToken.slice(-43))
    expectNoSecrets(host, rememberToken)
  })

  it('lets nobody in while the store is away: 503', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    const { find } = host.stores.proofs
    Object.assign(host.stores.proofs, {
      find: async () => {
        throw new Error('the database is away')
      },
    })
    expect((await signIn(host, { rememberToken })).status).toBe(503)
    Object.assign(host.stores.proofs, { find })
    tokensIn(host, await signIn(host, { rememberToken }))
  })
})

type Started = Awaited<ReturnType<typeof startRemembering>>

async function importedFactor(host: Started['host']) {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  await host.auth.secondFactors.importTotp({ userId: 'u-bob', secret })
  return { secret }
}

/** What ends all remembered browsers of a user. */
const endings: Readonly<Record<string, (given: Started) => Promise<unknown>>> = {
  'signing out everywhere': ({ host, token }) => remove(host, '/auth/sessions', bearer(token)),
  'the host, by ending all sessions': ({ host }) => host.auth.sessions.revokeAllForUser('u-alice'),
  'another password': async ({ host }) => {
    host.users.change('u-alice', { passwordHash: passwordHash })
    await host.auth.passwordChanged('u-alice')
  },
  'another password, of which the host told nothing': async ({ host }) => {
    const passwordHash = await host.auth.hashPassword(password)
    host.users.change('u-alice', { passwordHash })
  },
  'new recovery codes': ({ host, token, secret }) =>
    change(host, regeneration, token, codeOf(host, secret)),
  'another authenticator app': async ({ host, token, secret }) => {
    await change(host, disabling, token, codeOf(host, secret))
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret })
  },
  'a support desk that resets the factor': async ({ host, secret }) => {
    await host.auth.secondFactors.reset('u-alice')
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret })
  },
}

describe('a change that concerns a remembered browser', () => {
  it.each(Object.keys(endings))('ends it: %s', async (name) => {
    const given = await startRemembering()
    const { host, secret } = given
    const { rememberToken } = await rememberedAt(host, secret)
    await endings[name]?.(given)
    host.clock.advance(60)
    expectAsked(await signIn(host, { rememberToken }))
  })

  it('is seen by a sign-in that is under way', async () => {
    const { host, secret } = await startRemembering()
    const { save } = host.stores.proofs
    // The owner signs out everywhere just before the row is stored.
    Object.assign(host.stores.proofs, {
      save: async (...given: Parameters<typeof save>) => {
        await host.auth.sessions.revokeAllForUser('u-alice')
        return save(...given)
      },
    })
    const answer = await signIn(host, { code: codeOf(host, secret), remember: true })
    Object.assign(host.stores.proofs, { save })
    expect(answer.body.data).not.toHaveProperty('rememberToken')
    const left = await host.stores.proofs.list('remembered', 'u-alice', host.clock())
    expect(left).toEqual([])
  })
})

describe('a session by a remembered browser', () => {
  async function sessionByRemembered(settings: HostSettings = {}) {
    const given = await startRemembering(settings)
    const { rememberToken } = await rememberedAt(given.host, given.secret)
    return { ...given, ...tokensIn(given.host, await signIn(given.host, { rememberToken })) }
  }

  it('changes no factor without showing it', async () => {
    const { host, authToken, secret } = await sessionByRemembered()
    const wrong = await change(host, disabling, authToken, '')
    expect(wrong.status).toBe(400)
    const { enabled } = await host.auth.secondFactors.status('u-alice')
    expect(enabled).toBe(true)
    await expectUnharmed(host, codeOf(host, secret))
  })

  it.each(['vault', 'recent'])(
    'opens no route of the host that wants two factors: %s',
    async (path) => {
      const { host, authToken, secret } = await startWithGuard()
      const url = `${host.url.replace('/api/v1', '')}/${path}`
      const ask = (token: string) => fetch(url, { headers: bearer(token) })
      const bare = await ask(authToken)
      const { error } = (await bare.json()) as { error: string }
      expect([bare.status, error]).toEqual([403, 'reauthentication-required'])
      const shown = await signIn(host, { code: codeOf(host, secret) })
      expect((await ask(shown.body.data.authToken)).status).toBe(200)
    },
  )

  it('counts as a recent sign-in nowhere, however young it is', async () => {
    const { host, authToken } = await sessionByRemembered({ options: { namedTokens: true } })
    for (const [path, body] of [
      ['/auth/pkce/authorize', { codeChallenge: pkcePair().codeChallenge }],
      ['/auth/access-tokens', { name: 'bot' }],
    ] as const) {
      const { status, body: told } = await post(host, path, body, bearer(authToken))
      expect([path, status, told.error]).toEqual([path, 403, 'reauthentication-required'])
    }
  })

  it('counts as one once its user has shown the factor', async () => {
    const { host, authToken, secret } = await sessionByRemembered({ options: passkeyOptions() })
    const proof = { password, code: codeOf(host, secret) }
    const shown = await post(host, '/auth/reauthenticate', proof, bearer(authToken))
    expect([shown.status, shown.body.data.methods]).toEqual([200, ['pwd', 'otp']])
    const { codeChallenge } = pkcePair()
    const asked = await post(host, '/auth/pkce/authorize', { codeChallenge }, bearer(authToken))
    expect(asked.status).toBe(200)
  })

  async function startWithGuard() {
    const given = await startRemembering({
      after: (app, auth) => {
        const answer: RequestHandler = (_request, response) => void response.json({})
        app.get('/vault', auth.requireAuth({ acr: 'urn:mar:2fa' }), answer)
        app.get('/recent', auth.requireAuth({ maxAge: 600 }), answer)
      },
    })
    const { rememberToken } = await rememberedAt(given.host, given.secret)
    return { ...given, ...tokensIn(given.host, await signIn(given.host, { rememberToken })) }
  }
})

describe('a browser that was remembered before the factor was due', () => {
  it('is none: a session is no proof of a factor', async () => {
    const host = await startHost({ options: remember })
    const { body } = await signIn(host, { remember: true })
    expect(body.data).not.toHaveProperty('rememberToken')
    host.clock.advance(day)
    const rows = await host.stores.proofs.list('remembered', 'u-alice', host.clock())
    expect(rows).toEqual([])
  })
})
