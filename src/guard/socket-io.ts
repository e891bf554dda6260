import type { IncomingMessage } from 'node:http'
import { AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { type PresentedCredentials, readCredentials } from '../http/credentials.js'
import { contextOf } from '../http/endpoint.js'
import type { JudgeCredentials } from './authenticate.js'
import type { Principal } from './principal.js'
import type { ClosableSocket, TrackedSocket } from './tracked-socket.js'

/** What is needed of a Socket.IO 4 socket. Typed by what is called, so that the package does not depend on it. */
export interface SocketIoSocket {
  readonly request: IncomingMessage
  /** The connection beneath, which may carry other sockets too. */
  readonly conn: { readonly readyState: string; close(): unknown; once(event: 'close', listener: () => void): unknown }
  readonly handshake: { readonly auth: Readonly<Record<string, unknown>> }
  data: Record<string, unknown>
  emit(event: string, ...values: unknown[]): unknown
  disconnect(close?: boolean): unknown
  once(event: 'disconnect', listener: () => void): unknown
}

/** Socket.IO middleware. */
export type SocketIoGuard = (socket: SocketIoSocket, next: (error?: Error) => void) => void

/**
 * Makes the middleware. The token comes in `auth: { token }` of the client's options, or in the headers. A refusal reaches the client
 * as `connect_error` with `data: { code, status }`; the end of the session as the event `auth.ended` with `{ code: 4401 | 4408 }`, and a
 * disconnect that the client does not try to mend. Origins are Socket.IO's own business (`cors`).
 */
export function createSocketIoGuard(
  judge: JudgeCredentials,
  track: (socket: ClosableSocket, principal: Principal) => TrackedSocket,
): SocketIoGuard {
  async function admit(socket: SocketIoSocket): Promise<void> {
    const credentials = credentialsOf(socket)
    if (credentials === null) throw notSignedIn('no credentials')
    const { principal } = await judge(credentials, { ...contextOf(socket.request), ip: null })
    socket.data['auth'] = principal
    socket.data['authSocket'] = track(asClosable(socket), principal)
  }

  return (socket, next) => {
    admit(socket).then(
      () => next(),
      (error: unknown) => next(asConnectError(error)),
    )
  }
}

function credentialsOf({ handshake: { auth }, request }: SocketIoSocket): PresentedCredentials | null {
  const { token, userId } = auth
  const inHeaders = readCredentials(request)
  if (token === undefined) return inHeaders
  // Two parts of a system could pick different ones.
  if (inHeaders !== null) throw invalidRequest([{ path: 'auth.token', message: 'Send either auth.token or a header, not both.' }])
  if (typeof token !== 'string' || (userId !== undefined && typeof userId !== 'string')) return null
  return { token, userId: userId ?? null }
}

function asClosable(socket: SocketIoSocket): ClosableSocket {
  return {
    close(code, reason) {
      socket.emit('auth.ended', { code, reason })
      socket.disconnect(true)
    },
    // Before it is connected, while another middleware thinks, a socket cannot be disconnected: only its connection can be closed.
    terminate: () => void socket.conn.close(),
    // A socket that was never connected never disconnects, but its connection closes.
    once(_event, listener) {
      socket.once('disconnect', listener)
      socket.conn.once('close', listener)
    },
    readyState: socket.conn.readyState === 'open' ? 1 : 3,
    // Socket.IO handles the errors of its connections itself.
    on: () => {},
  }
}

function asConnectError(error: unknown): Error {
  const known = error instanceof AuthError ? error : new AuthError('temporarily-unavailable', { cause: error })
  return Object.assign(new Error(known.clientMessage), { data: { code: known.code, status: known.status } })
}
