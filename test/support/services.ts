// Real servers for the tests that need them. Each URL is null when nothing answers there; use it
// with `describe.skipIf`. With REQUIRE_SERVICES=1 a missing server is a failure instead, so that no
// build is green because its tests were left out.
import { connect } from 'node:net'

/** Redis, as a `redis:` URL. Override with TEST_REDIS_URL. */
export const redisUrl: string | null = await reachable(
  'Redis',
  'TEST_REDIS_URL',
  'redis://127.0.0.1:6379',
)
/** PostgreSQL, as a `postgres:` URL. Override with TEST_POSTGRES_URL. */
export const postgresUrl: string | null = await reachable(
  'PostgreSQL',
  'TEST_POSTGRES_URL',
  'postgres://postgres@127.0.0.1:5432/postgres',
)
/** MariaDB or MySQL, as a `mysql:` URL. Override with TEST_MYSQL_URL. */
export const mysqlUrl: string | null = await reachable(
  'MariaDB',
  'TEST_MYSQL_URL',
  'mysql://root@127.0.0.1:3306/test',
)
/**
 * OpenLDAP, as an `ldap:` URL; over TLS it answers at the port that is 247 higher. Override with
 * TEST_LDAP_URL.
 */
export const ldapUrl: string | null = await reachable(
  'OpenLDAP',
  'TEST_LDAP_URL',
  'ldap://127.0.0.1:3389',
)

async function reachable(name: string, variable: string, standard: string): Promise<string | null> {
  const url = process.env[variable] || standard
  const { hostname, port } = new URL(url)
  if (await answers(hostname, Number(port || new URL(standard).port))) return url
  // Not the whole URL: it may hold a password.
  const message = `${name} is not reachable at ${hostname}:${port} (${variable})`
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(message)
  process.stderr.write(`skipped: ${message}\n`)
  return null
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: host.replaceAll(/[[\]]/g, ''), port, timeout: 2000 })
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
    socket.once('timeout', () => finish(false))
  })
}
