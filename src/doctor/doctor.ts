import { checks, connection } from './checks.js'
import { createLookAt, type LookAt, type Patient, see } from './examine.js'

/** The result of a check. */
export interface Finding {
  readonly check: string
  /** `skipped`: it does not concern this server, or cannot be told from outside. */
  readonly outcome: 'right' | 'fault' | 'skipped'
  /** The description of the right state. */
  readonly promise: string
  /** The description of the fault; null without a fault. */
  readonly problem: string | null
  /** The setting that repairs the fault; null without a fault. */
  readonly remedy: string | null
}

/**
 * Looks at a running server from outside, in at most five seconds, and changes nothing but two
 * counters of a name that nobody has.
 */
export async function examine(
  patient: Patient,
  look: LookAt = createLookAt(),
): Promise<readonly Finding[]> {
  const seen = await see(patient, look)
  if (seen === null) return [unreachable]
  const findings = checks.map(({ name: check, promise, remedy, judge }): Finding => {
    const problem = judge(seen)
    if (problem === undefined) return { check, outcome: 'skipped', promise, ...nothing }
    if (problem === null) return { check, outcome: 'right', promise, ...nothing }
    return { check, outcome: 'fault', promise, problem, remedy }
  })
  const isWrong = (name: string) => findings.find(({ check }) => check === name)?.problem !== null
  // If the router is not at the address, all other answers are not the router's.
  return ['router', 'login'].every(isWrong) ? findings.slice(0, connection.length) : findings
}

const nothing = { problem: null, remedy: null }
const unreachable: Finding = {
  check: 'reachable',
  outcome: 'fault',
  promise: 'the router answers',
  problem: 'nothing answers there: the connection is refused, or silent for three seconds',
  remedy: 'give the address of the router with its path, such as https://chat.example.com/api/v1',
}

/** The findings for a person to read. */
export function reportOf(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ check, outcome, promise, problem, remedy }) => {
    if (outcome !== 'fault') return outcome === 'right' ? [`ok     ${check}: ${promise}`] : []
    return [`FAULT  ${check}: ${promise}`, `       ${shown(problem)}`, `       Remedy: ${remedy}`]
  })
  const faults = findings.filter(({ outcome }) => outcome === 'fault').length
  const skipped = findings.filter(({ outcome }) => outcome === 'skipped').length
  const right = findings.length - faults - skipped
  const sum = `${faults} fault${faults === 1 ? '' : 's'}, ${right} right, ${skipped} skipped`
  return `${[...lines, sum].join('\n')}\n`
}

// A problem may quote the server, whose text could be commands to a terminal.
function shown(text: string | null): string {
  return (text ?? '').replace(/[^\P{C}]/gu, '?').slice(0, 300)
}
