import { describe, it, onTestFinished } from 'vitest'
import { ldapDirectory } from '../../src/directories/directories.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { openPlace, type Place } from '../directories/support/slapd.js'
import { startHost } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { ldapUrl } from '../support/services.js'
import { type Ask, expectSameTime } from './measure.js'
import { unlimited } from './timed-host.js'

const wrong = 'incorrect horse battery stable'
const right = 'correct horse battery staple'

/** Two directories of OpenLDAP, with users in each state that a refusal must not tell of. */
async function startDirectories() {
  const places = [await openPlace(), await openPlace()] as const
  onTestFinished(async () => void (await Promise.all(places.map((place) => place.close()))))
  const [corp, labs] = places
  const list = [
    ldapDirectory(corp.options),
    ldapDirectory({ ...labs.options, id: 'labs' }),
  ] as const
  onTestFinished(async () => void (await Promise.all(list.map((one) => one.close()))))
  const host = await startHost({
    options: {
      ...memoryStores(),
      // Nothing is hashed, which would hide what a directory takes.
      directories: {
        list,
        only: true,
        watchInterval: false,
        allowed: ({ username }) => username !== 'guest',
      },
      throttle: {
        ...unlimited,
        // A limit on guesses at one entry is other tests' business.
        limiter: (settings) => memoryLimiter({ ...settings, points: 1_000_000 }),
      },
    },
  })
  const add = async (directory: string, place: Place, uid: string) => {
    await place.person(uid, { userPassword: right })
    const [entry] = await list[directory === 'corp' ? 0 : 1].find(uid)
    host.users.add({ id: `u-${uid}`, username: uid })
    const subject = String(entry?.subject)
    await host.auth.identities.connect({ userId: `u-${uid}`, directory, subject })
  }
  await add('corp', corp, 'maria')
  await add('corp', corp, 'guest')
  await add('labs', labs, 'clara')
  await add('corp', corp, 'leave')
  await corp.remove(`uid=leave,${corp.people}`)
  await add('corp', corp, 'fired')
  await corp.set(`uid=fired,${corp.people}`, { pwdAccountLockedTime: '000001010000Z' })
  return host
}

const byName = (username: string, password = wrong): Ask => ({
  path: '/login',
  body: { username, password },
})

// ASVS V6.3.8. All are the same 401, and take the same time.
describe.skipIf(ldapUrl === null)('nobody learns by the clock of a login by a directory', () => {
  it.each<[promise: string, one: Ask, other: Ask]>([
    ['whether a directory has the name', byName('niemo'), byName('maria')],
    ['which directory has the name', byName('clara'), byName('maria')],
    ['whether the entry is disabled', byName('fired'), byName('maria')],
    ['whether the entry is gone', byName('leave'), byName('maria')],
    ['whether `allowed` would refuse the entry', byName('guest'), byName('maria')],
    ['whether a disabled entry has this password', byName('fired', right), byName('niemo', right)],
  ])('%s', async (promise, one, other) => {
    const { url } = await startDirectories()
    await expectSameTime({ name: promise, url, one, other, hashes: false, status: 401, pairs: 200 })
  })
})
