// What every throw-away host does, whichever way it loaded the library: serve it, sign in over real
// HTTP, and shut down.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'

const password = 'correct horse battery staple'
const json = { 'Content-Type': 'application/json' }

/**
 * Runs the whole rehearsal. `parts` is what a host imports: Express, the library, and the stores.
 */
export async function rehearse(parts) {
  const { bcryptHasher, createAuthRouter, generateSigningKey, joseSigner, memoryStores } = parts
  const passwords = bcryptHasher({ cost: 10 })
  const alice = {
    id: 'u1',
    username: 'alice',
    name: 'Alice',
    passwordHash: await passwords.hash(password),
  }
  const auth = createAuthRouter({
    users: {
      findByIdentifier: async ({ value }) => (value === alice.username ? alice : null),
      findById: async (id) => (id === alice.id ? alice : null),
    },
    ...memoryStores(),
    signer: joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [await generateSigningKey()],
    }),
    encryptionKeys: [randomBytes(32).toString('base64')],
    passwords,
  })
  // Hosts parse bodies before the router, or after it; the router must not care.
  for (const order of ['parser first', 'router first'])
    await serve(parts.express, auth, order, signInAndOut)
  await Promise.all([auth.close(), passwords.close()])
  process.stdout.write('closed\n')
}

async function serve(express, auth, order, visit) {
  const app = express()
  const pieces = [() => app.use(express.json()), () => app.use('/api/v1', auth)]
  if (order === 'router first') pieces.reverse()
  for (const add of pieces) add()
  app.get('/api/v1/rooms', auth.requireAuth(), (request, response) =>
    response.json({ rooms: [], for: request.auth.userId }),
  )
  const server = createServer(app)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  await visit(`http://127.0.0.1:${server.address().port}/api/v1`)
  server.closeIdleConnections()
  await new Promise((resolve) => server.close(resolve))
}

async function signInAndOut(url) {
  const refused = await post(`${url}/login`, { username: 'alice', password: 'wrong' })
  assert.equal(refused.status, 401)
  const wrongMethod = await fetch(`${url}/login`)
  assert.equal(wrongMethod.status, 405)
  assert.equal(wrongMethod.headers.get('allow'), 'POST')
  await wrongMethod.text()

  const login = await post(`${url}/login`, { username: 'alice', password })
  assert.equal(login.status, 200)
  assert.equal(login.contentType, 'application/json')
  const { userId, authToken } = login.body.data
  const session = { 'X-User-Id': userId, 'X-Auth-Token': authToken }
  assert.deepEqual(await rooms(url, session), { status: 200, for: 'u1' })

  const bearer = await exchangeCode(url, session)
  assert.deepEqual(await rooms(url, bearer), { status: 200, for: 'u1' })

  assert.equal((await post(`${url}/logout`, {}, session)).status, 200)
  assert.equal((await rooms(url, session)).status, 401)
  assert.equal((await rooms(url, {})).status, 401)
}

async function exchangeCode(url, session) {
  const codeVerifier = randomBytes(32).toString('base64url')
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const issued = await post(`${url}/auth/pkce/authorize`, { codeChallenge }, session)
  assert.equal(issued.status, 200)
  const { authorizationCode } = issued.body.data
  const exchanged = await post(`${url}/auth/pkce/token`, { authorizationCode, codeVerifier })
  assert.equal(exchanged.status, 200)
  return { Authorization: `Bearer ${exchanged.body.access_token}` }
}

async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    body: await response.json(),
  }
}

async function rooms(url, headers) {
  const response = await fetch(`${url}/rooms`, { headers })
  const body = await response.json()
  return { status: response.status, for: body.for }
}
