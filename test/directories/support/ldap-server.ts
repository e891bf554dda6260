// A server that speaks as much LDAP as a test tells it to, and remembers what it was asked.
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { id, type Node, node, read, text, whole } from './ber.js'

export interface Asked {
  readonly id: number
  readonly kind: 'bind' | 'search' | 'extended' | 'unbind'
  /** The number of the connection, from 0. */
  readonly connection: number
  /** The name that binds, or the base of a search. */
  readonly dn: string
  readonly password: string
  readonly scope: number
  readonly sizeLimit: number
  readonly filter: Node | undefined
  readonly attributes: readonly string[]
  /** Undefined if the search is not paged. */
  readonly page: { readonly size: number; readonly cookie: string } | undefined
  readonly controls: readonly string[]
}

/** Answers one request by what it writes. */
export type Answering = (asked: Asked, socket: Socket) => void

export const attribute = (type: string, values: readonly (string | Buffer)[]): Buffer =>
  node(0x30, [
    node(0x04, type),
    node(
      0x31,
      values.map((value) => node(0x04, value)),
    ),
  ])

/** Whole messages, each with its number. */
export const message = (of: number, operation: Buffer, controls?: Buffer): Buffer =>
  node(0x30, [id(of), operation, ...(controls === undefined ? [] : [node(0xa0, controls)])])
export const result = (of: number, tag: number, code: number, said = '', controls?: Buffer) =>
  message(of, node(tag, [node(0x0a, code), node(0x04), node(0x04, said)]), controls)
export const bound = (of: number, code = 0, said = '', controls?: Buffer) =>
  result(of, 0x61, code, said, controls)
export const searched = (of: number, code = 0, controls?: Buffer) =>
  result(of, 0x65, code, '', controls)
export const entry = (of: number, dn: string, attributes: readonly Buffer[] = []) =>
  message(of, node(0x64, [node(0x04, dn), node(0x30, attributes)]))
export const reference = (of: number, url: string) => message(of, node(0x73, [node(0x04, url)]))
export const pageControl = (cookie: string) =>
  node(0x30, [
    node(0x04, '1.2.840.113556.1.4.319'),
    node(0x04, node(0x30, [node(0x02, 0), node(0x04, cookie)])),
  ])
const kinds: Readonly<Record<number, Asked['kind']>> = {
  96: 'bind',
  99: 'search',
  119: 'extended',
  66: 'unbind',
}

function askedOf({ parts }: Node, connection: number): Asked {
  const [number, operation, controls] = parts
  const kind = kinds[operation?.tag ?? 0] ?? 'unbind'
  const given = operation?.parts ?? []
  const list = controls?.parts ?? []
  const paged = list.find((one) => text(one.parts[0]) === '1.2.840.113556.1.4.319')
  const [page] = paged === undefined ? [] : read(paged.parts.at(-1)?.value as Buffer).nodes
  const [at, of] = kind === 'search' ? [0, given] : [1, given]
  return {
    id: whole(number),
    kind,
    connection,
    dn: text(of[at]),
    password: kind === 'bind' ? text(given[2]) : '',
    scope: kind === 'search' ? whole(given[1]) : 0,
    sizeLimit: kind === 'search' ? whole(given[3]) : 0,
    filter: given[6],
    attributes: (given[7]?.parts ?? []).map((one) => text(one)),
    page: page && { size: whole(page.parts[0]), cookie: text(page.parts[1]) },
    controls: list.map((one) => text(one.parts[0])),
  }
}

export interface LdapServer {
  readonly url: string
  readonly port: number
  readonly asked: Asked[]
  /** Connections that were made, and those that are open. */
  readonly made: () => number
  readonly open: () => number
  answer(answering: Answering): void
  stop(): Promise<void>
}

/** Starts one on a free port, or on `port`. It ends with the test. */
export async function startLdapServer(first: Answering, port = 0): Promise<LdapServer> {
  const sockets = new Set<Socket>()
  const asked: Asked[] = []
  let [made, answering] = [0, first]
  const server = createServer((socket) => {
    const connection = made
    made += 1
    sockets.add(socket)
    let rest = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      const { nodes, rest: left } = read(Buffer.concat([rest, chunk]))
      rest = Buffer.from(left)
      for (const one of nodes) {
        const request = askedOf(one, connection)
        asked.push(request)
        if (request.kind !== 'unbind') answering(request, socket)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)
  const address = server.address() as { port: number }
  return {
    url: `ldap://127.0.0.1:${address.port}`,
    port: address.port,
    asked,
    made: () => made,
    open: () => sockets.size,
    answer(next) {
      answering = next
    },
    stop,
  }
}
