// One route of one Express application, behind the guard that is named. Each library gets its key
// in the form that is fastest for it, and an error handler that prints nothing.
import { createPublicKey } from 'node:crypto'
import express from 'express'
import {
  addRooms,
  audience,
  bearer,
  guardedRequests,
  issuer,
  makeKey,
  makeUsers,
  signAccessToken,
} from './fixtures.mjs'

const guards = {
  // With the key itself: with an address of a key set, which it takes as well, each request costs
  // it more.
  'express-oauth2-jwt-bearer': async ({ publicJwk, kid }) => {
    const { auth } = await import('express-oauth2-jwt-bearer')
    const guard = auth({
      issuer,
      audience,
      publicKey: { ...publicJwk, kid, alg: 'ES256', use: 'sig' },
      tokenSigningAlg: 'ES256',
    })
    return { guard, userOf: (request) => request.auth.payload.sub }
  },

  'express-jwt': async ({ publicJwk }) => {
    const { expressjwt } = await import('express-jwt')
    const guard = expressjwt({
      secret: keyObject(publicJwk),
      algorithms: ['ES256'],
      issuer,
      audience,
    })
    return { guard, userOf: (request) => request.auth.sub }
  },

  'passport-jwt': async ({ publicJwk }) => {
    const { default: passport } = await import('passport')
    const { ExtractJwt, Strategy } = (await import('passport-jwt')).default
    const options = {
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      issuer,
      audience,
      algorithms: ['ES256'],
    }
    const own = new passport.Authenticator()
    own.use(
      new Strategy({ ...options, secretOrKey: keyObject(publicJwk) }, ({ sub }, done) =>
        done(null, { id: sub }),
      ),
    )
    return {
      guard: own.authenticate('jwt', { session: false }),
      userOf: (request) => request.user.id,
    }
  },
}

export async function start({ guard: name }) {
  const { users } = makeUsers(1000)
  const key = await makeKey()
  const { guard, userOf } = await guards[name](key)
  const app = express()
  addRooms(app, guard, userOf)
  app.use((error, _request, response, _next) =>
    response.status(error.status ?? 500).json({ error: error.message }),
  )
  return {
    listener: app,
    async prepare({ count }) {
      const some = users.slice(0, count)
      return guardedRequests(
        await Promise.all(some.map(async ({ id }) => bearer(id, await signAccessToken(key, id)))),
      )
    },
  }
}

function keyObject(jwk) {
  return createPublicKey({ key: jwk, format: 'jwk' })
}
