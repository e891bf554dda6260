import { memoryStores } from '../../../dist/stores/memory.js'
import { heapInUse, sessionOf, sessionOperations } from './rows.mjs'

export async function open(size) {
  const { sessions } = memoryStores()
  const before = heapInUse()
  for (let i = 0; i < size; i += 1) await sessions.create(sessionOf(i))
  const bytesEach = (heapInUse() - before) / size
  return { bytesEach, operations: sessionOperations(sessions, size), close() {} }
}
