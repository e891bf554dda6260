#!/usr/bin/env node
import { runCommand } from './run-command.js'

process.exitCode = await runCommand(process.argv.slice(2))
// A connection that a file has left open must not keep a shell waiting.
setTimeout(() => process.exit(), 1000).unref()
