// A client whose types openapi-typescript has made of openapi.json: the compiler checks what it
// sends and reads (npm run check -- --only types), and a router answers it.
import createClient from 'openapi-fetch'
import { describe, expect, it } from 'vitest'
import { bearer, pkcePair } from '../support/client.js'
import { password, startHost } from '../support/host.js'
import type { paths } from './generated/api.js'

describe('a client that openapi-typescript has made', () => {
  it('signs in, hands its sign-in to another device, stays signed in and signs out', async () => {
    const host = await startHost()
    const api = createClient<paths>({ baseUrl: host.url })
    const login = await api.POST('/login', { body: { username: 'alice', password } })
    const { authToken, me } = login.data?.data ?? { authToken: '', me: undefined }
    host.issued.add(authToken)
    expect(me?.status).toBe('offline')

    const headers = bearer(authToken)
    const { codeVerifier, codeChallenge } = pkcePair()
    const issued = await api.POST('/auth/pkce/authorize', { body: { codeChallenge }, headers })
    const authorizationCode = issued.data?.data.authorizationCode ?? ''
    const tokens = await api.POST('/auth/pkce/token', { body: { authorizationCode, codeVerifier } })
    const refreshToken = tokens.data?.refresh_token ?? ''
    const next = await api.POST('/auth/refresh', { body: { refreshToken } })
    const second = bearer(next.data?.access_token ?? '')
    expect((await api.GET('/me', { headers: second })).data?.username).toBe('alice')

    const listed = await api.GET('/auth/sessions', { headers })
    const other = listed.data?.data.sessions.find(({ current }) => !current)
    const params = { path: { id: other?.id ?? '' } }
    const ended = await api.DELETE('/auth/sessions/{id}', { params, headers })
    expect(ended.data?.data.revoked).toBe(1)
    expect((await api.GET('/me', { headers: second })).response.status).toBe(401)
    expect((await api.POST('/logout', { headers })).response.status).toBe(200)
  })

  it('tells refusals apart by their names, each with its details', async () => {
    const host = await startHost()
    const api = createClient<paths>({ baseUrl: host.url })
    const { error } = await api.POST('/login', { body: { username: 'alice', password: 'wrong' } })
    expect(error?.error).toBe('Unauthorized')
    const empty = await api.POST('/login', { body: { username: 'alice', password: '' } })
    const issues = empty.error?.error === 'invalid-request' ? empty.error.details?.issues : []
    expect(issues?.map(({ path }) => path)).toEqual(['password'])
  })
})
