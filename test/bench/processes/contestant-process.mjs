// A process with one contestant in it: an HTTP server, and what can be asked of it from outside.
// Started with the contestant's file name and its settings.
import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerCalls } from './calls.mjs'

const [name, settings] = process.argv.slice(2)
const contestant = await (await import(`../contestants/${name}.mjs`)).start(JSON.parse(settings))
const server = createServer(contestant.listener)
// A server that stands still for five seconds would find its connections idle, and hang up while
// the next request is on its way.
server.keepAliveTimeout = 600_000
await new Promise((resolve) => server.listen(0, '127.0.0.1', 1024, resolve))
const { port } = server.address()

let delay = null
let before = null

answerCalls({
  port: () => port,
  prepare: (input) => contestant.prepare(input, port),
  async startWatching() {
    delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    // The first interval after enabling is not counted; without a tick before the load, the first
    // stall would be lost.
    await sleep(20)
    delay.reset()
    await sleep(20)
    before = process.cpuUsage()
  },
  stopWatching() {
    delay.disable()
    const { user, system } = process.cpuUsage(before)
    return {
      cpuMicroseconds: user + system,
      delayP99: delay.percentile(99) / 1e6,
      delayMax: delay.max / 1e6,
    }
  },
})
