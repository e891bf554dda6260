import express from 'express'
import type { AuthRouter } from 'messaging-auth-router'

type Params = { readonly arguments?: { readonly room?: string }; readonly protocolVersion?: string }
type Call = { readonly id?: number | string; readonly method?: string; readonly params?: Params }
/** Reads the newest messages of a room as a user; null if there is no such room. */
type Read = (userId: string, room: string) => Promise<readonly string[] | null>

/** One tool, which reads a room as the user who has connected the assistant. */
export function toolsOf(auth: AuthRouter, resource: string, read: Read): express.Router {
  const room = { type: 'string', description: 'The id of the room, such as general' }
  const inputSchema = { type: 'object', properties: { room }, required: ['room'] }
  const tool = { name: 'read_room', description: 'Reads a room', inputSchema }

  async function answerTo(method: unknown, params: Params, userId: string): Promise<object | null> {
    if (method === 'ping') return {}
    if (method === 'tools/list') return { tools: [tool] }
    if (method === 'initialize') {
      const serverInfo = { name: 'chat', version: '1.0.0' }
      const { protocolVersion = '2025-06-18' } = params
      return { protocolVersion, capabilities: { tools: {} }, serverInfo }
    }
    if (method !== 'tools/call') return null
    const texts = await read(userId, String(params.arguments?.room))
    const said = texts ?? ['There is no such room.']
    return { content: said.map((text) => ({ type: 'text', text })), isError: texts === null }
  }

  const tools = express.Router()
  const mayRead = auth.requireAuth({ resource, scope: 'messages:read' })
  tools.post('/', mayRead, express.json(), async (req, res) => {
    const { id, method, params }: Call = req.body ?? {}
    const result = await answerTo(method, params ?? {}, req.auth.userId)
    const said = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
    if (id === undefined)
      res.sendStatus(202) // a notification, which has no answer
    else res.json({ jsonrpc: '2.0', id, ...said })
  })
  tools.all('/', (_req, res) => void res.set('Allow', 'POST').sendStatus(405)) // no event stream
  return tools
}
