// The example behind a proxy of the test's own, which can spoil what it answers.
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { createLookAt, type LookAt, type Patient } from '../../src/doctor/examine.js'
import { environmentIn, startExample, temporaryFolder } from '../support/example.js'

const publicUrl = 'https://chat.example.com'

/** What the example has answered, to be changed at will. */
export interface Answered {
  status: number
  headers: Record<string, string | string[]>
  body: string
}

/** Spoils an answer. */
export type Spoil = (
  answered: Answered,
  asked: { readonly method: string; readonly path: string; readonly body: string },
) => void

/** Starts it for the tests of a file. */
export async function startFronted(settings: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const example = await startExample({
    ...environmentIn(folder),
    PUBLIC_URL: publicUrl,
    MAIL: 'off',
    ...settings,
  })
  const state: { spoil: Spoil } = { spoil: () => {} }
  const front = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = 'GET', url: path = '/', headers } = request
      const body = Buffer.concat(chunks)
      const forwarded = ask(`${example.url}${path}`, { method, headers }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => {
          const given = answer.headers as Answered['headers']
          const answered: Answered = {
            status: answer.statusCode ?? 0,
            headers: { ...given, 'strict-transport-security': 'max-age=31536000' },
            body: Buffer.concat(parts).toString('utf8'),
          }
          state.spoil(answered, { method, path, body: body.toString('utf8') })
          const {
            'content-length': _length,
            'transfer-encoding': _coding,
            ...others
          } = answered.headers
          response.writeHead(answered.status, others).end(answered.body)
        })
      })
      forwarded.end(body)
    })
  })
  front.on('upgrade', (request, socket) => {
    const forwarded = ask(`${example.url}${request.url}`, { headers: request.headers })
    forwarded.on('response', ({ statusCode }) => {
      const answered: Answered = { status: statusCode ?? 0, headers: {}, body: '' }
      state.spoil(answered, { method: 'UPGRADE', path: request.url ?? '/', body: '' })
      socket.end(`HTTP/1.1 ${answered.status} Answer\r\nconnection: close\r\n\r\n`)
    })
    forwarded.end()
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const { port } = front.address() as AddressInfo
  afterAll(async () => {
    front.closeAllConnections()
    front.close()
    await example.stop()
  })
  const look: LookAt = async (url, asked) => {
    // As a proxy does on port 80.
    if (url.startsWith('http:')) {
      const answered: Answered = {
        status: 301,
        headers: { location: url.replace('http:', 'https:') },
        body: '',
      }
      state.spoil(answered, { method: 'PLAIN', path: '/', body: '' })
      const headers = answered.headers as Record<string, string>
      return { status: answered.status, headers, cookies: [], text: '', json: null }
    }
    return createLookAt()(url.replace(publicUrl, `http://127.0.0.1:${port}`), asked)
  }
  return { state, look, url: `http://127.0.0.1:${port}` }
}

/** As an operator asks, who knows her server. */
export const patient: Patient = {
  baseUrl: new URL(`${publicUrl}/api/v1`),
  origin: null,
  clientId: 'desktop',
  guardedPath: '/api/v1/rooms',
  socketPath: '/ws',
}
