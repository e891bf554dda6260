// A hashing worker that dies, or never answers, when it sees certain passwords.
import { hash, compare as honest } from '../../dist/bcrypt-worker.js'

export { hash }

/** Compares as the real one does, but for two passwords. */
export function compare(task) {
  if (task.password === 'exit') process.exit(1)
  if (task.password === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  return honest(task)
}
