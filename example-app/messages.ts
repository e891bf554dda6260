import type { Kysely } from 'kysely'
import type { ChatTables } from './tables.js'

/** A message as clients see it. */
export interface Message {
  readonly id: string
  readonly room: string
  readonly from: { readonly id: string; readonly username: string }
  readonly text: string
  readonly at: string
}

/** The messages of all rooms. */
export interface MessageTable {
  /** The newest of a room, in their order. */
  latest(room: string): Promise<Message[]>
  add(message: Message): Promise<void>
}

const kept = 200

/** Keeps the newest messages of each room in the database. */
export function createMessageTable(kysely: Kysely<ChatTables>): MessageTable {
  // Two plain statements, for MySQL cannot delete from a table that the same statement reads.
  // Whatever happens between them, only messages are deleted that 200 newer ones have followed.
  async function prune(room: string): Promise<void> {
    const inRoom = kysely.selectFrom('chat_messages').select('number').where('room', '=', room)
    const tooOld = await inRoom.orderBy('number', 'desc').limit(1).offset(kept).executeTakeFirst()
    if (tooOld === undefined) return
    await kysely
      .deleteFrom('chat_messages')
      .where('room', '=', room)
      .where('number', '<=', tooOld.number)
      .execute()
  }

  return {
    async latest(room) {
      const rows = kysely.selectFrom('chat_messages').selectAll().where('room', '=', room)
      const newestFirst = await rows.orderBy('number', 'desc').limit(kept).execute()
      return newestFirst.reverse().map((row) => ({
        id: String(row.id),
        room: String(row.room),
        from: { id: String(row.author_id), username: String(row.author_name) },
        text: String(row.body),
        at: String(row.sent_at),
      }))
    },

    async add({ id, room, from, text, at }) {
      const row = {
        id,
        room,
        author_id: from.id,
        author_name: from.username,
        body: text,
        sent_at: at,
      }
      await kysely.insertInto('chat_messages').values(row).execute()
      // The message stands, and the next one tidies up as well.
      await prune(room).catch(() => {})
    },
  }
}
