// A chat server as there are many: passport-local, express-session and Socket.IO.
import { createServer, type Server } from 'node:http'
import bcrypt from 'bcryptjs'
import connectPgSimple from 'connect-pg-simple'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy as LocalStrategy } from 'passport-local'
import type { Pool } from 'pg'
import { Server as SocketServer } from 'socket.io'

declare global {
  namespace Express {
    interface User {
      id: number
      username: string
    }
  }
}

export function chatBefore(pool: Pool, cookieSecret: string): Server {
  passport.use(
    new LocalStrategy(async (username, password, done) => {
      const { rows } = await pool.query('select * from users where username = $1', [username])
      const found = rows[0]
      if (!found || !(await bcrypt.compare(password, found.password))) return done(null, false)
      done(null, { id: found.id, username: found.username })
    }),
  )
  passport.serializeUser((user, done) => done(null, user.id))
  passport.deserializeUser(async (id, done) => {
    const { rows } = await pool.query('select id, username from users where id = $1', [id])
    done(null, rows[0] ?? false)
  })

  const app = express()
  const server = createServer(app)
  const io = new SocketServer(server)
  const sessions = session({
    store: new (connectPgSimple(session))({ pool }),
    secret: cookieSecret,
    resave: false,
    saveUninitialized: false,
    cookie: { maxAge: 30 * 24 * 3600 * 1000 },
  })
  app.use(express.json(), express.urlencoded(), sessions, passport.session())

  const signedIn: express.RequestHandler = (req, res, next) => {
    if (req.isAuthenticated()) next()
    else res.sendStatus(401)
  }
  app.post('/register', async (req, res) => {
    const { username, email, password } = req.body
    const hash = await bcrypt.hash(password, 10)
    await pool.query('insert into users (username, email, password) values ($1, $2, $3)', [
      username,
      email,
      hash,
    ])
    res.sendStatus(201)
  })
  app.post(
    '/login',
    passport.authenticate('local', { successRedirect: '/', failureRedirect: '/?failed' }),
  )
  app.post('/logout', (req, res, next) => {
    req.logout((error) => (error ? next(error) : res.redirect('/')))
  })
  app.post('/password', signedIn, async (req, res) => {
    const hash = await bcrypt.hash(req.body.password, 10)
    await pool.query('update users set password = $2 where id = $1', [req.user?.id, hash])
    res.sendStatus(204)
  })
  app.get('/messages', signedIn, async (_req, res) => {
    const { rows } = await pool.query('select user_id, text from messages order by id')
    res.json(rows)
  })

  io.engine.use(sessions)
  io.engine.use(passport.session())
  io.use((socket, next) => {
    next((socket.request as express.Request).user ? undefined : new Error('unauthorized'))
  })
  io.on('connection', (socket) => {
    const { user } = socket.request as express.Request
    socket.on('say', async (text: string) => {
      await pool.query('insert into messages (user_id, text) values ($1, $2)', [user?.id, text])
      io.emit('said', { userId: user?.id, text })
    })
  })
  return server
}
