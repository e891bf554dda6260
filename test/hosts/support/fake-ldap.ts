// A directory: people below ou=people, and a service account that may search them.
import { createRequire } from 'node:module'
import { onTestFinished } from 'vitest'

// It has no types of its own.
const ldap = createRequire(import.meta.url)('ldapjs') as Ldap

export const directoryPassword = 'correct horse battery staple'
const base = 'ou=people,dc=example,dc=com'
const service = {
  bindDN: 'cn=chat,ou=services,dc=example,dc=com',
  bindCredentials: 'for the service',
}

export interface Person {
  uid: string
  entryUUID: string
}

/** Starts one. `settings` is what the strategy is told; `filters` is what it has asked. */
export async function startDirectory(people: Person[]) {
  const filters: string[] = []
  const server = ldap.createServer()
  server.bind(service.bindDN, (req, res, next) => {
    if (req.credentials !== service.bindCredentials) return next(new ldap.InvalidCredentialsError())
    res.end()
    return next()
  })
  server.bind(base, (req, res, next) => {
    // Like many a directory: no password is an anonymous bind, which succeeds (RFC 4513 §5.1.2).
    const isRight = req.credentials === '' || req.credentials === directoryPassword
    if (!isRight) return next(new ldap.InvalidCredentialsError())
    res.end()
    return next()
  })
  server.search(base, (req, res, next) => {
    filters.push(req.filter.toString())
    // Names of attributes have no case (RFC 4512 §2.5); ldapjs compares them in lower case.
    res.attributes = res.attributes.map((name) => name.toLowerCase())
    for (const { uid, entryUUID } of people) {
      const attributes = { uid, entryuuid: entryUUID, entryUUID, objectclass: ['person'] }
      if (req.filter.matches(attributes))
        res.send({ dn: `uid=${uid},${base}`, attributes: { uid, entryUUID } })
    }
    res.end()
    return next()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  onTestFinished(stop)
  const { port } = server.address()
  const settings = {
    url: `ldap://127.0.0.1:${port}`,
    ...service,
    searchBase: base,
    searchFilter: '(uid={{username}})',
    searchAttributes: ['entryUUID'],
    timeout: 5000,
    connectTimeout: 5000,
  }
  return { settings, filters, stop }
}

interface Ldap {
  readonly InvalidCredentialsError: new () => Error
  createServer(): {
    bind(dn: string, handler: (request: Bind, reply: Reply, next: Next) => void): void
    search(dn: string, handler: (request: Search, reply: Reply, next: Next) => void): void
    listen(port: number, host: string, done: () => void): void
    close(done: () => void): void
    address(): { readonly port: number }
  }
}
interface Bind {
  readonly credentials: string
}
interface Search {
  readonly filter: { toString(): string; matches(entry: object): boolean }
}
interface Reply {
  attributes: string[]
  send(entry: object): void
  end(): void
}
type Next = (error?: Error) => void
