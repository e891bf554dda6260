import express from 'express'
import type { AuthRouter } from 'messaging-auth-router'

export interface Staff {
  isAdmin(userId: string): Promise<boolean>
  /** The user with exactly this name. */
  findUser(username: string): Promise<{ readonly id: string; readonly username: string } | null>
}

const text = (value: unknown) =>
  String(value).replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
const button = (
  action: string,
  name: string,
  fields: Readonly<Record<string, string>>,
  more = '',
) =>
  `<form method="post" action="${action}">${Object.entries(fields)
    .map(([key, value]) => `<input type="hidden" name="${key}" value="${text(value)}">`)
    .join('')}${more}<button>${name}</button></form>`

export function adminOf(auth: AuthRouter, { isAdmin, findUser }: Staff): express.Router {
  const admin = express.Router({ strict: true })
  // A stolen browser is no use an hour after its sign-in; no page of another site can post here.
  admin.use(auth.requireAuth({ from: 'cookie', maxAge: 3600 }), async (req, res, next) => {
    if (await isAdmin(req.auth.userId)) next()
    else res.sendStatus(403)
  })
  admin.use(express.urlencoded({ extended: false, limit: '4kb' }))

  admin.get('/', async (req, res) => {
    const name = typeof req.query['user'] === 'string' ? req.query['user'] : ''
    const user = name === '' ? null : await findUser(name)
    const sessions = user === null ? [] : await auth.sessions.list(user.id)
    const rows = sessions.map(({ id, kind, name: device, ip, lastSeenAt }) => {
      const cells = [device ?? 'unknown', kind, ip ?? '', lastSeenAt.toISOString()]
      const ends = button(`${req.baseUrl}/end`, 'End', { user: name, session: id })
      return `<tr>${cells.map((cell) => `<td>${text(cell)}</td>`).join('')}<td>${ends}</td></tr>`
    })
    const all = button(`${req.baseUrl}/end-all`, 'End all', { user: name })
    const address = '<input name="ip" placeholder="address">'
    const unlock = button(`${req.baseUrl}/unlock`, 'Unlock', { user: name }, address)
    res.set('Cache-Control', 'no-store').send(`<!doctype html><html lang="en"><title>Admin</title>
      <form><label>User name <input name="user" value="${text(name)}"></label>
      <button>Show</button></form>
      ${user === null ? '<p>No such user.</p>' : `<table>${rows.join('')}</table>${all}${unlock}`}`)
  })

  admin.post(['/end', '/end-all', '/unlock'], async (req, res) => {
    const { user: username, session, ip } = req.body as Partial<Record<string, string>>
    const user = await findUser(String(username))
    if (user === null) return void res.sendStatus(404)
    const by = { by: `admin:${req.auth.userId}`, ...(ip && { ip }) } // in every event of it
    const owned = (await auth.sessions.list(user.id)).find(({ id }) => id === session)
    if (req.path === '/end-all') await auth.sessions.revokeAllForUser(user.id, by)
    else if (req.path === '/unlock')
      await auth.unlockLogin({ kind: 'username', value: user.username }, by)
    else if (owned !== undefined) await auth.sessions.revoke(owned.id, by)
    res.redirect(303, `${req.baseUrl}/?user=${encodeURIComponent(user.username)}`)
  })
  return admin
}
