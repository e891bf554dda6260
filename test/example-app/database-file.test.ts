// What the example does when its SQLite file is taken away under it.
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  buildExample,
  environmentIn,
  launchExample,
  startExample,
  temporaryFolder,
} from '../support/example.js'

beforeAll(buildExample)

describe('a server whose SQLite file', () => {
  test.each([
    [
      'was deleted',
      (file: string) =>
        ['', '-wal', '-shm'].forEach((end) => void rmSync(`${file}${end}`, { force: true })),
    ],
    [
      'was replaced by an older copy',
      (file: string) => {
        copyFileSync(file, `${file}.old`)
        renameSync(`${file}.old`, file)
      },
    ],
  ])(
    '%s ends by itself and says why, so that no acknowledged logout is lost',
    async (_name, harm) => {
      const folder = temporaryFolder()
      const { child, output, exited } = launchExample(environmentIn(folder))
      onTestFinished(() => void child.kill('SIGKILL'))
      while (!output.stdout.includes('listening'))
        await new Promise((resolve) => child.stdout.once('data', resolve))
      harm(join(folder, 'chat.db'))
      expect(await exited).toBe(1)
      expect(output.stderr).toMatch(
        /chat\.db was deleted or replaced while this server had it open/,
      )
    },
    300_000,
  )

  test('is as it was goes on, whatever else happens in its folder, and ends when it is asked to', async () => {
    const folder = temporaryFolder()
    const app = await startExample(environmentIn(folder))
    onTestFinished(async () => void (await app.stop('SIGKILL')))
    copyFileSync(join(folder, 'chat.db'), join(folder, 'elsewhere.db'))
    await new Promise((resolve) => setTimeout(resolve, 4500))
    expect((await fetch(app.url)).status).toBe(200)
    expect(await app.stop()).toBe(0)
  })
})
