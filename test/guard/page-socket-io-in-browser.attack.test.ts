// Socket.IO by the cookie in a real browser: what its own page says of itself, over polling and
// over the upgrade, and what a neighbour on another port can do, which has the cookie sent along.
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { password, startHost } from '../support/host.js'
import { addSocketIo } from '../support/socket-io.js'

async function listen(): Promise<{ server: HttpServer; origin: string }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, origin: `http://localhost:${(server.address() as AddressInfo).port}` }
}

/** A site whose pages sign in by the cookie, and whose Socket.IO asks for nothing else. */
async function startSite(): Promise<{ origin: string; transports: string[] }> {
  const { server, origin } = await listen()
  const host = await startHost({
    options: { pagesOrigin: origin },
    after: (app, auth) => {
      app.get('/', (_request, response) => void response.send('<p>a page</p>'))
      app.post('/sign-in', express.json(), (request, response, next) => {
        auth.cookie.signIn(request, response, request.body).then(() => response.send('in'), next)
      })
      app.post('/sign-out', (request, response, next) => {
        auth.cookie.signOut(request, response).then(() => response.send('out'), next)
      })
    },
  })
  server.on('request', (request, response) => void host.server.emit('request', request, response))
  // Socket.IO itself lets the neighbour in.
  const { io } = addSocketIo({ ...host, server }, { cors: { origin: true, credentials: true } })
  io.use(host.auth.sockets.socketIo(io, { from: 'cookie' }))
  const transports: string[] = []
  io.on('connection', (socket) => {
    transports.push(socket.conn.transport.name)
    socket.emit('hello', socket.data.auth.userId)
  })
  return { origin, transports }
}

const post = (path: string, body: object) =>
  `fetch('${path}', { method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: '${JSON.stringify(body)}' }).then((answer) => answer.text())`

/** Connects a page, and answers who it is to the server, or the refusal. */
const connect = (origin: string, transports: string[]) => `new Promise((resolve) => {
  window.socket = io('${origin}', { forceNew: true, reconnection: false, withCredentials: true,
    transports: ${JSON.stringify(transports)} })
  window.ended = new Promise((told) => window.socket.on('auth.ended', told))
  window.socket.on('hello', resolve)
  window.socket.on('connect_error', (error) => resolve(error.data?.status ?? String(error)))
})`

const ways = [['polling', 'websocket'], ['polling'], ['websocket']]

describe.skipIf(chromiumPath === null)('in Chromium, Socket.IO that the cookie opens', () => {
  it('opens for an own page over every transport, and for no page on another port', async () => {
    const { origin, transports } = await startSite()
    const neighbour = await listen()
    neighbour.server.on('request', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>a neighbour</p>')
    })
    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const tab = await browser.newPage()
    const script = { url: `${origin}/socket.io/socket.io.js` }

    await tab.goto(origin)
    await tab.addScriptTag(script)
    expect(await tab.evaluate(connect(origin, ['websocket']))).toBe(401)
    expect(await tab.evaluate(post('/sign-in', { username: 'alice', password }))).toBe('in')
    for (const way of ways)
      expect([way, await tab.evaluate(connect(origin, way))]).toEqual([way, 'u-alice'])
    expect(transports).toEqual(expect.arrayContaining(['polling', 'websocket']))
    expect(await tab.evaluate(`${post('/sign-out', {})}.then(() => window.ended)`)).toEqual({
      code: 4401,
      reason: 'session ended: logout',
    })
    expect(await tab.evaluate(connect(origin, ['polling', 'websocket']))).toBe(401)

    expect(await tab.evaluate(post('/sign-in', { username: 'alice', password }))).toBe('in')
    await tab.goto(neighbour.origin)
    await tab.addScriptTag(script)
    for (const way of ways)
      expect([way, await tab.evaluate(connect(origin, way))]).toEqual([way, 403])
  })
})
