// Wrong passwords for accounts that had none yet, beside so many that had one. Through the router,
// but not over a socket: a million requests would take minutes. The hasher says no at once, so that
// what is left is the counting.
import { createAuthRouter, generateSigningKey, joseSigner } from '../../../dist/index.js'
import { memoryStores } from '../../../dist/stores/memory.js'
import { audience, issuer } from '../contestants/fixtures.mjs'
import { heapInUse, must } from './rows.mjs'

const sayNo = { hash: async () => 'x', verify: async () => false, needsRehash: () => false }

export async function open(size) {
  const { codes, sessions } = memoryStores()
  const nobody = async (id) => ({ id, username: id, name: id, passwordHash: 'x' })
  const auth = createAuthRouter({
    users: { findByIdentifier: ({ value }) => nobody(value), findById: nobody },
    codes,
    sessions,
    passwords: sayNo,
    signer: joseSigner({ issuer, audience, keys: [await generateSigningKey()] }),
  })
  const attempt = async (i) =>
    must(
      (await statusOf(auth, `user${i}`, addressOf(i))) === 401,
      'a wrong password was not refused with 401',
    )

  const before = heapInUse()
  for (let i = 0; i < size; i += 1) await attempt(i)
  const bytesEach = (heapInUse() - before) / size

  let next = size
  return {
    bytesEach,
    operations: {
      'one attempt'() {
        const i = next++
        return () => attempt(i)
      },
    },
    close: () => auth.close(),
  }
}

// From everywhere, so that no network reaches its limit.
const addressOf = (i) => `${20 + ((i >> 24) & 63)}.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`

function statusOf(auth, username, remoteAddress) {
  return new Promise((resolve, reject) => {
    const request = {
      method: 'POST',
      url: '/login',
      headers: { 'content-type': 'application/json', 'content-length': '9' },
      rawHeaders: [],
      readableDidRead: true,
      body: { username, password: 'a wrong passphrase' },
      socket: { remoteAddress },
    }
    const response = {
      statusCode: 0,
      headersSent: false,
      once() {},
      setHeader() {},
      removeHeader() {},
      end() {
        resolve(this.statusCode)
      },
    }
    auth(request, response, (error) => reject(error ?? new Error('the router has no such route')))
  })
}
