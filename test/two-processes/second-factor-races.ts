// Second factors and passkeys: each code, challenge and credential works once.
import { expect } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { assertion, creation, newPasskey } from '../passkeys/authenticator.js'
import { logInAt } from '../support/account-steps.js'
import { password, totpSecret } from '../support/host.js'
import type { Answer, ServerProcess } from '../support/server-processes.js'
import type { Race, Servers } from './races.js'

async function withTotp(servers: Servers) {
  const { one, other } = servers
  const { id: userId, username } = await servers.addUser()
  const { recoveryCodes } = await one.call<{ recoveryCodes: readonly string[] }>(
    'auth.secondFactors.importTotp',
    { userId, secret: totpSecret },
  )
  const codesLeft = async () => {
    const path = 'auth.secondFactors.status'
    return (await other.call<{ recoveryCodesLeft: number }>(path, userId)).recoveryCodesLeft
  }
  return { username, recoveryCodes, codesLeft }
}

const totp: readonly Race[] = [
  {
    title: 'log in by one TOTP code: one is let in',
    async prepare(servers) {
      const { username, codesLeft } = await withTotp(servers)
      const body = { username, password, code: totpCode(totpSecret, new Date()) }
      return {
        send: (server) => server.post('/login', body),
        refusals: ['401 totp-invalid'],
        after: async () => expect(await codesLeft()).toBe(10),
      }
    },
  },
  {
    title: 'log in by one recovery code: one is let in',
    async prepare(servers) {
      const { username, recoveryCodes, codesLeft } = await withTotp(servers)
      const body = { username, password, code: recoveryCodes[0] }
      return {
        send: (server) => server.post('/login', body),
        refusals: ['401 totp-invalid'],
        after: async () => expect(await codesLeft()).toBe(9),
      }
    },
  },
]

/** Somebody who is signed in, and is about to add a passkey. */
async function aboutToAdd({ one, other, addUser }: Servers, given?: Parameters<typeof newPasskey>) {
  const { username } = await addUser()
  const token = await logInAt(one, username)
  const passkey = newPasskey(...(given ?? []))
  const { data } = await other.post('/auth/passkeys/options', {}, token)
  passkey.userHandle = data.user.id
  const response = creation(passkey, data.challenge)
  return { login: { username, password }, token, passkey, response }
}

/** Somebody with a passkey. */
async function withPasskey(servers: Servers) {
  const { login, token, passkey, response } = await aboutToAdd(servers)
  const added = await servers.one.post('/auth/passkeys', { response }, token)
  expect(added.status, added.error).toBe(200)
  return { login, token, passkey, codes: added.data.recoveryCodes as readonly string[] }
}

async function sessionsOf({ ask }: ServerProcess, token: string): Promise<number> {
  return (await ask('GET', '/auth/sessions', undefined, token)).data.sessions.length
}

const tokenOf = (answer: Answer | undefined) => answer?.data.authToken as string

/** Of the passkey that a password login asks for. */
async function dueAt({ url }: ServerProcess, login: object): Promise<string> {
  const headers = { 'Content-Type': 'application/json' }
  const asked = { method: 'POST', headers, body: JSON.stringify(login) }
  const answer = await fetch(`${url}/login`, asked)
  return ((await answer.json()) as { details: { passkeyOptions: { challenge: string } } }).details
    .passkeyOptions.challenge
}

// Who is refused too often is told so instead.
const passkeyRefused = ['401 Unauthorized', '429 too-many-requests']

const additions: readonly Race[] = [
  {
    title: 'add one passkey: one adds it, and gets the recovery codes',
    async prepare(servers) {
      const { token, response } = await aboutToAdd(servers)
      return {
        send: (server) => server.post('/auth/passkeys', { response }, token),
        refusals: ['400 invalid-request'],
        after: async ([winner]) => expect(winner?.data.recoveryCodes).toHaveLength(10),
      }
    },
  },
  {
    title: 'remove one passkey: one does',
    async prepare(servers) {
      const { token, passkey } = await withPasskey(servers)
      return {
        send: ({ ask }) => ask('DELETE', `/auth/passkeys/${passkey.id}`, undefined, token),
        refusals: ['404 not-found', '403 reauthentication-required'],
        async after() {
          const { data } = await servers.one.ask('GET', '/auth/passkeys', undefined, token)
          expect(data.passkeys).toEqual([])
        },
      }
    },
  },
]

async function challengeOf({ post }: ServerProcess, token?: string): Promise<string> {
  return (await post('/auth/passkey/options', {}, token)).data.challenge
}

async function signedInBy(servers: Servers, token: string) {
  const before = await sessionsOf(servers.one, token)
  return async (won: readonly Answer[]) =>
    expect(await sessionsOf(servers.other, tokenOf(won[0]))).toBe(before + won.length)
}

const signIns: readonly Race[] = [
  {
    title: 'sign in by one answer of a passkey: one is let in',
    async prepare(servers) {
      const { one, other } = servers
      const counting = [{ flags: { be: false, bs: false }, counter: 1 }] as const
      const { token, passkey, response } = await aboutToAdd(servers, [...counting])
      expect((await one.post('/auth/passkeys', { response }, token)).status).toBe(200)
      const shown = assertion(passkey, await challengeOf(other), { counter: 2 })
      return {
        send: (server) => server.post('/auth/passkey/login', { response: shown }),
        refusals: passkeyRefused,
        after: await signedInBy(servers, token),
      }
    },
  },
  {
    title: 'show one passkey besides a password: one is let in',
    async prepare(servers) {
      const { login, token, passkey } = await withPasskey(servers)
      const shown = assertion(passkey, await dueAt(servers.one, login))
      return {
        send: (server) => server.post('/login', { ...login, passkey: shown }),
        refusals: ['401 totp-invalid', '429 too-many-requests'],
        after: await signedInBy(servers, token),
      }
    },
  },
  {
    title: 'show one recovery code of passkeys besides a password: one is let in',
    async prepare(servers) {
      const { login, token, codes } = await withPasskey(servers)
      return {
        send: (server) => server.post('/login', { ...login, code: codes[0] }),
        refusals: ['401 totp-invalid'],
        after: await signedInBy(servers, token),
      }
    },
  },
  {
    title: 'prove anew by one answer of a passkey: one does',
    async prepare(servers) {
      const { token, passkey } = await withPasskey(servers)
      const shown = { passkey: assertion(passkey, await challengeOf(servers.one, token)) }
      return {
        send: (server) => server.post('/auth/reauthenticate', shown, token),
        refusals: passkeyRefused,
      }
    },
  },
]

export const secondFactorRaces: readonly Race[] = [...totp, ...additions, ...signIns]
