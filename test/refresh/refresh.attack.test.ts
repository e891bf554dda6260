import { describe, expect, it, vi } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { afterAttack } from '../support/after-attack.js'
import {
  bearer,
  get,
  logIn,
  obtainCode,
  post,
  remainingOf,
  uncountedHeadersOf,
} from '../support/client.js'
import { password, startHost, type TestHost, totpSecret } from '../support/host.js'

interface Tokens {
  access_token: string
  refresh_token: string
}

const open = async (host: TestHost) => {
  const { authToken } = await logIn(host)
  return {
    authToken,
    tokens: (await post(host, '/auth/pkce/token', await obtainCode(host, authToken)))
      .body as Tokens,
  }
}
const refresh = (host: TestHost, refreshToken: unknown) =>
  post(host, '/auth/refresh', { refreshToken })
const sidOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid as string

const invalidGrant = {
  success: false,
  status: 'error',
  error: 'invalid_grant',
  message: 'The authorization code or token is not valid.',
  error_description: 'The authorization code or token is not valid.',
}

describe('50 refreshes of one token at once', () => {
  it('all get the same successor, and one leaf lives', async () => {
    const host = await startHost({ options: { storeTimeout: 20_000 } })
    const { tokens } = await open(host)
    let arrived = 0
    // All fifty have read before the first one writes.
    const { rotateRefresh } = host.stores.sessions
    const outcomes: string[] = []
    host.stores.sessions.rotateRefresh = async (...rotation) => {
      arrived += 1
      await vi.waitFor(() => expect(arrived).toBe(50))
      const result = await rotateRefresh(...rotation)
      outcomes.push(result.outcome)
      return result
    }
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => refresh(host, tokens.refresh_token)),
    )
    expect(outcomes.filter((outcome) => outcome === 'rotated')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'superseded')).toHaveLength(49)
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    const row = await host.stores.sessions.find(sidOf(tokens.access_token))
    expect(row?.refresh?.spent).toHaveLength(1)
  })
})

describe('a refresh whose store is not sure', () => {
  it('that read an old copy after losing is an outage, not the end of the session', async () => {
    const host = await startHost()
    const { tokens } = await open(host)
    const { rotateRefresh } = host.stores.sessions
    host.stores.sessions.rotateRefresh = async () => ({ outcome: 'superseded' })
    const response = await refresh(host, tokens.refresh_token)
    expect(response.status).toBe(503)
    expect(response.headers['retry-after']).toBe('1')
    host.stores.sessions.rotateRefresh = rotateRefresh
    expect((await refresh(host, tokens.refresh_token)).status).toBe(200)
  })

  it('that wrote and then failed gives the same successor to the next try', async () => {
    const host = await startHost()
    const { tokens } = await open(host)
    const { rotateRefresh } = host.stores.sessions
    host.stores.sessions.rotateRefresh = async (...rotation) => {
      await rotateRefresh(...rotation)
      throw new Error('connection cut after the commit')
    }
    expect((await refresh(host, tokens.refresh_token)).status).toBe(503)
    host.stores.sessions.rotateRefresh = rotateRefresh
    const second = (await refresh(host, tokens.refresh_token)).body as Tokens
    expect((await refresh(host, second.refresh_token)).status).toBe(200)
  })

  it('asks nobody about a token that is invented', async () => {
    const asked: string[] = []
    const host = await startHost({
      options: { beforeLogin: ({ door }) => void asked.push(door) as undefined },
    })
    const { tokens } = await open(host)
    asked.length = 0
    await refresh(host, `mar_rt_${sidOf(tokens.access_token)}.${'A'.repeat(65)}`)
    expect(asked).toEqual([])
  })

  it('does not take a token back that was spent, because the clock was set back', async () => {
    const host = await startHost()
    const { tokens: first } = await open(host)
    const second = (await refresh(host, first.refresh_token)).body as Tokens
    await refresh(host, second.refresh_token)
    host.clock.advance(-3600)
    expect((await refresh(host, first.refresh_token)).body).toEqual(invalidGrant)
  })
})

describe('a spent refresh token', () => {
  it('N-2, shown when its time is over, ends the session for the thief and the owner alike', async () => {
    const host = await startHost()
    const { tokens: first } = await open(host)
    const second = (await refresh(host, first.refresh_token)).body as Tokens
    const third = (await refresh(host, second.refresh_token)).body as Tokens
    host.clock.advance(31)
    expect((await refresh(host, first.refresh_token)).body).toEqual(invalidGrant)
    expect((await refresh(host, third.refresh_token)).body).toEqual(invalidGrant)
    expect((await get(host, '/me', bearer(third.access_token))).status).toBe(401)
    expect(host.events.find(({ type }) => type === 'refresh.reused')).toMatchObject({
      userId: 'u-alice',
    })
    expect(host.events.find(({ type }) => type === 'session.ended')).toMatchObject({
      reason: 'refresh-reused',
    })
  })

  it('is known as such however long ago it was spent', async () => {
    const host = await startHost()
    const { tokens: first } = await open(host)
    let { refresh_token } = first
    for (let i = 0; i < 20; i += 1) {
      host.clock.advance(60)
      refresh_token = (await refresh(host, refresh_token)).body.refresh_token
    }
    const row = await host.stores.sessions.find(sidOf(first.access_token))
    expect(row?.refresh?.spent.length).toBeLessThanOrEqual(2)
    expect((await refresh(host, first.refresh_token)).body).toEqual(invalidGrant)
    expect((await refresh(host, refresh_token)).body).toEqual(invalidGrant)
  })

  it('ends its own session only', async () => {
    const host = await startHost()
    const { authToken, tokens } = await open(host)
    const other = (await open(host)).tokens
    const second = (await refresh(host, tokens.refresh_token)).body as Tokens
    await refresh(host, second.refresh_token)
    host.clock.advance(31)
    await refresh(host, tokens.refresh_token)
    expect((await refresh(host, other.refresh_token)).status).toBe(200)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })
})

describe('an invented refresh token', () => {
  it('with the id of a living session neither opens nor ends it', async () => {
    const host = await startHost()
    const { tokens } = await open(host)
    const sid = sidOf(tokens.access_token)
    for (const invented of [
      `mar_rt_${sid}.${'A'.repeat(65)}`,
      `${tokens.refresh_token.slice(0, -1)}${tokens.refresh_token.endsWith('A') ? 'B' : 'A'}`,
    ]) {
      expect((await refresh(host, invented)).body).toEqual(invalidGrant)
    }
    expect((await refresh(host, tokens.refresh_token)).status).toBe(200)
  })

  it('of another session’s secret is nobody’s', async () => {
    const host = await startHost()
    const [one, other] = [(await open(host)).tokens, (await open(host)).tokens]
    const swapped = `mar_rt_${sidOf(other.access_token)}.${one.refresh_token.split('.')[1]}`
    expect((await refresh(host, swapped)).body).toEqual(invalidGrant)
    expect((await refresh(host, other.refresh_token)).status).toBe(200)
  })

  it('is refused with the same bytes as one of an ended session', async () => {
    const host = await startHost()
    const { tokens } = await open(host)
    const unknown = await refresh(host, `mar_rt_${'A'.repeat(22)}.${'A'.repeat(65)}`)
    let left = remainingOf(unknown)
    await post(host, '/logout', undefined, bearer(tokens.access_token))
    for (const token of [tokens.refresh_token, 'rubbish', tokens.access_token]) {
      const response = await refresh(host, token)
      expect(response.text).toBe(unknown.text)
      expect(uncountedHeadersOf(response)).toEqual(uncountedHeadersOf(unknown))
      // One each, whatever the reason: what is left must not tell one from another.
      left -= 1
      expect(remainingOf(response)).toBe(left)
    }
    await afterAttack(host, unknown, [tokens.refresh_token, tokens.access_token])
  })

  it('for a session that has none, such as a login’s, is invalid', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    expect((await refresh(host, `mar_rt_${sidOf(authToken)}.${'A'.repeat(65)}`)).body).toEqual(
      invalidGrant,
    )
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })

  it.each([[undefined], [''], [7], [null], [['a']], [{ $gt: '' }]])(
    '%j is a malformed request, in the words of RFC 6749',
    async (token) => {
      const host = await startHost()
      expect((await refresh(host, token)).body).toMatchObject({
        error: 'invalid_request',
        error_description: expect.any(String),
      })
    },
  )
})

describe('whoever may not sign in', () => {
  it('may not refresh: disabled, deleted, vetoed', async () => {
    const host = await startHost({
      options: {
        beforeLogin: ({ door, user }) =>
          door === 'refresh' && user.name === 'vetoed' ? 'No.' : undefined,
      },
    })
    const { tokens } = await open(host)
    host.users.change('u-alice', { name: 'vetoed' })
    expect((await refresh(host, tokens.refresh_token)).body).toEqual(invalidGrant)
    host.users.change('u-alice', { name: 'Alice', disabled: true })
    expect((await refresh(host, tokens.refresh_token)).body).toEqual(invalidGrant)
    host.users.change('u-alice', { disabled: false })
    expect((await refresh(host, tokens.refresh_token)).status).toBe(200)
    host.users.rows.clear()
    expect((await refresh(host, tokens.refresh_token)).body).toEqual(invalidGrant)
  })

  it('may not refresh a session from before the second factor', async () => {
    const host = await startHost()
    const { tokens } = await open(host)
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    expect((await refresh(host, tokens.refresh_token)).body).toEqual(invalidGrant)
    const { authToken } = await logIn(host, {
      username: 'alice',
      password,
      code: totpCode(totpSecret, host.clock()),
    })
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    // Not even the store of factors is needed any more.
    host.stores.secondFactors.find = () => Promise.reject(new Error('down'))
    expect((await refresh(host, body.refresh_token)).status).toBe(200)
  })
})

describe('a refresh in the middle of a logout', () => {
  it('never revives the session: whoever was told 200 by logout is logged out', async () => {
    const host = await startHost()
    for (let round = 0; round < 20; round += 1) {
      const { tokens } = await open(host)
      const [out, ...refreshed] = await Promise.all([
        post(host, '/logout', undefined, bearer(tokens.access_token)),
        ...Array.from({ length: 5 }, () => refresh(host, tokens.refresh_token)),
      ])
      expect(out.status).toBe(200)
      for (const { body } of refreshed.filter(({ status }) => status === 200)) {
        expect((await get(host, '/me', bearer(body.access_token))).status).toBe(401)
        expect((await refresh(host, body.refresh_token)).body).toEqual(invalidGrant)
      }
    }
  })
})

describe('what is stored and written down', () => {
  it('holds no refresh token, and nothing that one could be made from', async () => {
    const host = await startHost()
    const { tokens } = await open(host)
    const second = (await refresh(host, tokens.refresh_token)).body as Tokens
    const row = await host.stores.sessions.find(sidOf(tokens.access_token))
    const written = JSON.stringify([row, host.events, host.log])
    for (const { refresh_token } of [tokens, second]) {
      const secret = (refresh_token.split('.')[1] ?? '').slice(0, 43)
      expect(written).not.toContain(secret)
    }
  })
})

describe('what the audit stream is told', () => {
  const told = ({ events }: TestHost) => events.filter(({ type }) => type.startsWith('refresh.'))

  it('is whose session was refreshed, and why one was not', async () => {
    const host = await startHost()
    const { authToken, tokens: first } = await open(host)
    const whose = { userId: 'u-alice', sessionId: sidOf(first.access_token) }
    const second = (await refresh(host, first.refresh_token)).body as Tokens
    const third = (await refresh(host, second.refresh_token)).body as Tokens
    await refresh(host, 'rubbish')
    await refresh(host, `mar_rt_${whose.sessionId}.${'A'.repeat(65)}`)
    await refresh(host, `mar_rt_${sidOf(authToken)}.${'A'.repeat(65)}`)
    host.clock.advance(31)
    await refresh(host, first.refresh_token)
    await refresh(host, third.refresh_token)
    expect(told(host)).toMatchObject([
      { type: 'refresh.succeeded', ...whose },
      { type: 'refresh.succeeded', ...whose },
      { type: 'refresh.refused', reason: 'unknown-or-ended', userId: null, sessionId: null },
      { type: 'refresh.refused', reason: 'unknown-or-ended', ...whose },
      {
        type: 'refresh.refused',
        reason: 'unknown-or-ended',
        userId: 'u-alice',
        sessionId: sidOf(authToken),
      },
      { type: 'refresh.reused', ...whose },
      { type: 'refresh.refused', reason: 'reused', ...whose },
      { type: 'refresh.refused', reason: 'unknown-or-ended', userId: null, sessionId: null },
    ])
  })

  it('is the same of a session that ended, or went on without it, while its token was rotated', async () => {
    const host = await startHost()
    const { tokens } = await open(host)
    const { rotateRefresh, find } = host.stores.sessions
    host.stores.sessions.rotateRefresh = async () => ({ outcome: 'ended' })
    const ended = await refresh(host, tokens.refresh_token)
    host.stores.sessions.rotateRefresh = async () => ({ outcome: 'superseded' })
    let reads = 0
    host.stores.sessions.find = async (id) => {
      const row = await find(id)
      reads += 1
      return row?.refresh && reads === 2
        ? { ...row, refresh: { ...row.refresh, hash: 'of another', spent: [] } }
        : row
    }
    const outrun = await refresh(host, tokens.refresh_token)
    Object.assign(host.stores.sessions, { rotateRefresh, find })
    const whose = { userId: 'u-alice', sessionId: sidOf(tokens.access_token) }
    for (const { body } of [ended, outrun]) expect(body).toEqual(invalidGrant)
    expect(told(host)).toMatchObject([
      { type: 'refresh.refused', reason: 'unknown-or-ended', ...whose },
      { type: 'refresh.refused', reason: 'unknown-or-ended', ...whose },
    ])
    expect((await refresh(host, tokens.refresh_token)).status).toBe(200)
  })
})
