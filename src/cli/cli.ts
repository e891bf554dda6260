#!/usr/bin/env node
const args = process.argv.slice(2)

process.exitCode = await main()
// What a file has opened and not closed must not keep a shell waiting.
setTimeout(() => process.exit(), 1000).unref()

// Whoever looks at a server needs nothing of what changes one, and the other way round.
async function main(): Promise<number> {
  if (args[0] === 'doctor') return (await import('./doctor.js')).doctor(args)
  return (await import('./run-command.js')).runCommand(args)
}
