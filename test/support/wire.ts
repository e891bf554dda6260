// A wire to a server that a test can cut or silence, for outages that do not concern anybody else.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A wire to a server. */
export interface Wire {
  /** The server's URL, by way of the wire. */
  readonly url: string
  /** From now on what comes is swallowed, as by a machine that has lost its power. */
  silence(): void
  /** Ends all connections; new ones are refused. */
  cut(): Promise<void>
  /** After `cut`. */
  mend(): Promise<void>
}

/** Lays a wire. */
export async function layWire(serverUrl: string): Promise<Wire> {
  const { hostname, port } = new URL(serverUrl)
  const open = new Set<Socket>()
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('data', (data) => isSilent || other.write(data))
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const ownPort = await listen(0)
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${ownPort}`
  return {
    url: url.href,
    silence() {
      isSilent = true
    },
    async cut() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
    mend: async () => void (await listen(ownPort)),
  }
}
