// Makes one call of one part of the host fail, whichever it is.
import { expect } from 'vitest'
import { type Ask, type Outcome, requests, type Scene, startTapped } from './call-sites.js'
import { logIn, obtainCode, post } from './client.js'
import { password } from './host.js'

/** The calls that a request made, and how it was answered. */
export interface Answered {
  readonly calls: readonly string[]
  readonly outcome: Outcome
  /** The same again. */
  readonly ask: Ask
}

/** Asks for something by name, with one of the calls failing where that is wanted. */
export async function askWith(
  name: string,
  scene: Scene,
  failure?: { place: number; how: () => unknown },
): Promise<Answered> {
  const ask = await (requests[name] as (scene: Scene) => Promise<Ask>)(scene)
  // What was read and verified so far is forgotten, so that every part is asked again; a ticket
  // would be over by then.
  scene.host.clock.advance(name === 'sockets.authenticate()' ? 6 : 31)
  const calls: string[] = []
  Object.assign(scene.tap, { calls, failsAt: failure?.place ?? null, how: failure?.how })
  const outcome = await ask()
  Object.assign(scene.tap, { calls: null, failsAt: null })
  return { calls, outcome, ask }
}

/** Calls that no answer hangs on: what fails here is made good later, or was only tidying up. */
const inPassing = [
  'sessions.touch',
  'secondFactors.reseal',
  'users.updatePasswordHash',
  'passwords.needsRehash',
  // A hasher that cannot say whether it would cut a password refuses such a one by itself.
  'passwords.whyRefused',
  'limiter.reward',
  'limiter.delete',
  // Of known networks, and of what a name has failed: what cannot be read or written makes the
  // limits stricter.
  'limiter.get',
  'limiter.set',
  'limiter.penalty',
  'bus.publish',
  // When an account was used last only informs.
  'identities.used',
]

/** Requests that look for sessions too many, which the next one can do as well. */
const signIns = [
  'POST /login',
  'POST /auth/code/login',
  'POST /auth/register/confirm',
  'POST /auth/providers/finish',
  'POST /auth/device-links/collect',
  'POST /auth/pkce/token',
  'POST /oauth/token with a code',
]

/** What forgets the networks of a user as well. */
const endsAll = [
  'sessions.revokeAllForUser',
  'passwordChanged',
  'accounts.endEverything',
  'accounts.delete',
  'POST /auth/password/reset',
  'POST /auth/email/undo',
]

/** Who asks for a link or a code is answered before anything is looked up. */
const answeredFirst = ['POST /auth/password/forgot', 'POST /auth/code', 'POST /auth/register']

/** Whose first row of a kind is preceded by one that tries whether the store keeps all members. */
const checkedFirst = [
  'POST /oauth/token with a code and an assertion',
  'POST /oauth/token of a service',
  'POST /auth/device-links',
]

/**
 * The write that changes the factor, where sessions are ended before it, and once more after it for
 * those that came meanwhile.
 */
const endsTwice: Readonly<Record<string, string>> = {
  'POST /auth/totp/confirm': 'secondFactors.confirm',
  'POST /auth/totp/disable': 'secondFactors.deactivate',
  'POST /auth/email/second-factor, on': 'users.setEmailFactor',
  'POST /auth/email/second-factor, off': 'users.setEmailFactor',
  'secondFactors.importTotp()': 'secondFactors.activate',
}

// Null where nothing is special about it.
function isOfPasswords(request: string, before: readonly string[], call: string): boolean | null {
  if (answeredFirst.includes(request) && [...before, call].includes('users.findByIdentifier'))
    return true
  // Networks that stay known, before anything is deleted.
  if (request.startsWith('POST /auth/account/delete')) return call === 'limiter.set' ? false : null
  if (!request.startsWith('POST /auth/password')) return null
  // The hash is that of the new password, and no better one of the old; then networks go.
  if (call === 'passwords.hash' || call === 'users.updatePasswordHash') return false
  return call === 'limiter.set' && before.includes('users.updatePasswordHash') ? false : null
}

/** Done once their proof is used up: links that are left over are worth nothing by then. */
const doneByProof = [
  'POST /auth/password/reset',
  'POST /auth/email/confirm of a new address',
  'POST /auth/email/undo',
]

/** Whether a request is answered as usual although the call at this place failed. */
export function isDoneInPassing(request: string, calls: readonly string[], place: number): boolean {
  const before = calls.slice(0, place)
  const call = calls[place] ?? ''
  // Whether there was a change that can still be undone: what cannot be read must not allow one.
  if (request.startsWith('POST /auth/email/change') && call === 'limiter.get') return false
  // There is a user by then, whom nobody else can become.
  if (request === 'POST /auth/register/confirm' && call === 'proofs.consume') return true
  if (doneByProof.includes(request) && before.includes('proofs.consume')) return true
  return isOfPasswords(request, before, call) ?? isOfOthers(request, before, call)
}

function isOfOthers(request: string, before: readonly string[], call: string): boolean {
  // The host is told that it must call again: networks that stay known would be a thief's.
  if (endsAll.some((name) => request.startsWith(name)) && call.startsWith('limiter.')) return false
  if (call === 'sessions.listForUser' || call === 'sessions.countForUser')
    return signIns.some((name) => request.startsWith(name))
  if (call === 'sessions.endAllForUser' || call === 'sessions.setMethods')
    return before.includes(endsTwice[request] ?? 'none')
  // Whether an old hash is still there, and the mark of what replaces it.
  if (call === 'users.findById' && before.at(-1) === 'passwords.hash') return true
  if (call === 'sessions.addPasswordMark') return request.startsWith('POST /login')
  // The hash that replaces an old one.
  if (call === 'passwords.hash') return before.includes('passwords.verify')
  return inPassing.includes(call) || isForApps(before, call)
}

// Which app is told that a session has ended, once the session has.
function isForApps(before: readonly string[], call: string): boolean {
  if (call === 'sessions.find') return before.at(-1) === 'bus.publish'
  return call === 'clients.find' && before.at(-2) === 'bus.publish'
}

const secretMessage = `duplicate key "${password}"`

/**
 * Lets each call that a request makes fail, one at a time: 503 and nothing told, and asking again
 * works.
 */
export async function expectOutageAtEveryCall(
  name: string,
  fail: (message: string) => unknown,
): Promise<void> {
  const { host, newScene } = await startTapped()
  // The first password of a process makes the hash that the passwords of unknown names are compared
  // with, and its first sessions try whether the stores keep all of their members.
  const { authToken } = await logIn(host, { username: newScene().user.name, password })
  await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
  for (const one of [...checkedFirst, ...answeredFirst]) await askWith(one, newScene())
  const usual = await askWith(name, newScene())
  expect(usual.outcome.status).toBeLessThan(500)
  expect(usual.calls.length).toBeGreaterThan(0)
  for (const [place, call] of usual.calls.entries()) {
    const { calls, outcome, ask } = await askWith(name, newScene(), {
      place,
      how: () => fail(secretMessage),
    })
    const where = `${call}, call ${place} of ${usual.calls.join(' ')}`
    expect(calls[place], where).toBe(call)
    expect([where, outcome.status]).toEqual([where, statusWithout(name, usual, place)])
    expectNothingTold(outcome, where)
    // Once more: done, or known to be used up; never an outage that stays.
    expect((await ask()).status, where).toBeLessThan(500)
  }
  expect(JSON.stringify([host.log, host.events])).not.toContain(password)
  expect(host.unforeseen).toEqual([])
}

function expectNothingTold({ status, text, retryAfter }: Outcome, where: string): void {
  expect(text, where).not.toContain(password)
  if (status !== 503) return
  expect(text, 'no token of any kind').not.toMatch(/eyJ|mar_rt_|"data"|[\w-]{43}/)
  expect(retryAfter, where).toBeGreaterThan(0)
}

function statusWithout(request: string, { calls, outcome }: Answered, place: number): number {
  // A hash that cannot be judged is one that cannot be read, or names that are known would answer
  // otherwise than unknown ones.
  if (calls[place] === 'passwords.canRead') return 401
  return isDoneInPassing(request, calls, place) ? outcome.status : 503
}
