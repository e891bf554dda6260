// better-auth, with its users in its adapter for memory and its sessions in a map, its own limits
// off, and its hasher replaced by bcryptjs, whose promise works on the main thread: the same hashes
// as everybody else's. Its cookie cache is off: checking a signed cookie takes it longer than
// asking the map.
import { randomBytes } from 'node:crypto'
import bcrypt from 'bcryptjs'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import express from 'express'
import { addRooms, guardedRequests, json, loginRequests, makeUsers, password } from './fixtures.mjs'

const origin = 'http://127.0.0.1'

export async function start({ cost = 4, userCount = 200 }) {
  const { users } = makeUsers(userCount, cost)
  const auth = betterAuth({
    baseURL: origin,
    secret: randomBytes(32).toString('base64'),
    database: memoryAdapter(tablesOf(users)),
    secondaryStorage: mapStorage(),
    emailAndPassword: {
      enabled: true,
      password: {
        hash: (plain) => bcrypt.hash(plain, cost),
        verify: ({ hash, password: plain }) => bcrypt.compare(plain, hash),
      },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
  })
  const app = express()
  app.all('/api/auth/*rest', toNodeHandler(auth))
  const guard = async (request, response, next) => {
    const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
    if (session === null) {
      response.status(401).json({ error: 'Unauthorized' })
      return
    }
    request.user = session.user
    next()
  }
  addRooms(app, guard, ({ user }) => user.id)

  const prepare = {
    logins: (input) =>
      loginRequests(input, users, {
        path: '/api/auth/sign-in/email',
        field: ({ id }) => ({ email: emailOf(id) }),
        expect: ({ id }) => `"id":"${id}"`,
      }),
    async guarded({ count }, port) {
      const tokens = []
      for (const { id } of users.slice(0, count))
        tokens.push({ userId: id, headers: { Cookie: await signIn(port, id) } })
      return guardedRequests(tokens)
    },
  }
  return { listener: app, prepare: (input, port) => prepare[input.kind](input, port) }
}

const emailOf = (id) => `${id}@example.com`

function tablesOf(users) {
  const dates = { createdAt: new Date(), updatedAt: new Date() }
  return {
    user: users.map(({ id, name }) => ({
      id,
      name,
      email: emailOf(id),
      emailVerified: true,
      ...dates,
    })),
    account: users.map(({ id, passwordHash }) => ({
      id: `a-${id}`,
      userId: id,
      accountId: id,
      providerId: 'credential',
      issuer: 'local:credential',
      password: passwordHash,
      ...dates,
    })),
    session: [],
    verification: [],
  }
}

// Its adapter for memory looks through lists; sessions are many, and a map is what its
// documentation offers for them.
function mapStorage() {
  const values = new Map()
  return {
    get: async (key) => values.get(key) ?? null,
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
  }
}

async function signIn(port, id) {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { ...json, Origin: origin },
    body: JSON.stringify({ email: emailOf(id), password }),
  })
  if (response.status !== 200)
    throw new Error(`a sign-in was answered ${response.status}: ${await response.text()}`)
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
