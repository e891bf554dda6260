#!/usr/bin/env node
import { runCommand } from './run-command.js'

process.exitCode = await runCommand(process.argv.slice(2))
// What a file has opened and not closed must not keep a shell waiting.
setTimeout(() => process.exit(), 1000).unref()
