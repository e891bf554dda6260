// `npm start`, as a process manager or a container starts and ends it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { buildExample, environmentIn, temporaryFolder } from '../support/example.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

beforeAll(buildExample)

test('npm start says what to try, and ends with the process that it is', async () => {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: { ...process.env, ...environmentIn(temporaryFolder()), PORT: '0' },
  })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  await expect.poll(() => said).toContain('alice has to')
  const [, url = ''] = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/m.exec(said) ?? []
  const port = new URL(url).port
  for (const one of [
    `http://localhost:${port}/ `,
    `http://localhost:${port}/api/v1/account `,
    'mails come here',
    'npm run wiki ',
    'SECOND_FACTOR_REQUIRED=alice npm start ',
  ])
    expect(said).toContain(one)
  expect(said.trimEnd().split('\n').length).toBeLessThanOrEqual(8)
  expect((await fetch(`${url}/health`)).status).toBe(200)
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
  // Nothing that it had started listens any more.
  await expect
    .poll(() =>
      fetch(url).then(
        () => 'there',
        () => 'gone',
      ),
    )
    .toBe('gone')
})
