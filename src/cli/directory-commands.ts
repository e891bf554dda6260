import type { AdminDirectoryCheck } from '../admin/admin.js'
import { CalledWrongly, type Command } from './command.js'

/** Commands on the directories of a company. */
export const directory: readonly Command[] = [
  {
    name: 'directory check',
    options: { user: { takes: '<name>' }, directory: { takes: '<id>' } },
    does: 'tries the connection to each directory, and whether somebody is found and allowed there',
    async run(given, open) {
      const { admin } = await open()
      const name = given.text('user') ?? null
      const data = await admin.directories.check(name, given.text('directory'))
      const said = data.map(lineOf).join('\n')
      return { data, said, exitCode: data.every(({ ok }) => ok) ? 0 : 1 }
    },
  },
  {
    name: 'directory watch',
    options: { once: { takes: null } },
    does: 'with --once looks at every connected user once, and ends the sessions of who has left',
    async run(given, open) {
      if (!given.isSet('once')) throw new CalledWrongly('say --once: servers look by themselves')
      const { admin, by } = await open()
      const data = await admin.directories.look({ by })
      const unseen = data.filter(({ people }) => people === null).map((one) => one.directory)
      const note = unseen.length === 0 ? '' : `could not be looked at: ${unseen.join(', ')}`
      const columns = ['directory', 'people', 'left']
      return { data, columns, note, exitCode: unseen.length === 0 ? 0 : 1 }
    },
  },
]

function lineOf({ directory: id, step, ok, found, remedy }: AdminDirectoryCheck): string {
  const line = `${id}: ${ok ? 'ok' : 'fault'}: ${step}: ${found}`
  return remedy === undefined ? line : `${line}; ${remedy}`
}
