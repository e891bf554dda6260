// Two bare worker threads with bcryptjs: the least that keeps the main thread free. First come,
// first served, without a bound.
import { Worker } from 'node:worker_threads'
import { checkWith, plainApp } from './plain-app.mjs'

const threads = 2

export async function start(settings) {
  const queue = []
  const idle = Array.from({ length: threads }, makeThread)

  function makeThread() {
    const worker = new Worker(new URL('./bare-worker.mjs', import.meta.url))
    const thread = { worker, resolve: null }
    worker.on('message', (right) => {
      thread.resolve(right)
      idle.push(thread)
      dispatch()
    })
    return thread
  }

  function dispatch() {
    if (queue.length === 0 || idle.length === 0) return
    const thread = idle.pop()
    const { plain, hash, resolve } = queue.shift()
    thread.resolve = resolve
    thread.worker.postMessage({ plain, hash })
  }

  const compare = (plain, hash) =>
    new Promise((resolve) => {
      queue.push({ plain, hash, resolve })
      dispatch()
    })
  return plainApp(settings, checkWith(compare))
}
