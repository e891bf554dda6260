import { json, type Response, Router } from 'express'
import type { AuthRouter } from 'messaging-auth-router'
import type { UserTable } from './users.js'

/** A message as clients see it. */
export interface Message {
  readonly id: string
  readonly room: string
  readonly from: { readonly id: string; readonly username: string }
  readonly text: string
  readonly at: string
}

/** What the rooms need of the rest of the server. */
export interface RoomDeps {
  readonly auth: AuthRouter
  readonly users: UserTable
  /** Told of each new message. */
  readonly announce: (message: Message) => void
}

const roomNames = new Map([
  ['general', 'General'],
  ['random', 'Random'],
])
const messagesKept = 200
const longestText = 2000

/** The chat itself: routes that only signed-in users reach. */
export function roomRoutes({ auth, users, announce }: RoomDeps): Router {
  const messages = new Map<string, Message[]>([...roomNames.keys()].map((id) => [id, []]))
  let lastId = 0

  const router = Router()
  // First, so that a stranger's body is never read, and only signed-in users learn which rooms there are.
  router.use('/rooms', auth.requireAuth(), (_request, response, next) => {
    // X-Auth-Token, unlike Authorization, does not keep a shared cache from storing the answer.
    response.set('Cache-Control', 'no-store')
    next()
  })

  router.get('/rooms', (_request, response) => {
    response.json({ rooms: [...roomNames].map(([id, name]) => ({ id, name })) })
  })

  router.get('/rooms/:room/messages', ({ params }, response) => {
    const found = messages.get(params.room)
    if (found === undefined) return refuse(response, 404, 'not-found', 'There is no such room.')
    response.json({ messages: found })
  })

  router.post('/rooms/:room/messages', json({ limit: '16kb' }), async ({ auth: { userId }, body, params }, response) => {
    const room = messages.get(params.room)
    if (room === undefined) return refuse(response, 404, 'not-found', 'There is no such room.')
    const text: unknown = body?.text
    if (!isMessageText(text)) return refuse(response, 400, 'invalid-request', `Write 1 to ${longestText} characters.`)
    // The sender is whoever the token was issued to, whatever the body says.
    const username = (await users.findById(userId))?.username ?? userId
    const message = { id: String(++lastId), room: params.room, from: { id: userId, username }, text, at: new Date().toISOString() }
    room.push(message)
    if (room.length > messagesKept) room.shift()
    announce(message)
    response.status(201).json({ message })
  })

  return router
}

function isMessageText(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== '' && text.length <= longestText
}

function refuse(response: Response, status: number, error: string, message: string): void {
  response.status(status).json({ error, message })
}
