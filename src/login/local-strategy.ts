import passport from 'passport'
import { Strategy as LocalStrategy } from 'passport-local'
import type { RequestContext } from '../events.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import type { PasswordVerdict, VerifyPassword } from './verify-password.js'

/** Checks name and password; says which user it was. Not once `gone` was aborted before its turn. */
export type AuthenticateLocally = (
  identifier: LoginIdentifier,
  password: string,
  context: RequestContext,
  gone?: AbortSignal,
) => Promise<PasswordVerdict>

/** What passport-local is handed instead of the request: it falls back to the query string, and passport writes onto what it gets. */
interface LoginOnly {
  readonly body: { readonly identifier: string; readonly password: string }
  readonly asked: { readonly identifier: LoginIdentifier; readonly context: RequestContext; readonly gone: AbortSignal | undefined }
}

/**
 * passport-local on a Passport instance of its own, away from the host's. The strategy sees a fresh object with the two checked
 * strings and no query, and the promise of our verify is caught here: passport-local would let a rejection kill the process.
 */
export function createLocalStrategy(users: UserStore, verifyPassword: VerifyPassword): AuthenticateLocally {
  const own = new passport.Authenticator()

  async function verify({ identifier, context, gone }: LoginOnly['asked'], password: string): Promise<PasswordVerdict> {
    return verifyPassword(await users.findByIdentifier(identifier), password, context, gone)
  }

  own.use(
    new LocalStrategy({ usernameField: 'identifier', passReqToCallback: true }, (request, _name, password, done) => {
      const { asked } = request as unknown as LoginOnly
      verify(asked, password).then(
        (verdict) => done(null, verdict.right === true ? verdict : false, verdict as never),
        (error: unknown) => done(error),
      )
    }),
  )

  return (identifier, password, context, gone) =>
    new Promise((resolve, reject) => {
      const body = Object.assign(Object.create(null) as object, { identifier: identifier.value, password })
      const request = { body, query: Object.create(null), asked: { identifier, context, gone } }
      // The callback form decides by itself; the default one would answer in plain text and open a session.
      const answer = (error: unknown, accepted: unknown, verdict: unknown) => {
        if (error) reject(error)
        else resolve((accepted || verdict) as PasswordVerdict)
      }
      own.authenticate('local', { session: false }, answer)(request, {}, reject)
    })
}
