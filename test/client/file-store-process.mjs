// One of several processes that share a file: asks who it is, again and again, until it is told to
// stop; then says how often, and what went wrong. Its arguments: the API, the file.
import { setTimeout } from 'node:timers/promises'
import { createAuthClient } from '../../dist/client/index.js'
import { fileStore } from '../../dist/client/node.js'

const [baseUrl, file] = process.argv.slice(2)
const client = createAuthClient({ baseUrl, storage: fileStore(file) })
const failures = []
const signedOut = []
let asked = 0
let isStopped = false

client.onChange(({ status }) => status === 'signed-out' && signedOut.push(asked))
process.on('message', () => {
  isStopped = true
})
process.on('disconnect', () => process.exit())

while (!isStopped) {
  try {
    await client.me()
    asked += 1
    await setTimeout(5)
  } catch (error) {
    // The connections may be cut at any moment, and a token that has just come may be over again,
    // which signs nobody out.
    const isExpected = error.code === 'unreachable' || client.state.status === 'signed-in'
    if (!isExpected) failures.push(`${error.code}: ${error.message}`)
  }
}
process.send({ asked, failures, signedOut: signedOut.length })
process.disconnect()
