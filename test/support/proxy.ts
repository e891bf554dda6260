// Stands between a process and its database, and cuts or silences the connection at a chosen
// moment.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy on a port of its own. */
export interface DatabaseProxy {
  /** The database's URL, through the proxy. */
  readonly url: string
  /** From now on every connection is closed, and every new one as soon as it is made. */
  cut(): void
  /** From now on connections are made again. */
  mend(): void
  /**
   * Once, of PostgreSQL: lets the next statement that matches reach the database, waits until that
   * has answered it, and then cuts the connection instead of passing the answer on. Resolves when
   * that has happened.
   */
  cutInsteadOfAnswer(statement: RegExp): Promise<void>
  /** From now on nothing gets through in either direction, and nothing is closed. */
  pause(): void
  /** What was held back gets through, and what follows. */
  resume(): void
  stop(): Promise<void>
}

interface Trap {
  readonly statement: RegExp
  readonly sprung: () => void
}

/** Starts a proxy for the database at a URL. */
export async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { port, hostname } = new URL(databaseUrl)
  const open = new Set<Socket>()
  let trap: Trap | null = null
  let isPaused = false
  let isCut = false

  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const database = connect(Number(port), hostname)
    const both = [client, database]
    const cut = () => {
      for (const socket of both) socket.destroy()
    }
    for (const socket of both) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        cut()
      })
      if (isPaused) socket.pause()
    }
    let caught: Trap | null = null
    client.on('data', (chunk) => {
      if (trap?.statement.test(chunk.toString('latin1'))) {
        caught = trap
        trap = null
      }
      database.write(chunk)
    })
    database.on('data', (chunk) => {
      if (caught === null) client.write(chunk)
      else if (isReady(chunk)) {
        cut()
        caught.sprung()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)

  return {
    url: url.href,
    cut() {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    mend() {
      isCut = false
    },
    cutInsteadOfAnswer: (statement) =>
      new Promise((sprung) => {
        trap = { statement, sprung }
      }),
    pause() {
      isPaused = true
      for (const socket of open) socket.pause()
    },
    resume() {
      isPaused = false
      for (const socket of open) socket.resume()
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** PostgreSQL ends every answer with ReadyForQuery: by then a COMMIT is on disk. */
function isReady(chunk: Buffer): boolean {
  const end = chunk.subarray(-6)
  return end.length === 6 && end[0] === 0x5a && end.readUInt32BE(1) === 5
}
