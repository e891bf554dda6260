import { memoryStores } from '../../../dist/stores/memory.js'
import { heapInUse, idOf, must, routerOver, sessionOf, signedInRequest } from './rows.mjs'

// More sessions than sockets are ended while this is measured, so each of them is made anew.
export async function open(size) {
  const stores = memoryStores()
  const auth = routerOver(stores)
  let closed = 0
  const bareSocket = () => ({ close: () => (closed += 1), terminate() {}, once() {}, on() {} })
  const signIn = async (i) => {
    await stores.sessions.create(sessionOf(i))
    return auth.authenticate(await signedInRequest(i))
  }

  const principals = []
  for (let i = 0; i < size; i += 1) principals.push(await signIn(i))
  const sockets = principals.map(bareSocket)
  const before = heapInUse()
  const tracked = principals.map((principal, i) => auth.sockets.track(sockets[i], principal))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const bytesEach = (heapInUse() - before) / size

  let next = size
  return {
    bytesEach,
    operations: {
      async 'end one session'() {
        const i = next++
        const principal = await signIn(i)
        tracked.push(auth.sockets.track(bareSocket(), principal))
        return async () => {
          const closedBefore = closed
          await auth.sessions.revoke(idOf(i))
          must(closed === closedBefore + 1, 'a socket outlived its session')
        }
      },
    },
    close: () => auth.close(),
  }
}
