// Several processes of the example open an SQLite file that is new, in the same moment.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { buildExample, temporaryFolder } from '../support/example.js'

beforeAll(buildExample)

const openers = 3
const rounds = 25
const millisecondsPerRound = 40
const opensDatabases = join(import.meta.dirname, '../../example-app/build/database.js')

// Each opens file after file, at the same times as the others.
const script = `
  const [folder, start] = process.argv.slice(1)
  const { openDatabase } = await import(${JSON.stringify(pathToFileURL(opensDatabases).href)})
  await openDatabase('sqlite:' + folder + '/first.db')
  for (let round = 0; round < ${rounds}; round += 1) {
    while (Date.now() < Number(start) + round * ${millisecondsPerRound});
    await openDatabase('sqlite:' + folder + '/' + round + '.db')
  }
  console.log('opened all')
`

test('a new file is opened by all that open it in one moment, though one changes it to WAL', async () => {
  const run = [
    ...['--input-type=module', '--eval', script],
    temporaryFolder(),
    String(Date.now() + 1500),
  ]
  const outputs = await Promise.all(
    Array.from({ length: openers }, () => promisify(execFile)(process.execPath, run)),
  )
  expect(outputs.map(({ stdout }) => stdout)).toEqual(Array(openers).fill('opened all\n'))
})
