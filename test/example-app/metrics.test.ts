// The example's figures, read by a real Prometheus.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  alice,
  buildExample,
  environmentIn,
  launchExample,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { prometheus, valuesIn } from '../support/prometheus.js'

beforeAll(buildExample)

const token = 'a-token-for-the-metrics'
const headers = { authorization: `Bearer ${token}` }

async function start(folder: string, extra: Record<string, string> = { METRICS_TOKEN: token }) {
  const example = await startExample({ ...environmentIn(folder), ...extra })
  onTestFinished(async () => void (await example.stop()))
  return example
}

async function logIn(url: string, password = alice.password): Promise<number> {
  const { status } = await fetch(`${url}/api/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...alice, password }),
  })
  return status
}

describe('/metrics of the example', () => {
  it('is shown to whoever has the token, and to nobody else', async () => {
    const { url } = await start(temporaryFolder())
    expect(await logIn(url)).toBe(200)
    const shown = await fetch(`${url}/metrics`, { headers })
    expect([shown.status, shown.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    const values = valuesIn(await shown.text())
    expect(values['mar_events_total{type="login.succeeded"}']).toBe(1)
    for (const authorization of ['', 'Bearer ', `Bearer ${token}x`, token, 'Bearer null'])
      expect((await fetch(`${url}/metrics`, { headers: { authorization } })).status).toBe(404)
  })

  it('is not there without a token, and a short one is refused at the start', async () => {
    const { url } = await start(temporaryFolder(), {})
    for (const authorization of ['', 'Bearer ', 'Bearer null', 'Bearer undefined'])
      expect((await fetch(`${url}/metrics`, { headers: { authorization } })).status).toBe(404)
    const { output, exited } = launchExample({
      ...environmentIn(temporaryFolder()),
      METRICS_TOKEN: 'short',
    })
    expect(await exited).toBe(1)
    expect(output.stderr).toMatch(/^METRICS_TOKEN: /)
  })

  it.skipIf(prometheus === null)(
    'is scraped from two processes by Prometheus, each by itself',
    async () => {
      const folder = temporaryFolder()
      const [one, other] = [await start(folder), await start(folder)]
      expect(await logIn(one.url)).toBe(200)
      for (let i = 0; i < 3; i += 1) expect(await logIn(other.url, `wrong ${i}`)).toBe(401)
      const ask = await startPrometheus([one.url, other.url])
      const failed = 'sum by (instance) (mar_events_total{type="login.failed"})'
      const hosts = [one, other].map(({ url }) => new URL(url).host)
      await expect
        .poll(async () => Object.fromEntries(await ask(failed)), { interval: 500 })
        .toEqual({ [hosts[0] ?? '']: 0, [hosts[1] ?? '']: 3 })
      expect(await ask('sum(mar_sign_in_decisions_total{outcome="allowed"})')).toEqual([['', 1]])
      const series = await ask('sum by (instance) (scrape_samples_scraped)')
      expect(series.length).toBe(2)
      for (const [, count] of series) expect(count).toBeLessThan(320)
    },
    300_000,
  )
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Starts one with the alerts of the docs; answers a function that asks it a query. */
async function startPrometheus(urls: readonly string[]) {
  const folder = temporaryFolder()
  const port = await freePort()
  cpSync(fileURLToPath(new URL('../../docs/examples/monitoring', import.meta.url)), folder, {
    recursive: true,
  })
  const config = {
    global: { scrape_interval: '1s' },
    rule_files: [join(folder, 'alerts.yml')],
    scrape_configs: [
      {
        job_name: 'chat',
        authorization: { credentials: token },
        static_configs: [{ targets: urls.map((url) => new URL(url).host) }],
      },
    ],
  }
  // JSON is YAML.
  writeFileSync(join(folder, 'test.yml'), JSON.stringify(config))
  const child = spawn(
    prometheus ?? '',
    [
      `--config.file=${join(folder, 'test.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
  })
  return async function ask(query: string): Promise<[instance: string, value: number][]> {
    if (child.exitCode !== null) throw new Error(said)
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`
    const answer = await fetch(url).catch(() => null)
    if (answer?.status !== 200) return []
    const { data } = (await answer.json()) as {
      data: { result: { metric: { instance?: string }; value: [number, string] }[] }
    }
    return data.result.map(({ metric, value }) => [metric.instance ?? '', Number(value[1])])
  }
}
