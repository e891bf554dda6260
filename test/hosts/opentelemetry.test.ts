// OpenTelemetry, unmodified: the spans of a login arrive at a collector, each below the one that it
// is a part of, also below a span of the host's own.
import { createServer } from 'node:http'
import { context, trace as openTelemetry } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { traceWith } from 'messaging-auth-router/opentelemetry'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from './support/browser.js'
import { password, startChat } from './support/chat.js'

interface Span {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly status: { readonly code?: number; readonly message?: string }
  readonly attributes: readonly { readonly key: string }[]
  readonly events?: readonly object[]
}

/** Takes what an exporter sends: OTLP in JSON. */
async function startCollector() {
  const bodies: string[] = []
  const origin = await listen(
    createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        if (request.url === '/v1/traces') bodies.push(body)
        response.setHeader('Content-Type', 'application/json').end('{}')
      })
    }),
  )
  const spans = () =>
    bodies
      .map((body) => JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] })
      .flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope) => scope.spans)
  return { url: `${origin}/v1/traces`, spans, text: () => bodies.join('\n') }
}

it('receives the request, the calls of the host and the hash of a login', async () => {
  const collector = await startCollector()
  const exporter = new OTLPTraceExporter({ url: collector.url })
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  openTelemetry.setGlobalTracerProvider(provider)
  onTestFinished(async () => {
    await provider.shutdown()
    context.disable()
    openTelemetry.disable()
  })
  const tracer = openTelemetry.getTracer('chat')
  const { api } = await startChat({
    options: { trace: traceWith(tracer) },
    before: (app) =>
      app.use((_request, _response, next) => {
        tracer.startActiveSpan('the server', (span) => {
          next()
          span.end()
        })
      }),
  })
  const logIn = (username: string) =>
    fetch(`${api}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    })
  const answer = await logIn('alice')
  expect(answer.status).toBe(200)
  const { data } = (await answer.json()) as { data: { authToken: string; userId: string } }
  await provider.forceFlush()

  const spans = collector.spans()
  const [outer] = spans.filter(({ name }) => name === 'the server')
  const [request] = spans.filter(({ name }) => name === 'POST /login')
  expect(request?.parentSpanId).toBe(outer?.spanId)
  const below = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
  expect(below.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'users.findByIdentifier',
      'passwords.verify',
      'sessions.create',
      'signer.sign',
    ]),
  )
  expect(request?.attributes.map(({ key }) => key)).toEqual(['http.request.method', 'http.route'])
  expect(spans.every(({ status, events = [] }) => status.code !== 2 && events.length === 0)).toBe(
    true,
  )
  for (const secret of [password, data.authToken, data.userId, 'alice', '127.0.0.1'])
    expect(collector.text().replace(collector.url, ''), secret).not.toContain(secret)
})
