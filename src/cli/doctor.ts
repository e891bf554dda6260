import { parseArgs } from 'node:util'
import { examine, reportOf } from '../doctor/doctor.js'
import { jsonOf } from './output.js'

const usage = `usage: messaging-auth-router doctor <baseUrl> [--origin <origin>] [--client <id>]
                                     [--guarded <path>]
                                     [--socket <path>] [--json]

  <baseUrl>   of the router, such as https://chat.example.com/api/v1
  --origin    of a page of yours that calls the API: it must be allowed to
  --client    the id of an app: it must be known
  --guarded   the path of a route behind requireAuth: it must be refused, and lead to a token
  --socket    the path of your sockets: an upgrade without credentials must be refused
  --json      for scripts

Exits with 0: no fault; 1: at least one; 2: it was called wrongly.
`

/** Looks at a server; resolves with the exit code. */
export async function doctor(args: readonly string[]): Promise<number> {
  const asked = parse(args)
  if (asked === null) {
    process.stderr.write(usage)
    return 2
  }
  const { values, patient } = asked
  const findings = await examine(patient)
  const text = values.json === true ? jsonOf(findings) : reportOf(findings)
  process.stdout.write(text)
  return findings.some(({ outcome }) => outcome === 'fault') ? 1 : 0
}

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        origin: { type: 'string' },
        client: { type: 'string' },
        guarded: { type: 'string' },
        socket: { type: 'string' },
        json: { type: 'boolean' },
      },
    })
    const [command, baseUrl = '', ...others] = positionals
    if (command !== 'doctor' || others.length > 0 || !/^https?:/.test(baseUrl)) return null
    const { origin = null, client: clientId = null } = values
    const { guarded: guardedPath = null, socket: socketPath = null } = values
    const patient = { baseUrl: new URL(baseUrl), origin, clientId, guardedPath, socketPath }
    return { values, patient }
  } catch {
    return null
  }
}
