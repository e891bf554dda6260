import passport from 'passport'
import { Strategy as LocalStrategy } from 'passport-local'
import type { RequestContext } from '../audit/events.js'
import type { PasswordVerdict, SignInKit } from '../kits/sign-in-kit.js'
import type { ShownPassword } from '../passwords/contract.js'
import type { MayPass } from '../throttle/password-limits.js'
import type { LoginIdentifier } from '../users/contract.js'

/** A name and a password to check. */
export interface LocalAttempt {
  readonly identifier: LoginIdentifier
  /** The password that is checked: passport-local accepts only text. */
  readonly password: ShownPassword
  readonly context: RequestContext
  /** Aborted if the client disconnects: the attempt then rejects before its turn. */
  readonly signal: AbortSignal
  /** Counts the attempt for the found user, before the password is checked. */
  readonly takeAccount: (userId: string | null) => Promise<MayPass>
}

/** Checks name and password. */
export type AuthenticateLocally = (attempt: LocalAttempt) => Promise<PasswordVerdict>

/**
 * The object that passport-local gets instead of the request. With the request, it would fall back
 * to the query string, and passport writes to the object it gets.
 */
interface LoginOnly {
  readonly body: { readonly identifier: string; readonly password: string }
  readonly attempt: LocalAttempt
}

/**
 * passport-local on a Passport instance of our own, separate from the host's. The strategy sees a
 * fresh object with the two checked strings and no query. We catch the promise of our verify
 * ourselves: passport-local would let a rejection kill the process.
 */
export function createLocalStrategy({
  users,
  verifyPassword,
  mayUsePassword,
}: SignInKit): AuthenticateLocally {
  const own = new passport.Authenticator()

  async function verify(attempt: LocalAttempt): Promise<PasswordVerdict> {
    const { identifier, password, context, signal, takeAccount } = attempt
    const user = await users.findByIdentifier(identifier)
    const mayPass = await takeAccount(user?.id ?? null)
    // Both run at one time, whatever the password is: a user who may not sign in by password must
    // not learn by the answer, the counters or the time whether it is right.
    const verifying = verifyPassword(user, password, context, signal, identifier)
    const asking = mayUsePassword === undefined || (user !== null && mayUsePassword(user))
    const [verdict, mayUse] =
      typeof asking === 'boolean'
        ? [await verifying, asking]
        : await Promise.all([verifying, asking])
    // This comes after the work, whatever the verdict, so that the time reveals neither that the
    // account is over its limit nor that the password was right.
    const userId = user?.id ?? null
    const passing = mayPass()
    if (passing !== true && !(await passing))
      return { right: false, reason: 'account-limit', userId, limit: null }
    return verdict.right && !mayUse ? { right: false, reason: 'vetoed', userId } : verdict
  }

  own.use(
    new LocalStrategy(
      { usernameField: 'identifier', passReqToCallback: true },
      (request, _name, _password, done) => {
        const { attempt } = request as unknown as LoginOnly
        verify(attempt).then(
          (verdict) => done(null, verdict.right === true ? verdict : false, verdict as never),
          (error: unknown) => done(error),
        )
      },
    ),
  )

  return function authenticateLocally(attempt) {
    const { identifier, password } = attempt
    return new Promise((resolve, reject) => {
      const body = Object.assign(Object.create(null) as object, {
        identifier: identifier.value,
        password: typeof password === 'string' ? password : password.digest,
      })
      const request = { body, query: Object.create(null), attempt }
      // With a callback we decide. Without one, passport would answer in plain text and open a
      // session.
      const answer = (error: unknown, accepted: unknown, verdict: unknown) => {
        if (error) reject(error)
        else resolve((accepted || verdict) as PasswordVerdict)
      }
      own.authenticate('local', { session: false }, answer)(request, {}, reject)
    })
  }
}
