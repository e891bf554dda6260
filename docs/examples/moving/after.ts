// The server moved: passport, express-session and their store are gone.
import { createServer, type Server } from 'node:http'
import express from 'express'
import type { AuthRouter, Principal } from 'messaging-auth-router'
import type { Pool } from 'pg'
import { Server as SocketServer } from 'socket.io'

interface ToServer {
  say(text: string): void
}
interface ToClient {
  said(message: { userId: string; text: string }): void
  'auth.ended'(end: { code: number; reason: string }): void
}
interface Data {
  auth: Principal
}

export function chatAfter(pool: Pool, auth: AuthRouter): Server {
  const app = express()
  const server = createServer(app)
  const io = new SocketServer<ToServer, ToClient, Record<string, never>, Data>(server)
  app.use('/api/v1', auth)
  app.use(express.json())

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
    await auth.passwordChanged(userId, { except: sessionId })
    res.sendStatus(204)
  })
  app.get('/messages', auth.requireAuth(), async (_req, res) => {
    const { rows } = await pool.query('select user_id, text from messages order by id')
    res.json(rows)
  })

  io.use(auth.sockets.socketIo(io))
  io.on('connection', (socket) => {
    const { userId } = socket.data.auth
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
