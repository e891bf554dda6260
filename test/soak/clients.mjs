// What clients do all day: they sign in, exchange codes, refresh, ask, listen on sockets and sign
// out. Whatever is answered otherwise than it must be is noted.
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'

const password = 'correct horse battery staple'
/** Sessions live for 60 seconds; who is older is left to be deleted. */
const youngSeconds = 40

/** Clients of two hosts. */
export function startClients(hosts) {
  const wrong = []
  const counts = { logins: 0, guarded: 0, refreshed: 0, loggedOut: 0, sockets: 0 }
  let devices = []
  let turn = 0
  const anyHost = () => {
    turn += 1
    return hosts[turn % hosts.length].url
  }
  const note = (what) => wrong.length < 20 && wrong.push(what)

  async function ask(expected, method, path, token, body) {
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    }
    const signal = AbortSignal.timeout(10_000)
    try {
      const response = await fetch(`${anyHost()}/api/v1${path}`, {
        method,
        headers,
        signal,
        body: body && JSON.stringify(body),
      })
      const answer = await response.json()
      if (response.status !== expected)
        note(`${method} ${path}: ${response.status}, not ${expected} ${JSON.stringify(answer)}`)
      return response.status === expected ? answer : null
    } catch (error) {
      note(`${method} ${path}: ${error}`)
      return null
    }
  }

  async function signIn() {
    counts.logins += 1
    // Its session begins no sooner.
    const at = Date.now()
    const login = await ask(200, 'POST', '/login', null, {
      username: `user-${counts.logins % 500}`,
      password,
    })
    if (login === null) return
    const { authToken } = login.data
    const codeVerifier = randomBytes(32).toString('base64url')
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
    const issued = await ask(200, 'POST', '/auth/pkce/authorize', authToken, { codeChallenge })
    const body = { authorizationCode: issued?.data.authorizationCode, codeVerifier }
    const tokens = issued && (await ask(200, 'POST', '/auth/pkce/token', null, body))
    if (tokens)
      devices.push({
        at,
        authToken,
        access: tokens.access_token,
        refresh: tokens.refresh_token,
        busy: false,
        underWay: 0,
      })
  }

  const young = () => {
    devices = devices.filter(({ at }) => Date.now() - at < youngSeconds * 1000)
    return devices[Math.floor(randomBytes(2).readUInt16LE() % Math.max(1, devices.length))]
  }

  async function guard() {
    const device = young()
    if (device === undefined) return
    counts.guarded += 1
    device.underWay += 1
    const answer = await ask(200, 'GET', '/rooms', device.authToken)
    device.underWay -= 1
    const state = device.isEnding ? 'is about to be signed out' : 'is in use'
    if (answer === null)
      note(`that was the session of a sign-in ${Date.now() - device.at} ms ago, which ${state}`)
  }

  async function refresh() {
    const device = young()
    if (device === undefined || device.busy) return
    device.busy = true
    const tokens = await ask(200, 'POST', '/auth/refresh', null, { refreshToken: device.refresh })
    if (tokens !== null && (await ask(200, 'GET', '/rooms', tokens.access_token)) !== null)
      counts.refreshed += 1
    Object.assign(device, { refresh: tokens?.refresh_token ?? device.refresh, busy: false })
  }

  async function logOut() {
    const device = devices.find(({ at }) => Date.now() - at > 5000)
    if (device === undefined) return
    devices = devices.filter((other) => other !== device)
    device.isEnding = true
    // What is under way with it is answered first.
    while (device.underWay > 0) await pause(100)
    if ((await ask(200, 'POST', '/logout', device.authToken)) === null) return
    counts.loggedOut += 1
    // In the other process as well, where the bus may be late.
    await pause(6000)
    for (let i = 0; i < hosts.length; i += 1) await ask(401, 'GET', '/rooms', device.authToken)
  }

  function listen() {
    const device = young()
    if (device === undefined) return
    const socket = new WebSocket(anyHost().replace('http', 'ws'), {
      headers: { authorization: `Bearer ${device.authToken}` },
    })
    socket.on('error', (error) => note(`socket: ${error}`))
    socket.on('open', () => {
      counts.sockets += 1
      setTimeout(() => socket.close(), 8000)
    })
  }

  const every = (milliseconds, work, times = 1) =>
    setInterval(() => Array.from({ length: times }, work), milliseconds)
  const timers = [
    every(1200, signIn),
    every(50, guard, 10),
    every(1000, refresh),
    every(3000, logOut),
    every(1000, listen),
  ]
  return {
    wrong,
    counts,
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await pause(9000)
    },
  }
}
