// What can be done to the machine: what is sent, and what the promise says must come back and be so
// from then on.
import { createHash } from 'node:crypto'
import { totpCode } from '../../../src/testing/testing.js'
import { password } from '../../support/host.js'
import type { Answer, Arena } from './arena.js'
import {
  begin,
  collect,
  finish,
  finishAll,
  isAlive,
  keep,
  type ModelCode,
  type ModelRefresh,
  type ModelSession,
  opens,
  type State,
  sessionOf,
  use,
  usePair,
} from './state.js'

/** One thing to do, with everything chosen that can be chosen. */
export interface Action {
  readonly name: string
  send(arena: Arena): Promise<Answer>
  /**
   * Holds the answer against the state and changes the state, or throws {@link Broken}. Of two
   * actions at once, one may have been let in by what `seen` holds, although the other has changed
   * it meanwhile; one-time state is never judged by it.
   */
  explain(state: State, answer: Answer, seen?: State): void
}

/**
 * Makes an action for the state, choosing by a number; null where there is nothing to do it with.
 */
export type Plan = (state: State, choice: number) => Action | null

/** A promise was broken. */
export class Broken extends Error {}

/** Throws unless it holds. */
export function hold(holds: boolean, promise: string, answer: Answer): void {
  if (!holds)
    throw new Broken(`${promise}; the answer was ${answer.status} ${JSON.stringify(answer.body)}`)
}

/** Throws unless the answer is the promised one. */
export function expectStatus(answer: Answer, status: number, error?: string): void {
  const isAsPromised =
    answer.status === status && (error === undefined || answer.body['error'] === error)
  hold(isAsPromised, `${status} ${error ?? ''} was promised`, answer)
}

/** One of a list, by a number. */
export const pick = <T>(list: readonly T[], choice: number): T | undefined =>
  list[choice % Math.max(1, list.length)]
/** `data` of an answer. */
export const dataOf = ({ body }: Answer) => body['data'] as Record<string, string>
const seconds = (moment: number) => Math.floor(moment / 1000)

interface Claims {
  readonly sub: string
  readonly sid: string
  readonly exp: number
}

function claimsOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims
}

/** The headers that carry a token: either way, as it comes. */
export function carry(token: string, { userId }: State, choice: number): Record<string, string> {
  return choice % 2 === 0
    ? { Authorization: `Bearer ${token}` }
    : { 'X-Auth-Token': token, 'X-User-Id': userId }
}

function addAccess(state: State, token: string, answer: Answer, exp: number): void {
  const { refresh_token: pair = null } = answer.body as { refresh_token?: string }
  const { sub, exp: end } = claimsOf(token)
  hold(
    sub === state.userId && end === exp,
    `a token of ${state.userId} until ${exp} was promised`,
    answer,
  )
  state.access.push({ token, sid: claimsOf(token).sid, end: end * 1000, pair })
}

/**
 * The session by which a request is let in; undefined when it must be refused, which is then
 * checked.
 */
export function admitted(
  state: State,
  token: string,
  answer: Answer,
  seen: State = state,
): ModelSession | undefined {
  const session = opens(seen, token)
  if (session === undefined) {
    expectStatus(answer, 401, 'Unauthorized')
    return undefined
  }
  const mine = sessionOf(state, session.id) as ModelSession
  if (isAlive(mine, state.now)) {
    use(state, mine)
    usePair(state, mine, token)
  }
  return mine
}

/** Somebody shows a token. */
export const guard: Plan = (state, choice) => {
  const access = pick(state.access, choice)
  if (access === undefined) return null
  return {
    name: `guard with token ${state.access.indexOf(access)}`,
    send: (arena) => arena.ask('GET', '/me', undefined, carry(access.token, state, choice)),
    explain(now, answer, seen) {
      if (admitted(now, access.token, answer, seen) === undefined) return
      expectStatus(answer, 200)
      hold(answer.body['_id'] === now.userId, 'the user of the token was promised', answer)
    },
  }
}

/** The kinds of second-factor codes that can be sent. */
type CodeKind = 'none' | 'right' | 'next' | 'wrong' | 'again' | 'recovery'
/** All of them, the right one more often. */
export const codeKinds: readonly CodeKind[] = [
  'right',
  'none',
  'next',
  'right',
  'wrong',
  'again',
  'recovery',
]

/** A code of the kind; undefined where there is none. */
export function codeFor(state: State, kind: CodeKind): string | undefined {
  const secret = state.factor?.secret ?? [...state.pending.values()].at(-1)?.secret
  if (kind === 'none' || secret === undefined) return undefined
  const codeAt = (steps: number) => totpCode(secret, new Date(state.now + steps * 30_000))
  if (kind === 'right') return codeAt(0)
  if (kind === 'next') return codeAt(1)
  if (kind === 'again') return state.lastCode ?? codeAt(-3)
  if (kind === 'recovery') return state.recoveryCodes[0] ?? 'AAAA-AAAA-AAAA-AAAA-AAAA-AAAA'
  return codeAt(-3)
}

/** Whether the code proves the second factor, which uses it up. */
export function proves(state: State, code: string): boolean {
  const { factor, now } = state
  if (factor === null) return false
  if (state.recoveryCodes.includes(code)) {
    state.recoveryCodes = state.recoveryCodes.filter((one) => one !== code)
    return true
  }
  const step = stepOf(factor.secret, code, now)
  if (step === undefined || step <= factor.lastStep) return false
  factor.lastStep = step
  state.lastCode = code
  return true
}

/** The step around now whose code this is. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const step = Math.floor(now / 30_000)
  return [step + 1, step, step - 1].find((one) => totpCode(secret, new Date(one * 30_000)) === code)
}

/** Password, and a code as it comes. */
export const logIn: Plan = (state, choice) => {
  const isRight = choice % 8 !== 7
  const code = codeFor(state, pick(codeKinds, choice) ?? 'none')
  const body = {
    username: state.userId,
    password: isRight ? password : 'not the password',
    ...(code === undefined ? {} : { code }),
  }
  return {
    name:
      `login with ${isRight ? 'the' : 'a wrong'} ` +
      `password${code === undefined ? '' : ` and code ${code}`}`,
    send: (arena) => arena.ask('POST', '/login', body),
    explain(now, answer) {
      if (!isRight || now.disabled) return expectStatus(answer, 401, 'Unauthorized')
      if (now.factor !== null && code === undefined)
        return expectStatus(answer, 401, 'totp-required')
      const hasShown = code !== undefined && proves(now, code)
      if (now.factor !== null && !hasShown) return expectStatus(answer, 401, 'totp-invalid')
      expectStatus(answer, 200)
      const { authToken = '' } = dataOf(answer)
      const { sid } = claimsOf(authToken)
      hold(sessionOf(now, sid) === undefined, 'a session of its own was promised', answer)
      const session = begin(now, { id: sid, authenticatedAt: now.now, hasShown })
      addAccess(now, authToken, answer, seconds(session.end))
    },
  }
}

/** A signed-in client asks for a code. */
export const authorize: Plan = (state, choice) => {
  const access = pick(state.access, choice)
  if (access === undefined) return null
  const verifier = createHash('sha256')
    .update(`${state.codes.length} ${choice}`)
    .digest('base64url')
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url')
  return {
    name: `authorize with token ${state.access.indexOf(access)}`,
    send: (arena) =>
      arena.ask(
        'POST',
        '/auth/pkce/authorize',
        { codeChallenge },
        carry(access.token, state, choice),
      ),
    explain(now, answer, seen) {
      const session = admitted(now, access.token, answer, seen)
      if (session === undefined) return
      if (now.factor !== null && !session.hasShown)
        return expectStatus(answer, 401, 'totp-required')
      expectStatus(answer, 200)
      const { id: issuedBy, authenticatedAt, hasShown } = session
      const code = dataOf(answer)['authorizationCode'] ?? ''
      const unused = { usedAt: null, opened: null, gone: false }
      now.codes.push({
        code,
        verifier,
        issuedBy,
        authenticatedAt,
        hasShown,
        createdAt: now.now,
        ...unused,
      })
    },
  }
}

const ofSameCode = (state: State, { code }: ModelCode) =>
  state.codes.find((one) => one.code === code) as ModelCode

/** Why a code opens nothing, whatever the verifier. */
function isVoid(state: State, { issuedBy, hasShown, createdAt }: ModelCode): boolean {
  const issuer = sessionOf(state, issuedBy)
  if (issuer === undefined || !isAlive(issuer, state.now) || state.disabled) return true
  return hasShown ? state.factor === null || state.factor.since > createdAt : state.factor !== null
}

/** Somebody shows a code, with its verifier or another. */
export const exchange: Plan = (state, choice) => {
  const chosen = pick(state.codes, choice >> 2)
  if (chosen === undefined) return null
  const isRight = choice % 4 !== 3
  const body = {
    authorizationCode: chosen.code,
    codeVerifier: isRight ? chosen.verifier : 'x'.repeat(43),
  }
  return {
    name:
      `exchange code ${state.codes.indexOf(chosen)} with ${isRight ? 'its' : 'another'} ` +
      'verifier',
    send: (arena) => arena.ask('POST', '/auth/pkce/token', body),
    explain(now, answer) {
      const code = ofSameCode(now, chosen)
      if (code.usedAt !== null && !code.gone && now.now - code.usedAt > 20_000) {
        finish(now, sessionOf(now, code.opened), 'code-replayed')
      }
      const isOver = code.gone || code.usedAt !== null || now.now >= code.createdAt + 60_000
      if (isOver) return expectStatus(answer, 400, 'invalid_grant')
      code.usedAt = now.now
      if (!isRight || isVoid(now, code)) return expectStatus(answer, 400, 'invalid_grant')
      expectStatus(answer, 200)
      const { access_token: token, refresh_token: refreshToken } = answer.body as Record<
        string,
        string
      >
      const { authenticatedAt, hasShown } = code
      const session = begin(now, { id: claimsOf(token ?? '').sid, authenticatedAt, hasShown })
      code.opened = session.id
      expectLifetime(now, session, token ?? '', answer)
      now.refresh.push({
        token: refreshToken ?? '',
        sid: session.id,
        spentAt: null,
        successor: null,
        used: false,
      })
    },
  }
}

function expectLifetime(state: State, session: ModelSession, token: string, answer: Answer): void {
  const end = Math.min(seconds(state.now) + 600, seconds(session.end))
  hold(
    answer.body['expires_in'] === end - seconds(state.now),
    'expires_in was promised to be what is left',
    answer,
  )
  hold(claimsOf(token).sid === session.id, 'a token of the same session was promised', answer)
  addAccess(state, token, answer, end)
}

const ofSameToken = (state: State, { token }: ModelRefresh) =>
  state.refresh.find((one) => one.token === token) as ModelRefresh

/**
 * Whether a spent token may be shown again: for thirty seconds, or while nothing of the pair that
 * it was answered with is used.
 */
function isRepeatable(state: State, { spentAt, successor }: ModelRefresh): boolean {
  const next = state.refresh.find(({ token }) => token === successor)
  return (
    spentAt !== null && (state.now - spentAt <= 30_000 || (next?.spentAt === null && !next.used))
  )
}

/** Somebody shows a refresh token, new or old. */
export const refresh: Plan = (state, choice) => {
  // The newest more often than the others: the chain is to grow.
  const chosen = choice % 2 === 0 ? state.refresh.at(-1) : pick(state.refresh, choice >> 1)
  if (chosen === undefined) return null
  return {
    name: `refresh with token ${state.refresh.indexOf(chosen)}`,
    send: (arena) => arena.ask('POST', '/auth/refresh', { refreshToken: chosen.token }),
    explain(now, answer) {
      const shown = ofSameToken(now, chosen)
      const session = sessionOf(now, shown.sid) as ModelSession
      if (!isAlive(session, now.now)) return expectStatus(answer, 400, 'invalid_grant')
      if (shown.spentAt !== null && !isRepeatable(now, shown)) {
        finish(now, session, 'refresh-reused')
        return expectStatus(answer, 400, 'invalid_grant')
      }
      if (now.disabled || (now.factor !== null && !session.hasShown))
        return expectStatus(answer, 400, 'invalid_grant')
      expectStatus(answer, 200)
      const { access_token: token = '', refresh_token: next = '' } = answer.body as Record<
        string,
        string
      >
      if (shown.spentAt === null) {
        hold(
          !now.refresh.some((one) => one.token === next),
          'a new refresh token was promised',
          answer,
        )
        Object.assign(shown, { spentAt: now.now, successor: next })
        now.refresh.push({
          token: next,
          sid: session.id,
          spentAt: null,
          successor: null,
          used: false,
        })
        keep(now, session)
      } else hold(next === shown.successor, 'the same successor was promised', answer)
      expectLifetime(now, session, token, answer)
    },
  }
}

/** Somebody signs out. */
export const logOut: Plan = (state, choice) => {
  const access = pick(state.access, choice)
  if (access === undefined) return null
  return {
    name: `logout with token ${state.access.indexOf(access)}`,
    send: (arena) => arena.ask('POST', '/logout', undefined, carry(access.token, state, choice)),
    explain(now, answer, seen) {
      const session = admitted(now, access.token, answer, seen)
      if (session === undefined) return
      expectStatus(answer, 200)
      finish(now, session, 'logout')
    },
  }
}

/** Somebody ends one session of the user's. */
export const endOne: Plan = (state, choice) => {
  const access = pick(state.access, choice)
  const target = pick(state.sessions, choice >> 3)
  if (access === undefined || target === undefined) return null
  return {
    name:
      `end session ${state.sessions.indexOf(target)} ` +
      `with token ${state.access.indexOf(access)}`,
    send: (arena) =>
      arena.ask(
        'DELETE',
        `/auth/sessions/${target.id}`,
        undefined,
        carry(access.token, state, choice),
      ),
    explain(now, answer, seen = now) {
      if (admitted(now, access.token, answer, seen) === undefined) return
      const [before, after] = [seen, now].map((state) =>
        isAlive(sessionOf(state, target.id) as ModelSession, now.now),
      )
      // Let in before the other was done, it may still have looked for the session afterwards.
      if (!before || (!after && answer.status === 404))
        return expectStatus(answer, 404, 'not-found')
      expectStatus(answer, 200)
      finish(now, sessionOf(now, target.id), 'revoked')
    },
  }
}

/** Somebody signs the user out everywhere else. */
export const endOthers: Plan = (state, choice) => {
  const access = pick(state.access, choice)
  if (access === undefined) return null
  return {
    name: `end others with token ${state.access.indexOf(access)}`,
    send: (arena) =>
      arena.ask('DELETE', '/auth/sessions', undefined, carry(access.token, state, choice)),
    explain(now, answer, seen) {
      const session = admitted(now, access.token, answer, seen)
      if (session === undefined) return
      expectStatus(answer, 200)
      const revoked = finishAll(now, 'revoked', session.id)
      // One that was being opened at the same moment may be counted although nobody has ever got
      // it.
      const said = Number(dataOf(answer)['revoked'])
      hold(
        said === revoked || (seen !== undefined && said === revoked + 1),
        `${revoked} were promised to be revoked`,
        answer,
      )
    },
  }
}

/** The host ends all of them. */
export const revokeAll: Plan = ({ userId }) => ({
  name: 'revokeAllForUser',
  send: async ({ host }) => ({
    status: 200,
    body: { revoked: await host.auth.sessions.revokeAllForUser(userId) },
  }),
  explain(now, answer, seen) {
    const revoked = finishAll(now, 'revoked')
    const said = Number(answer.body['revoked'])
    hold(
      said === revoked || (seen !== undefined && said === revoked + 1),
      `${revoked} were promised to be revoked`,
      answer,
    )
  },
})

const nothing: Answer = { status: 0, body: {} }

/** The host disables the user, or lets them back in. That is noticed within five seconds. */
export const toggleDisabled: Plan = ({ userId }) => ({
  name: 'disable or enable the user',
  async send({ host }) {
    host.users.change(userId, { disabled: host.users.rows.get(userId)?.disabled !== true })
    host.clock.advance(6)
    return nothing
  },
  explain(now) {
    now.disabled = !now.disabled
    now.now += 6000
  },
})

const day = 86_400
const pauses = [10, 1, 21, 60, 30, 31, 61, 601, 14 * day + 1, 90 * day + 1]

/** Time passes. */
export const wait: Plan = (_state, choice) => {
  const by = pick(pauses, choice) ?? 1
  return {
    name: `wait ${by} s`,
    async send({ host }) {
      host.clock.advance(by)
      return nothing
    },
    explain(now) {
      now.now += by * 1000
    },
  }
}

/** What is over is collected. */
export const purge: Plan = () => {
  let purges = true
  return {
    name: 'purge',
    async send(arena) {
      purges = arena.ground.purges
      await arena.purge()
      return nothing
    },
    explain(now) {
      if (purges) collect(now)
    },
  }
}
