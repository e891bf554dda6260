import { randomUUID } from 'node:crypto'
import { json, type Response, Router } from 'express'
import { AuthError, type AuthRouter } from 'messaging-auth-router'
import type { Message, MessageTable } from './messages.js'
import type { UserTable } from './users.js'

/** What the rooms need of the rest of the server. */
export interface RoomDeps {
  readonly auth: AuthRouter
  readonly users: Pick<UserTable, 'findById'>
  readonly messages: MessageTable
  /** Told of each new message. */
  readonly announce: (message: Message) => void
}

const roomNames = new Map([
  ['general', 'General'],
  ['random', 'Random'],
])
const longestText = 2000
/** For the database to answer, in milliseconds. */
const longestWait = 2000

/** The chat itself: routes that only signed-in users reach. */
export function roomRoutes({ auth, users, messages, announce }: RoomDeps): Router {
  const router = Router()
  // First, so that a stranger's body is never read, and only signed-in users learn which rooms
  // there are.
  const mayRead = auth.requireAuth({ scope: 'messages:read' })
  const mayWrite = auth.requireAuth()
  router.use('/rooms', (request, response, next) =>
    (request.method === 'GET' ? mayRead : mayWrite)(request, response, next),
  )
  router.use('/rooms', (_request, response, next) => {
    // X-Auth-Token, unlike Authorization, does not keep a shared cache from storing the answer.
    response.set('Cache-Control', 'no-store')
    next()
  })

  router.get('/rooms', (_request, response) => {
    response.json({ rooms: [...roomNames].map(([id, name]) => ({ id, name })) })
  })

  router.get('/rooms/:room/messages', async ({ params: { room } }, response) => {
    if (!roomNames.has(room)) return refuse(response, 404, 'not-found', 'There is no such room.')
    response.json({ messages: await inTime(messages.latest(room)) })
  })

  router.post(
    '/rooms/:room/messages',
    json({ limit: '16kb' }),
    async ({ auth: { userId }, body, params: { room } }, response) => {
      if (!roomNames.has(room)) return refuse(response, 404, 'not-found', 'There is no such room.')
      const text: unknown = body?.text
      if (!isMessageText(text))
        return refuse(response, 400, 'invalid-request', `Write 1 to ${longestText} characters.`)
      // The sender is whoever the token was issued to, whatever the body says.
      const username = (await inTime(users.findById(userId)))?.username ?? userId
      const message = {
        id: randomUUID(),
        room,
        from: { id: userId, username },
        text,
        at: new Date().toISOString(),
      }
      await inTime(messages.add(message))
      announce(message)
      response.status(201).json({ message })
    },
  )

  return router
}

/** Reads the newest messages of a room for the tools; every user may read every room. */
export function roomReader({ messages }: Pick<RoomDeps, 'messages'>) {
  return async (_userId: string, room: string): Promise<string[] | null> => {
    if (!roomNames.has(room)) return null
    const newest = (await inTime(messages.latest(room))).slice(-50)
    return newest.map(({ at, from, text }) => `${at} ${from.username}: ${text}`)
  }
}

function isMessageText(text: unknown): text is string {
  if (typeof text !== 'string' || text.trim() === '' || text.length > longestText) return false
  // What a database would refuse or replace: zero bytes, and halves of characters.
  return !/\0|\p{Surrogate}/u.test(text)
}

// As the router's own answer when the database is away, or silent: clients come back in a moment,
// and keep their tokens.
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${longestWait} ms`)), longestWait)
  })
  try {
    return await Promise.race([answer, silence])
  } catch (cause) {
    throw new AuthError('temporarily-unavailable', { cause })
  } finally {
    clearTimeout(timer)
  }
}

function refuse(response: Response, status: number, error: string, message: string): void {
  response.status(status).json({ error, message })
}
