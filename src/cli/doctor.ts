import { examine, reportOf } from '../doctor/doctor.js'
import { CalledWrongly, type Command } from './command.js'

/** Looks at a server. */
export const doctor: Command = {
  name: 'doctor',
  operand: '<baseUrl>',
  options: {
    origin: { takes: '<origin of a page of yours>' },
    client: { takes: '<id of an app>' },
    guarded: { takes: '<path behind requireAuth>' },
    socket: { takes: '<path>' },
  },
  does: 'looks at a running server from outside, such as https://chat.example.com/api/v1',
  async run({ operand, text }) {
    if (!/^https?:/.test(operand) || !URL.canParse(operand))
      throw new CalledWrongly(`${operand} is no address such as https://chat.example.com/api/v1`)
    const findings = await examine({
      baseUrl: new URL(operand),
      origin: text('origin') ?? null,
      clientId: text('client') ?? null,
      guardedPath: text('guarded') ?? null,
      socketPath: text('socket') ?? null,
    })
    const exitCode = findings.some(({ outcome }) => outcome === 'fault') ? 1 : 0
    return { data: findings, said: reportOf(findings).trimEnd(), exitCode }
  },
}
