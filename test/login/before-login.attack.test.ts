import { describe, expect, it } from 'vitest'
import type { AuthEvent, LoginAttempt } from '../../src/index.js'
import { logIn, obtainCode, post } from '../support/client.js'
import { password, startHost } from '../support/host.js'

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** Tries to say that more was proven than was. */
function forge(methods: readonly string[]): string {
  try {
    ;(methods as string[]).push('otp')
    return 'changed'
  } catch (error) {
    return (error as Error).name
  }
}

describe('beforeLogin', () => {
  it('is told which door a sign-in comes through', async () => {
    const doors: string[] = []
    const host = await startHost({
      options: { beforeLogin: ({ door }) => void doors.push(door) as undefined },
    })
    const { authToken } = await logIn(host)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    expect((await post(host, '/auth/refresh', { refreshToken: body.refresh_token })).status).toBe(
      200,
    )
    expect(doors).toEqual(['login', 'authorization-code', 'code-exchange', 'refresh'])
  })

  it('refuses with a reason of ours when its own is empty', async () => {
    const host = await startHost({ options: { beforeLogin: () => '' } })
    const response = await post(host, '/login', { username: 'alice', password })
    expect(response.status).toBe(403)
    expect(response.body).toMatchObject({
      error: 'forbidden',
      message: expect.stringMatching(/\w/),
    })
  })

  it('and the audit sink cannot change what was proven', async () => {
    const attempts: string[] = []
    const beforeLogin = ({ methods }: LoginAttempt) =>
      void attempts.push(forge(methods)) as undefined
    const host = await startHost({ options: { beforeLogin } })
    const { authToken } = await logIn(host)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    const refreshed = await post(host, '/auth/refresh', { refreshToken: body.refresh_token })
    expect(attempts).toEqual(['TypeError', 'TypeError', 'TypeError', 'TypeError'])
    for (const token of [authToken, body.access_token, refreshed.body.access_token])
      expect(claimsOf(token).amr).toEqual(['pwd'])
  })
})

describe('an audit event', () => {
  it('cannot be changed by the sink that receives it, nor can what was proven', async () => {
    const outcomes: string[] = []
    const onEvent = (event: AuthEvent) => {
      expect(Object.isFrozen(event)).toBe(true)
      if ('methods' in event) outcomes.push(`${event.type}: ${forge(event.methods)}`)
    }
    const host = await startHost({ options: { onEvent } })
    const { authToken } = await logIn(host)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    expect(outcomes).toEqual([
      'session.started: TypeError',
      'login.succeeded: TypeError',
      'session.started: TypeError',
    ])
    expect(host.log.filter(({ level }) => level === 'error')).toEqual([])
    for (const token of [authToken, body.access_token]) expect(claimsOf(token).amr).toEqual(['pwd'])
    const stored = await host.stores.sessions.listForUser('u-alice', host.clock())
    expect(stored.map(({ methods }) => methods)).toEqual([['pwd'], ['pwd']])
  })
})
