// Stores whose database is the process that runs the tests: `port` of this module's address says
// where it listens.
import { deserialize, serialize } from 'node:v8'

let { port, fault } = Object.fromEntries(new URL(import.meta.url).searchParams)

async function call(path, given) {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
    method: 'POST',
    body: serialize(given),
  })
  const { value, problem } = deserialize(Buffer.from(await response.arrayBuffer()))
  if (problem !== undefined) throw new Error(problem)
  return value
}

const remote = (contract) =>
  new Proxy(
    {},
    {
      // A store is no promise: whoever awaits it must not call it.
      get: (_target, method) =>
        method === 'then' ? undefined : (...given) => call(`${contract}/${String(method)}`, given),
    },
  )

/** What a process must not keep for itself, by the `fault` of this module's address. */
const faulty = {
  // Rows are cached for a minute, and forgotten only when this process writes them.
  'caches what it finds': (good) => {
    const cache = new Map()
    const forget =
      (name) =>
      async (id, ...given) => {
        const answer = await good[name](id, ...given)
        cache.delete(id)
        return answer
      }
    const find = async (id) => {
      if (!cache.has(id)) cache.set(id, await good.find(id))
      return cache.get(id)
    }
    const writes = ['rotateRefresh', 'touch', 'setMethods', 'end'].map((name) => [
      name,
      forget(name),
    ])
    const create = async (session) => {
      await good.create(session)
      cache.delete(session.id)
    }
    const endAllForUser = async (...given) => {
      const ended = await good.endAllForUser(...given)
      cache.clear()
      return ended
    }
    return { ...Object.fromEntries(writes), create, find, endAllForUser }
  },
  // Only sessions that this process has created are known to be the user's.
  'indexes users by itself': (good) => {
    const ids = new Map()
    const own = (userId) => ids.get(userId) ?? []
    return {
      async create(session) {
        await good.create(session)
        ids.set(session.userId, [...own(session.userId), session.id])
      },
      listForUser: async (userId, now) =>
        (await good.listForUser(userId, now)).filter(({ id }) => own(userId).includes(id)),
      async endAllForUser(userId, reason, now, exceptId) {
        const chosen = own(userId).filter((id) => id !== exceptId)
        const ended = await Promise.all(
          chosen.map(async (id) => ((await good.end(id, reason, now)) ? [id] : [])),
        )
        return ended.flat()
      },
    }
  },
}

/** The faulty sessions; whatever else is asked of them goes to the good ones. */
function sessions() {
  const good = remote('sessions')
  const changed = faulty[fault]?.(good) ?? {}
  return new Proxy(changed, { get: (_target, name) => changed[name] ?? good[name] })
}

/** The same for whoever imports this module without the query of its address, as vitest does. */
export function storesOf(address) {
  ;({ port, fault } = Object.fromEntries(new URL(address).searchParams))
  return stores()
}

function stores() {
  return {
    codes: remote('codes'),
    sessions: sessions(),
    secondFactors: remote('secondFactors'),
    tickets: remote('tickets'),
    keys: remote('keys'),
    consents: remote('consents'),
    once: remote('once'),
    clients: remote('clients'),
    proofs: remote('proofs'),
    identities: remote('identities'),
    deviceCodes: remote('deviceCodes'),
  }
}

// biome-ignore lint/style/noDefaultExport: the suite asks for one, so that no name is to be known
export default stores
