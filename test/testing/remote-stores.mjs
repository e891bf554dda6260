// Stores whose database is the process that runs the tests: `port` of this module's address says where it listens.
import { deserialize, serialize } from 'node:v8'

const port = new URL(import.meta.url).searchParams.get('port')

async function call(path, given) {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`, { method: 'POST', body: serialize(given) })
  const { value, problem } = deserialize(Buffer.from(await response.arrayBuffer()))
  if (problem !== undefined) throw new Error(problem)
  return value
}

const remote = (contract) =>
  new Proxy(
    {},
    {
      get:
        (_target, method) =>
        (...given) =>
          call(`${contract}/${String(method)}`, given),
    },
  )

// biome-ignore lint/style/noDefaultExport: the suite asks for a default export, so that a host need not know a name
export default () => ({
  codes: remote('codes'),
  sessions: remote('sessions'),
  secondFactors: remote('secondFactors'),
  tickets: remote('tickets'),
  keys: remote('keys'),
})
