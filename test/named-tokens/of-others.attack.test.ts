import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post, remove } from '../support/client.js'
import { passwordHash, startHost } from '../support/host.js'
import { makeToken, namedTokens } from '../support/named-tokens.js'
import { twoProcesses } from '../support/pairs.js'

const withTokens = { options: { namedTokens: true } }

describe('named tokens', () => {
  it('are not made of one user by the session of another, which the host has mixed up', async () => {
    const host = await startHost(withTokens)
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    await logIn(host)
    const [mine] = await host.auth.sessions.list('u-alice')
    const asked = { userId: 'u-bob', name: 'CI', sessionId: mine?.id ?? '' }
    await expect(host.auth.namedTokens.create(asked)).rejects.toMatchObject({
      code: 'Unauthorized',
    })
    expect(await host.auth.namedTokens.list('u-bob')).toEqual([])
    const [made] = [await host.auth.namedTokens.create({ ...asked, userId: 'u-alice' })]
    host.issued.add(made.token)
  })

  it('are ended by no session that has ended in another process', async () => {
    const [one, other] = await twoProcesses(0, withTokens)
    const [{ authToken }, keeper] = [await logIn(one), await logIn(one)]
    const { id, token } = await makeToken(one, keeper.authToken)
    // From here on the other process knows the session.
    expect((await get(other, '/me', bearer(authToken))).status).toBe(200)
    await post(one, '/logout', undefined, bearer(authToken))
    for (const path of [namedTokens, `${namedTokens}/${id}`])
      expect((await remove(other, path, bearer(authToken))).status).toBe(401)
    expect((await get(other, '/me', bearer(token))).status).toBe(200)
  })
})
