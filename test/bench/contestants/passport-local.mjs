// What most servers do: passport-local, and bcryptjs with its promise on the main thread.
import bcrypt from 'bcryptjs'
import passport from 'passport'
import { Strategy } from 'passport-local'
import { plainApp } from './plain-app.mjs'

export const start = (settings) => plainApp(settings, checkLocally)

function checkLocally(byName) {
  const own = new passport.Authenticator()
  own.use(
    new Strategy((username, plain, done) => {
      const user = byName.get(username)
      if (user === undefined) done(null, false)
      else bcrypt.compare(plain, user.passwordHash).then((right) => done(null, right && user), done)
    }),
  )
  return own.authenticate('local', { session: false })
}
