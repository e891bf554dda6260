// npx tsx server.ts before | both | after
import pg from 'pg'

const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 1500,
})
// a connection that breaks, idle or just before its query, would end the process if nobody listened
pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}))
const cookieSecret = process.env['COOKIE_SECRET'] ?? ''

const auth = async () => {
  const { chatAuth } = await import('./auth.js')
  return chatAuth(pool, process.env['AUTH_ENCRYPTION_KEYS'] ?? '')
}
const servers = {
  before: async () => (await import('./before.js')).chatBefore(pool, cookieSecret),
  both: async () => (await import('./both.js')).chatBoth(pool, cookieSecret, await auth()),
  after: async () => (await import('./after.js')).chatAfter(pool, await auth()),
}
const server = await servers[process.argv[2] as keyof typeof servers]()
server.listen(Number(process.env['PORT'] ?? 3000))
