// Makes openapi.json, the description of the HTTP interface with every option on, from what
// src/openapi/ says; without --update it only compares. Then a linter of others reads it. That the
// router does what it says is tried wherever a test asks a router: test/support/described.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import { importSource } from './bundle.mjs'
import { finish, root, runTool } from './support.mjs'

const { describeOperations } = await importSource('openapi/document')
const { operations } = await importSource('router/operations')

// Without blanks, for it is published; a line for each path and each schema, so that a difference
// can be read.
const lineFor = (members) =>
  `{\n${Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(',\n')}\n}`
const { paths, components, ...said } = describeOperations(operations)
const { schemas, ...others } = components
const text = `${JSON.stringify(said).slice(0, -1)},
"paths":${lineFor(paths)},
"components":${JSON.stringify(others).slice(0, -1)},
"schemas":${lineFor(schemas)}}}
`
const made = {
  'openapi.json': text,
  // Types for the client of test/openapi/openapi-typescript.test.ts.
  'test/openapi/generated/api.d.ts': astToString(await openapiTS(text)),
}
if (process.argv.includes('--update'))
  for (const [name, content] of Object.entries(made)) writeFileSync(join(root, name), content)
const stale = Object.entries(made)
  .filter(([name, content]) => readFileSync(join(root, name), 'utf8') !== content)
  .map(([name]) => `${name}: differs from src/openapi/; run \`npm run update\``)

/** What Redocly's recommended rules find: errors, and how many warnings. */
function lint() {
  // It would tell its makers of each run, and ask them for news.
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout, output } = runTool(
    'redocly',
    ['lint', 'openapi.json', '--extends=recommended', '--format=json'],
    { env: { ...process.env, ...quiet } },
  )
  if (!stdout.includes('"totals"')) throw new Error(output)
  const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf('{')))
  const errors = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ ruleId, message, location: [{ pointer }] }) => `${pointer}: ${message} (${ruleId})`)
  return { errors, warnings: totals.warnings }
}

const { errors, warnings } = lint()
finish(
  'openapi',
  [...stale, ...errors],
  `${operations.length} requests; the linter finds no error, and ${warnings} warnings`,
)
