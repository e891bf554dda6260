// What a thousand times as much costs: the same calls beside few and beside many, in turns, each
// size in a process of its own.
import { fileURLToPath } from 'node:url'
import { median } from '../load/summary.mjs'
import { startProcess } from '../processes/calls.mjs'

const file = fileURLToPath(new URL('../processes/growth-process.mjs', import.meta.url))
const nodeOptions = ['--expose-gc', '--max-old-space-size=12288']
const roomInNodes = ['memory', 'sockets', 'throttle']

/** `sizes`: by kind, the small and the large one. `turns`: calls in each of the rounds. */
export async function measureGrowth({ rounds, sizes, turns }) {
  const kinds = []
  for (const [kind, both] of Object.entries(sizes))
    kinds.push(await measureKind(kind, both, { rounds, turns }))
  return { rounds, turns, kinds }
}

async function measureKind(kind, [few, many], { rounds, turns }) {
  const started = []
  try {
    for (const size of [few, many]) started.push(start(kind, size))
    const [small, large] = started
    const { operations } = await small.call('describe')
    const bytes = [await small.call('describe'), await large.call('describe')].map(
      ({ bytesEach }) => bytesEach,
    )
    const rows = []
    for (const operation of operations)
      rows.push(await compare(operation, started, { rounds, turns }))
    for (const { call } of started) await call('close')
    return {
      kind,
      few,
      many,
      bytesFew: bytes[0],
      bytesMany: bytes[1],
      inHeap: roomInNodes.includes(kind),
      rows,
    }
  } finally {
    await Promise.all(started.map(({ stop }) => stop()))
  }
}

function start(kind, size) {
  return startProcess(file, {
    argv: [kind, String(size)],
    nodeOptions,
    label: `growth, ${kind} of ${size}`,
  })
}

async function compare(operation, [small, large], { rounds, turns }) {
  const times = [[], []]
  // The first round warms up, and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0]
    for (const side of order) {
      const microseconds = await [small, large][side].call('measure', {
        operation,
        turns,
        firstTurn: round * turns,
      })
      if (round > 0) times[side].push(microseconds)
    }
  }
  const [few, many] = times.map(median)
  return { operation, few, many, ratio: many / few }
}
