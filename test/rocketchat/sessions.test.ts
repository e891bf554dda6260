import { describe, expect, it } from 'vitest'
import { expectCommon } from '../support/after-attack.js'
import { bearer, get, logIn, pkcePair, post } from '../support/client.js'
import type { TestHost } from '../support/host.js'
import { startRocketHost } from '../support/rocketchat.js'

const generate = '/users.generatePersonalAccessToken'
const regenerate = '/users.regeneratePersonalAccessToken'
const removal = '/users.removePersonalAccessToken'
const listing = '/users.getPersonalAccessTokens'
const tokenName = 'CI bot'
const startWithTokens = () => startRocketHost({ personalAccessTokens: true })

async function statusOf(host: TestHost, token: string): Promise<number> {
  return (await get(host, '/me', bearer(token))).status
}

/** Three devices and a bot, of which the first device asks. */
async function threeAndABot(host: TestHost) {
  const [here, there, elsewhere] = await Promise.all([logIn(host), logIn(host), logIn(host)])
  const made = await post(host, generate, { tokenName }, bearer(here.authToken))
  const others = [there, elsewhere].map(({ authToken }) => authToken)
  return { here: here.authToken, others, bot: made.body.token as string }
}

describe('sessions of rocketChat', () => {
  it('users.logoutOtherClients ends the other devices, and leaves bots and this one', async () => {
    const host = await startWithTokens()
    const { here, others, bot } = await threeAndABot(host)
    const response = await post(host, '/users.logoutOtherClients', {}, bearer(here))
    expectCommon(response)
    expect(response.body).toEqual({
      success: true,
      token: here,
      tokenExpires: expect.stringMatching(/Z$/),
    })
    expect(await statusOf(host, here)).toBe(200)
    expect(await statusOf(host, bot)).toBe(200)
    for (const token of others) expect(await statusOf(host, token)).toBe(401)
  })

  it('users.logoutOtherClients ends codes of the host’s page that nobody has exchanged yet', async () => {
    const host = await startWithTokens()
    const { here, bot } = await threeAndABot(host)
    const { codeVerifier, codeChallenge } = pkcePair()
    const asked = { userId: 'u-alice', codeChallenge }
    const { authorizationCode } = await host.auth.issueAuthorizationCode(asked)
    await post(host, '/users.logoutOtherClients', {}, bearer(here))
    const exchange = { authorizationCode, codeVerifier }
    expect((await post(host, '/auth/pkce/token', exchange)).status).toBe(400)
    expect(await statusOf(host, here)).toBe(200)
    expect(await statusOf(host, bot)).toBe(200)
  })

  it('users.removeOtherTokens ends all but this one', async () => {
    const host = await startWithTokens()
    const { here, others, bot } = await threeAndABot(host)
    const response = await post(host, '/users.removeOtherTokens', {}, bearer(here))
    expect(response.body).toEqual({ success: true })
    expect(await statusOf(host, here)).toBe(200)
    for (const token of [...others, bot]) expect(await statusOf(host, token)).toBe(401)
  })

  it.each([undefined, {}, { userId: 'u-alice' }])('users.logout %j ends all', async (body) => {
    const host = await startWithTokens()
    const { here, others, bot } = await threeAndABot(host)
    const { status } = await post(host, '/users.logout', body, bearer(here))
    expect(status).toBe(200)
    for (const token of [here, ...others, bot]) expect(await statusOf(host, token)).toBe(401)
  })
})

describe('personal access tokens of rocketChat', () => {
  it('are made, listed, made anew and ended by their names', async () => {
    const host = await startWithTokens()
    const { authToken } = await logIn(host)
    const me = bearer(authToken)
    const made = await post(host, generate, { tokenName, bypassTwoFactor: true }, me)
    expectCommon(made)
    expect(made.body).toEqual({ success: true, token: expect.stringMatching(/^mar_pat_/) })
    const { token } = made.body as { token: string }
    const headers = { 'X-Auth-Token': token, 'X-User-Id': 'u-alice' }
    expect((await get(host, '/me', headers)).body).toMatchObject({ username: 'alice' })
    const listed = await get(host, listing, me)
    expect(listed.body).toEqual({
      success: true,
      tokens: [
        {
          name: tokenName,
          createdAt: expect.stringMatching(/Z$/),
          scope: ['*'],
          expiresAt: expect.stringMatching(/Z$/),
          lastTokenPart: expect.stringMatching(/^.{6}$/),
          bypassTwoFactor: false,
        },
      ],
    })
    expect(listed.text).not.toContain(token.slice(-20))
    expect((await post(host, '/login', { resume: token })).body.data.userId).toBe('u-alice')

    const again = await post(host, regenerate, { tokenName }, me)
    expect(again.body.token).not.toBe(token)
    expect(await statusOf(host, token)).toBe(401)
    expect(await statusOf(host, again.body.token)).toBe(200)

    expect((await post(host, removal, { tokenName }, me)).body).toEqual({ success: true })
    expect(await statusOf(host, again.body.token)).toBe(401)
    expect((await get(host, listing, me)).body.tokens).toEqual([])
  })

  it('are made anew with the scope and the lifetime of the one before, and listed with them', async () => {
    const host = await startWithTokens()
    const me = bearer((await logIn(host)).authToken)
    const narrow = {
      userId: 'u-alice',
      name: tokenName,
      scope: 'messages:write',
      expiresIn: 86_400,
    }
    await host.auth.namedTokens.create(narrow)
    host.clock.advance(60)
    const { status, body } = await post(host, regenerate, { tokenName }, me)
    expect(status).toBe(200)
    const [made] = await host.auth.namedTokens.list('u-alice')
    const { scope, createdAt, expiresAt } = made as NonNullable<typeof made>
    expect(scope).toEqual(['messages:write'])
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(86_400_000)
    const listed = (await get(host, listing, me)).body.tokens
    expect(listed).toEqual([expect.objectContaining({ scope, expiresAt: expiresAt.toJSON() })])
    // Everything else wants `*`.
    expect((await post(host, '/users.logoutOtherClients', {}, bearer(body.token))).status).toBe(403)
  })

  it('are not made anew where several have the name: which one is meant is not known', async () => {
    const host = await startWithTokens()
    const me = bearer((await logIn(host)).authToken)
    for (const scope of ['*', 'messages:read'])
      await host.auth.namedTokens.create({ userId: 'u-alice', name: tokenName, scope })
    expect((await post(host, regenerate, { tokenName }, me)).status).toBe(400)
    expect(await host.auth.namedTokens.list('u-alice')).toHaveLength(2)
    expect((await post(host, removal, { tokenName }, me)).status).toBe(200)
    expect(await host.auth.namedTokens.list('u-alice')).toHaveLength(0)
  })

  it('refuses a second one of a name, and a name of none', async () => {
    const host = await startWithTokens()
    const me = bearer((await logIn(host)).authToken)
    await post(host, generate, { tokenName }, me)
    expect((await post(host, generate, { tokenName }, me)).status).toBe(400)
    for (const path of [regenerate, removal])
      expect((await post(host, path, { tokenName: 'another' }, me)).status).toBe(400)
  })

  it('asks for a fresh sign-in', async () => {
    const host = await startWithTokens()
    const me = bearer((await logIn(host)).authToken)
    host.clock.advance(601)
    for (const path of [generate, regenerate]) {
      const { status, body } = await post(host, path, { tokenName }, me)
      expect([status, body.error]).toEqual([403, 'reauthentication-required'])
    }
    expect((await get(host, listing, me)).status).toBe(200)
  })
})
