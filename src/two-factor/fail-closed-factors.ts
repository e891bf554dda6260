import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { AuthUser } from '../users/contract.js'
import type { OtherFactor, SecondFactorPolicy } from './contract.js'
import type { CodeFactor } from './second-factor.js'

/**
 * Holds a factor of the host to its contract: any answer except a plain yes is a no, and every
 * failure is a 503.
 */
export function failClosedFactor(factor: OtherFactor, call: HostCall): CodeFactor {
  const { name } = factor
  const sendCode = factor.sendCode?.bind(factor)
  return {
    name,
    endsSessions: false,
    isEnabled: (user) =>
      call(`${name}.isEnabled`, async () => trueOrFalse(await factor.isEnabled(user))),
    verify: (user, code) =>
      call(`${name}.verify`, async () => verdict(await factor.verify(user, code))),
    ...(sendCode === undefined
      ? {}
      : {
          async sendCode(user: AuthUser) {
            await call(`${name}.sendCode`, () => sendCode(user))
            return true
          },
        }),
  }
}

/** Holds the host's policy to its contract. Without a policy nobody must have a second factor. */
export function failClosedPolicy(
  policy: SecondFactorPolicy | undefined,
  call: HostCall,
): (user: AuthUser) => Promise<boolean> {
  if (policy === undefined) return async () => false
  return function mustHaveFactor(user) {
    return call('secondFactor', () => isRequired(policy(user)))
  }
}

function isRequired(answer: unknown): boolean {
  // A promise is not an answer here, and its unhandled rejection would end the process.
  if (answer instanceof Promise) answer.catch(() => {})
  if (answer === 'required' || answer === 'optional') return answer === 'required'
  throw new UnexpectedAnswer("the answer is neither 'required' nor 'optional'")
}

function trueOrFalse(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  throw new UnexpectedAnswer('the answer is not a boolean')
}

function verdict(answer: unknown): { outcome: 'accepted' | 'refused' } {
  // An own property, so that a polluted Object.prototype accepts no code.
  const outcome = Object.hasOwn(Object(answer), 'outcome')
    ? (answer as { outcome: unknown }).outcome
    : undefined
  if (outcome === 'accepted' || outcome === 'refused') return { outcome }
  throw new UnexpectedAnswer('outcome is neither accepted nor refused')
}
