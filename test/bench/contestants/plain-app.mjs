// What somebody writes who writes it by hand: Express, a map of users, one way to check a password,
// and a token of the same kind as ours, made and checked with jose. No throttle, no sessions, no
// audit.
import express from 'express'
import { jwtVerify } from 'jose'
import {
  audience,
  bearer,
  guardedRequests,
  issuer,
  loginRequests,
  makeKey,
  makeUsers,
  signAccessToken,
} from './fixtures.mjs'

/** `checkLogin(byName)` makes the middleware that sets `request.user`, or answers 401. */
export async function plainApp({ cost, userCount = 1000 }, checkLogin) {
  const { users, byName } = makeUsers(userCount, cost)
  const key = await makeKey()
  const app = express().set('trust proxy', 'loopback')
  app.post('/login', express.json(), checkLogin(byName), async (request, response) => {
    const { id } = request.user
    response.json({
      status: 'success',
      data: { userId: id, authToken: await signAccessToken(key, id) },
    })
  })
  app.get('/rooms', guard(key), (request, response) => response.json({ user: request.auth.sub }))

  const prepare = {
    logins: (input) =>
      loginRequests(input, users, {
        path: '/login',
        field: ({ username }) => ({ username }),
        expect: ({ id }) => `"userId":"${id}","authToken":"eyJ`,
      }),
    async guarded({ count }) {
      const some = users.slice(0, count)
      return guardedRequests(
        await Promise.all(some.map(async ({ id }) => bearer(id, await signAccessToken(key, id)))),
      )
    },
  }
  return { listener: app, prepare: (input) => prepare[input.kind](input) }
}

function guard({ publicKey }) {
  return async (request, response, next) => {
    try {
      const token = request.headers.authorization.slice('Bearer '.length)
      request.auth = (
        await jwtVerify(token, publicKey, {
          algorithms: ['ES256'],
          typ: 'at+jwt',
          issuer,
          audience,
        })
      ).payload
    } catch {
      response.status(401).json({ error: 'Unauthorized' })
      return
    }
    next()
  }
}

/** The middleware for a way to check a password that answers a promise. */
export function checkWith(compare) {
  return (byName) => async (request, response, next) => {
    const { username, password } = request.body
    const user = byName.get(username)
    if (user === undefined || !(await compare(password, user.passwordHash))) {
      response.status(401).json({ error: 'Unauthorized' })
      return
    }
    request.user = user
    next()
  }
}
