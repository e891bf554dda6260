import { describe, expect, it, onTestFinished } from 'vitest'
import { ldapDirectory } from '../../src/directories/directories.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { openPlace, tlsUrl } from '../directories/support/slapd.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { startHost } from '../support/host.js'
import { ldapUrl } from '../support/services.js'

const right = 'the password of the company'

describe.skipIf(ldapUrl === null)('a company with OpenLDAP', () => {
  it('has its people sign in, in their groups, and nobody who has left is signed in', async () => {
    const place = await openPlace()
    onTestFinished(() => place.close())
    const ada = await place.person('ada', { userPassword: right })
    await place.person('eve', { userPassword: right })
    const chat = await place.group('chat', [ada])
    const stores = memoryStores()
    const start = () =>
      startHost({
        options: {
          ...stores,
          directories: {
            list: [ldapDirectory(place.options)],
            unknown: 'create',
            allowed: ({ groups }) =>
              groups.includes(chat.toLowerCase()) || 'Not in the group chat.',
          },
        },
      })
    const one = await start()
    const asAda = { username: 'ada', password: right }
    const { authToken } = await logIn(one, asAda)
    const asEve = await post(one, '/login', { username: 'eve', password: right })
    expect([asEve.status, asEve.body.message]).toEqual([403, 'Not in the group chat.'])
    expect((await post(one, '/login', { ...asAda, password: 'wrong' })).status).toBe(401)
    expect(await one.auth.directories.look()).toMatchObject([{ people: 1, left: 0 }])
    await place.set(ada, { pwdAccountLockedTime: '000001010000Z' })
    expect(await one.auth.directories.look()).toMatchObject([{ people: 1, left: 1 }])
    expect((await get(one, '/me', bearer(authToken))).status).toBe(401)
    expect((await post(one, '/login', asAda)).status).toBe(401)
  })

  it('is refused where its certificate is not of the authority, which is an outage', async () => {
    const place = await openPlace()
    onTestFinished(() => place.close())
    await place.person('ada', { userPassword: right })
    const directory = ldapDirectory({ ...place.options, urls: [tlsUrl()] })
    const host = await startHost({
      options: { directories: { list: [directory], unknown: 'create' } },
    })
    expect((await post(host, '/login', { username: 'ada', password: right })).status).toBe(503)
  })
})
