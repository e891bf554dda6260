import { Server, type ServerOptions } from 'socket.io'
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'
import { onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type HostSettings, startHost, type TestHost } from './host.js'

/** A running host with a Socket.IO server on its port. What it guards is for the test to say. */
export interface SocketIoHost extends TestHost {
  readonly io: Server
  /** Where its clients connect to. */
  readonly origin: string
}

/** Starts one, and stops it when the test ends. */
export async function startSocketIoHost(
  settings: HostSettings = {},
  options: Partial<ServerOptions> = {},
): Promise<SocketIoHost> {
  return addSocketIo(await startHost(settings), options)
}

/** Starts a Socket.IO server on the port of a host that runs, and stops it when the test ends. */
export function addSocketIo(host: TestHost, options: Partial<ServerOptions> = {}): SocketIoHost {
  const server = new Server(host.server, { destroyUpgrade: false, ...options })
  onTestFinished(() => void server.disconnectSockets(true))
  return { ...host, io: server, origin: host.url.replace('/api/v1', '') }
}

/** A client with a connection of its own, that stays gone when it is gone. */
export function connectTo(
  { origin }: SocketIoHost,
  options: Partial<ManagerOptions & SocketOptions> = {},
  namespace = '/',
): Socket {
  const client = io(`${origin}${namespace}`, { forceNew: true, reconnection: false, ...options })
  onTestFinished(() => void client.disconnect())
  return client
}

/** The first value of an event. */
export function next<T = unknown>(client: Socket, event: string): Promise<T> {
  return new Promise((resolve) => client.once(event, resolve))
}

/** What a refused client is told. */
export const refusalOf = (client: Socket) =>
  next<Error & { data?: { code: string; status: number } }>(client, 'connect_error')

/** A client that speaks to the connection itself, and reads whatever is written there. */
export async function openRaw({
  origin,
}: SocketIoHost): Promise<{ socket: WebSocket; packets: string[] }> {
  const socket = new WebSocket(
    `${origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`,
  )
  onTestFinished(() => socket.terminate())
  const packets: string[] = []
  socket.on('message', (data) => void packets.push(data.toString()))
  await new Promise((resolve) => socket.once('message', resolve))
  return { socket, packets }
}

/** The warnings of the process while something is done; they are not printed. */
export async function warningsOf(work: () => Promise<void>): Promise<string[]> {
  const warnings: string[] = []
  const emit = vi.spyOn(process, 'emitWarning')
  emit.mockImplementation((warning: string | Error) => void warnings.push(String(warning)))
  onTestFinished(() => emit.mockRestore())
  await work()
  emit.mockRestore()
  return warnings
}
