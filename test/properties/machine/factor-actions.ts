// What can be done to the second factor.
import { password } from '../../support/host.js'
import {
  type Action,
  admitted,
  carry,
  codeFor,
  codeKinds,
  dataOf,
  expectStatus,
  hold,
  type Plan,
  pick,
  proves,
  stepOf,
} from './actions.js'
import { finishAll, type State } from './state.js'

function signedIn(
  state: State,
  choice: number,
  [name, method, path, body]: readonly [string, string, string, object],
  explain: (
    now: State,
    session: NonNullable<ReturnType<typeof admitted>>,
    answer: Parameters<Action['explain']>[1],
  ) => void,
): Action | null {
  const access = pick(state.access, choice)
  if (access === undefined) return null
  return {
    name: `${name} with token ${state.access.indexOf(access)}`,
    send: (arena) => arena.ask(method, path, body, carry(access.token, state, choice)),
    explain(now, answer, seen) {
      const session = admitted(now, access.token, answer, seen)
      if (session !== undefined) explain(now, session, answer)
    },
  }
}

/** An enrolment begins. */
export const beginTotp: Plan = (state, choice) => {
  const isRight = choice % 8 !== 7
  const body = { password: isRight ? password : 'not the password' }
  return signedIn(
    state,
    choice,
    ['begin TOTP', 'POST', '/auth/totp', body],
    (now, session, answer) => {
      if (!isRight) return expectStatus(answer, 401, 'Unauthorized')
      if (now.factor !== null) return expectStatus(answer, 409, 'totp-already-enabled')
      expectStatus(answer, 200)
      const begun = { secret: dataOf(answer)['secret'] ?? '', expiresAt: now.now + 600_000 }
      const others = [...now.pending].filter(([id]) => id !== session.id)
      now.pending = new Map([...others, [session.id, begun]])
    },
  )
}

/** Its first code comes. */
export const confirmTotp: Plan = (state, choice) => {
  const code = codeFor(state, choice % 4 === 3 ? 'wrong' : 'right') ?? '000000'
  return signedIn(
    state,
    choice >> 2,
    [`confirm TOTP by ${code}`, 'POST', '/auth/totp/confirm', { code }],
    (now, session, answer) => {
      if (now.factor !== null) return expectStatus(answer, 409, 'totp-already-enabled')
      const pending = now.pending.get(session.id)
      if (pending === undefined || now.now >= pending.expiresAt)
        return expectStatus(answer, 409, 'totp-not-enabled')
      const step = stepOf(pending.secret, code, now.now)
      if (step === undefined) return expectStatus(answer, 401, 'totp-invalid')
      expectStatus(answer, 200)
      now.recoveryCodes = dataOf(answer)['recoveryCodes'] as unknown as string[]
      hold(now.recoveryCodes.length === 10, 'ten recovery codes were promised', answer)
      now.factor = { secret: pending.secret, since: now.now, lastStep: step }
      now.lastCode = code
      now.pending = new Map([...now.pending].filter(([id]) => id !== session.id))
      finishAll(now, 'factor-changed', session.id)
      session.hasShown = true
    },
  )
}

/** It is switched off. */
export const disableTotp: Plan = (state, choice) => {
  const code = codeFor(state, pick(codeKinds, choice) ?? 'right') ?? '000000'
  const body = { password, code }
  return signedIn(
    state,
    choice >> 3,
    [`disable TOTP by ${code}`, 'POST', '/auth/totp/disable', body],
    (now, session, answer) => {
      if (now.factor === null) return expectStatus(answer, 409, 'totp-not-enabled')
      if (!proves(now, code)) return expectStatus(answer, 401, 'totp-invalid')
      expectStatus(answer, 200)
      Object.assign(now, { factor: null, pending: new Map(), recoveryCodes: [], lastCode: null })
      finishAll(now, 'factor-changed', session.id)
      session.hasShown = false
    },
  )
}
