// The server on its way: new clients show tokens, and whoever has a session of the old server keeps
// it, or exchanges it for a token. Nobody signs in the old way any more.
import { createServer, type Server } from 'node:http'
import connectPgSimple from 'connect-pg-simple'
import express from 'express'
import session from 'express-session'
import { AuthError, type AuthRouter, type Principal } from 'messaging-auth-router'
import type { Pool } from 'pg'
import { Server as SocketServer } from 'socket.io'

declare module 'express-session' {
  interface SessionData {
    passport?: { user: number }
  }
}

interface ToServer {
  say(text: string): void
}
interface ToClient {
  said(message: { userId: string; text: string }): void
  'auth.ended'(end: { code: number; reason: string }): void
}
interface Data {
  userId: string
  auth?: Principal // of those who came with a token
}

export function chatBoth(pool: Pool, cookieSecret: string, auth: AuthRouter): Server {
  const app = express()
  const server = createServer(app)
  const io = new SocketServer<ToServer, ToClient, Record<string, never>, Data>(server)
  const sessions = session({
    store: new (connectPgSimple(session))({ pool }),
    secret: cookieSecret,
    resave: false,
    saveUninitialized: false,
    cookie: { maxAge: 30 * 24 * 3600 * 1000 },
  })
  app.use('/api/v1', auth) // before the old sessions: it needs none
  app.use(express.json(), sessions)

  // The user of an old session, if both are still there.
  const oldUser = async (request: express.Request): Promise<string | null> => {
    const { rows } = await pool.query('select id from users where id = $1', [
      request.session?.passport?.user,
    ])
    return rows[0] ? String(rows[0].id) : null
  }
  const byToken = auth.requireAuth()
  const signedIn: express.RequestHandler = async (req, res, next) => {
    if (req.get('authorization') || req.get('x-auth-token')) {
      return byToken(req, res, (error?: unknown) => {
        if (!error) res.locals['userId'] = req.auth.userId
        next(error)
      })
    }
    res.locals['userId'] = await oldUser(req)
    if (res.locals['userId'] === null) res.sendStatus(401)
    else next()
  }

  // An old session becomes a new one, once: whoever deletes the row has it.
  app.post('/session/token', async (req, res) => {
    // No form of another site can send this header.
    if (!req.get('x-requested-with')) return void res.sendStatus(403)
    const userId = await oldUser(req)
    if (userId === null) return void res.sendStatus(401)
    const { rowCount } = await pool.query('delete from session where sid = $1 and expire > now()', [
      req.sessionID,
    ])
    if (rowCount !== 1) return void res.sendStatus(401)
    res.clearCookie('connect.sid')
    const opened = await auth.sessions.open({ userId, request: req })
    res.set('Cache-Control', 'no-store').json({ userId, authToken: opened.token })
  })
  // A page that was open meanwhile still sends its form here.
  app.post('/login', (_req, res) => res.redirect(303, '/'))
  app.post('/logout', (req, res, next) => {
    req.session.destroy((error) => (error ? next(error) : res.redirect(303, '/')))
  })
  app.post('/register', async (req, res) => {
    const { username, email, password } = req.body ?? {}
    await pool.query('insert into users (username, email, password) values ($1, $2, $3)', [
      username,
      email,
      await auth.hashPassword(password),
    ])
    res.sendStatus(201)
  })
  app.post('/password', auth.requireAuth({ maxAge: 300 }), async (req, res) => {
    const { userId, sessionId } = req.auth
    const hash = await auth.hashPassword(req.body?.password)
    await pool.query('update users set password = $2 where id = $1', [userId, hash])
    await pool.query(`delete from session where sess->'passport'->>'user' = $1`, [userId])
    await auth.passwordChanged(userId, { except: sessionId })
    res.sendStatus(204)
  })
  app.get('/messages', signedIn, async (_req, res) => {
    const { rows } = await pool.query('select user_id, text from messages order by id')
    res.json(rows)
  })
  app.use(answerAuthError)

  const socketByToken = auth.sockets.socketIo(io)
  io.engine.use(sessions)
  io.use((socket, next) => {
    if (socket.handshake.auth['token'] !== undefined) {
      return socketByToken(socket, (error) => {
        if (socket.data.auth) socket.data.userId = socket.data.auth.userId
        next(error)
      })
    }
    oldUser(socket.request as express.Request).then((userId) => {
      if (userId !== null) socket.data.userId = userId
      next(userId === null ? new Error('unauthorized') : undefined)
    }, next)
  })
  io.on('connection', (socket) => {
    const { userId } = socket.data
    socket.on('say', async (text) => {
      try {
        await pool.query('insert into messages (user_id, text) values ($1, $2)', [userId, text])
        io.emit('said', { userId, text })
      } catch (error) {
        process.emitWarning(String(error))
      }
    })
  })
  return server
}

const answerAuthError: express.ErrorRequestHandler = (error, _req, res, next) => {
  if (!(error instanceof AuthError)) return next(error)
  res.status(error.status).json({ error: error.code, message: error.clientMessage })
}
