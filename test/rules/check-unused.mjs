// Looks for files, exports and dependencies that nothing uses; the second time without the tests,
// so that nothing stays in src/ for the tests' sake alone.
import { finish, runTool } from './support.mjs'

const modes = [[], ['--production']]
const problems = modes.flatMap((mode) => {
  const { ok, output } = runTool('knip', [
    '--config',
    'test/rules/knip.config.js',
    '--no-progress',
    '--treat-config-hints-as-errors',
    ...mode,
  ])
  return ok ? [] : [`knip ${mode.join(' ')}\n${output}`]
})
finish('unused', problems, 'no unused file, export or dependency, with the tests and without')
