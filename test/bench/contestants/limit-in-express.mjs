// What nobody in Express can do with less: parse, look up, sign with node:crypto, keep, answer. It
// checks nothing, so it is no contestant but a limit. Its tokens say what ours say.
import { createHash, createPrivateKey, randomBytes, sign } from 'node:crypto'
import express from 'express'
import {
  addRooms,
  audience,
  bearer,
  guardedRequests,
  issuer,
  json,
  makeKey,
  makePkce,
  makeUsers,
  tokenRequests,
} from './fixtures.mjs'

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const digest = (text) => createHash('sha256').update(text).digest('base64url')
const random = () => randomBytes(32).toString('base64url')

export async function start() {
  const { users } = makeUsers(1000)
  const { privateJwk, kid } = await makeKey()
  const key = createPrivateKey({ key: privateJwk, format: 'jwk' })
  const signAccessToken = signerOf(key, kid)
  const codes = new Map()
  const sessions = new Map()
  const app = express()

  app.post('/token', express.json(), (request, response) => {
    const code = digest(request.body.authorizationCode)
    const userId = codes.get(code)
    codes.delete(code)
    answer(response, userId)
  })

  app.post('/refresh', express.json(), (request, response) => {
    const token = digest(request.body.refreshToken)
    const userId = sessions.get(token)
    sessions.delete(token)
    answer(response, userId)
  })

  function answer(response, userId) {
    const refreshToken = random()
    sessions.set(digest(refreshToken), userId)
    response.json({
      access_token: signAccessToken(userId),
      token_type: 'Bearer',
      expires_in: 600,
      refresh_token: refreshToken,
    })
  }

  const guard = (request, _response, next) => {
    request.userId = sessions.get(request.headers.authorization.slice('Bearer '.length))
    next()
  }
  addRooms(app, guard, ({ userId }) => userId)

  const userOf = (i) => users[i % users.length].id
  const prepare = {
    guarded({ count }) {
      return guardedRequests(
        Array.from({ length: count }, (_none, i) => {
          const token = signAccessToken(userOf(i))
          sessions.set(token, userOf(i))
          return bearer(userOf(i), token)
        }),
      )
    },
    codes({ count }) {
      const bodies = Array.from({ length: count }, (_none, i) => {
        const authorizationCode = random()
        codes.set(digest(authorizationCode), userOf(i))
        return JSON.stringify({ authorizationCode, codeVerifier: makePkce().codeVerifier })
      })
      return tokenRequests('/token', json, bodies)
    },
    refresh({ count }) {
      const bodies = Array.from({ length: count }, (_none, i) => {
        const refreshToken = random()
        sessions.set(digest(refreshToken), userOf(i))
        return JSON.stringify({ refreshToken })
      })
      return tokenRequests('/refresh', json, bodies)
    },
  }
  return { listener: app, prepare: (input) => prepare[input.kind](input) }
}

function signerOf(key, kid) {
  const header = encoded({ alg: 'ES256', typ: 'at+jwt', kid })
  const random16 = () => randomBytes(16).toString('base64url')
  return (userId) => {
    const iat = Math.floor(Date.now() / 1000)
    const fixed = { iss: issuer, aud: audience, amr: ['pwd'], scope: '*', client_id: audience }
    const times = { auth_time: iat, iat, exp: iat + 600 }
    const payload = encoded({ ...fixed, ...times, sub: userId, sid: random16(), jti: random16() })
    const input = `${header}.${payload}`
    const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
    return `${input}.${signature.toString('base64url')}`
  }
}
