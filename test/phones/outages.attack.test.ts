// Whatever part of the host fails while a number is used, nobody is let in, and nothing is lost.
import { describe, expect, it } from 'vitest'
import { asAlice } from '../accounts/account-host.js'
import { logIn, post } from '../support/client.js'
import { password } from '../support/host.js'
import {
  changeTo,
  codeFor,
  number,
  otherNumber,
  type PhoneHost,
  signIn,
  startPhones,
} from './phone-host.js'

/** Makes the call with this number fail, from a moment on; counts them. */
interface Failing {
  calls: number
  /** Null: none. */
  fails: number | null
}

/** In place: the router calls the methods of the host's own objects. */
function letFail(part: object, state: Failing): void {
  const methods = part as Record<string, unknown>
  for (const [name, method] of Object.entries(methods)) {
    if (typeof method !== 'function') continue
    methods[name] = (...given: unknown[]) => {
      state.calls += 1
      if (state.calls === state.fails) return Promise.reject(new Error('the database is away'))
      return Reflect.apply(method, part, given)
    }
  }
}

async function start() {
  const state: Failing = { calls: 0, fails: null }
  const host = await startPhones()
  for (const part of [host.users, host.stores.sessions, host.stores.proofs]) letFail(part, state)
  return { host, state }
}

type Send = () => PromiseLike<{ status: number }>

/** Each prepares a request, and answers how to send it. */
const requests: Readonly<Record<string, (host: PhoneHost) => Promise<Send>>> = {
  'POST /auth/code/login': async (host) => {
    await logIn(host)
    const asked = await codeFor(host)
    return () => signIn(host, asked)
  },
  'POST /auth/phone/change': async (host) => {
    const alice = await asAlice(host)
    return () => alice.post('/auth/phone/change', { phone: otherNumber, password })
  },
  'POST /auth/phone/confirm': async (host) => {
    const { user, given } = await changeTo(host, otherNumber)
    return () => user.post('/auth/phone/confirm', given)
  },
  'POST /auth/phone/second-factor': async (host) => {
    const alice = await asAlice(host)
    return () => alice.post('/auth/phone/second-factor', { enabled: true, password })
  },
  'POST /login by a number': async (host) => () => post(host, '/login', { user: number, password }),
}

describe.each(Object.entries(requests))('%s', (_name, prepare) => {
  it('answers 503 at each failure of a store that it needs, and then works', async () => {
    let reached = true
    let failures = 0
    for (let at = 1; reached; at += 1) {
      const { host, state } = await start()
      const send = await prepare(host)
      await host.texted()
      Object.assign(state, { calls: 0, fails: at })
      const { status } = await send()
      await host.texted()
      reached = state.calls >= at
      state.fails = null
      // What is done in passing fails without anybody's knowing.
      expect([200, 202, 503]).toContain(status)
      if (status !== 503) continue
      failures += 1
      const again = await send()
      // A code that was used up by the failed request is over, and nobody was let in.
      expect([200, 202, 400, 409, 503]).toContain(again.status)
      if (again.status === 400) expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
    }
    expect(failures).toBeGreaterThan(2)
  })
})
