// Runs in a child process of the suite; started by its address.
import { createProcessSide } from './races/process-side.js'

const carryOut = createProcessSide()

process.on('message', async (order: Parameters<typeof carryOut>[0]) =>
  process.send?.(await carryOut(order)),
)
// Whatever the host's connections keep open, nobody is left to ask.
process.on('disconnect', () => process.exit())
