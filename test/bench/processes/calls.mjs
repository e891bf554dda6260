// Calls from one process into another that it has started.
import { fork } from 'node:child_process'

/** In the child: does what it is asked, until its parent is gone. */
export function answerCalls(work) {
  process.on('message', async ({ id, name, input }) => {
    const answer = await Promise.resolve()
      .then(() => work[name](input))
      .then(
        (output) => ({ id, output }),
        (error) => ({ id, error: error.stack ?? String(error) }),
      )
    if (process.connected) process.send(answer)
  })
  process.on('disconnect', () => process.exit())
}

/** In the parent: starts a process. `call(name, input)` answers what its work answers. */
export function startProcess(file, { argv = [], nodeOptions = [], label = '' } = {}) {
  const child = fork(file, argv, {
    execArgv: ['--no-warnings', ...nodeOptions],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const waiting = new Map()
  let calls = 0
  child.on('message', ({ id, output, error }) => {
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) resolve(output)
    else reject(new Error(`${label}: ${error}`))
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values())
      reject(new Error(`${label} ended by itself (${code ?? signal}); what it said is above`))
  })
  return {
    call: (name, input) =>
      new Promise((resolve, reject) => {
        const id = calls++
        waiting.set(id, { resolve, reject })
        child.send({ id, name, input }, (error) => error && reject(error))
      }),
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
