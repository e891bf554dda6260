import '../support/steps.js'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { readParameters } from '../../src/http/input.js'
import { type BareAppSettings, startBareApp } from '../support/bare-app.js'
import { stepsUntil } from '../support/steps.js'

const form = 'application/x-www-form-urlencoded'

async function startReading(settings: BareAppSettings = {}) {
  const app = await startBareApp({
    ...settings,
    routes: [
      [
        '/read',
        {
          POST: async ({ incoming }) => {
            const parameters = await readParameters(incoming)
            const body = { one: parameters.one('one'), resource: parameters.all('resource') }
            return { status: 200, body }
          },
        },
        'oauth-endpoint',
      ],
    ],
  })
  return async (body: string | Uint8Array | ReadableStream, type = form) => {
    const answer = await fetch(`${app.url}/read`, {
      method: 'POST',
      body: body as string,
      duplex: 'half',
      headers: { 'Content-Type': type },
    })
    const text = await answer.text()
    expect(app.unforeseen).toEqual([])
    return { status: answer.status, text, error: JSON.parse(text).error as string }
  }
}

describe('parameters of an OAuth endpoint in JSON', () => {
  const json = 'application/json'

  it.each([
    '{"one":"a","one":"b"}',
    '{"one":"a","one":"a"}',
    '{"one":"a","o\\u006ee":"b"}',
    '{"resource":"a","resource":["b"]}',
    '{"x":{"one":"}"},"one":"\\"","y":[{"one":1}],"one":"b"}',
    '{"__proto__":1,"__proto__":2}',
    '{"other":1,"other":2}',
  ])('are refused where one is there twice, as in %s', async (body) => {
    const read = await startReading()
    expect(await read(body, json)).toMatchObject({ status: 400, error: 'invalid_request' })
  })

  it('may look like twice in values, and deeper, where nobody reads them', async () => {
    const read = await startReading()
    for (const body of [
      '{"one":"one\\",\\"one\\":","x":"\\\\","resource":"\\\\\\""}',
      '{"one":"a","x":{"one":1,"one":2},"y":[{"one":1}]}',
      '{"one":"one","resource":["one","one"]}',
    ])
      expect((await read(body, json)).status).toBe(200)
  })

  it('take no more than 40 steps a byte for 8 KiB of quotes, brackets or names', async () => {
    const read = await startReading()
    for (const unit of ['"\\\\', '{"a":', '[', '"', ':', '"a":1,']) {
      const body = `{"one":${unit.repeat(8000 / unit.length)}`
      await read('{"one":1}', json)
      expect(await stepsUntil(() => read(body, json)), unit).toBeLessThan(40 * 8000)
    }
    const names = Array.from({ length: 900 }, (_none, at) => `"n${at}":1`)
    const [many, half] = [`{${names.join()}}`, `{${names.slice(450).join()}}`]
    expect((await read(many, json)).status).toBe(200)
    const steps = await stepsUntil(() => read(many, json))
    expect(steps / (await stepsUntil(() => read(half, json)))).toBeLessThan(2.1)
    expect(steps).toBeLessThan(40 * 8000)
  })
})

describe('parameters of an OAuth endpoint that somebody bends', () => {
  it.each([
    ['one=1&one=2'],
    ['one=1&one=1'],
    ['one=&one=1'],
    ['one=1&%6fne=2'],
    ['unknown=1&unknown=2'],
    ['__proto__=1&__proto__=2'],
  ])('are refused where one is repeated: %s', async (body) => {
    const ask = await startReading()
    expect(await ask(body)).toMatchObject({ status: 400, error: 'invalid_request' })
  })

  it.each([
    ['bytes that are no UTF-8', Uint8Array.of(0x6f, 0x6e, 0x65, 0x3d, 0xff)],
    ['the same, encoded', 'one=%FF'],
    ['half a character', 'one=%E2%82'],
    ['a percent sign alone', 'one=100%'],
    ['an overlong encoding', 'one=%C0%80'],
    ['a lone surrogate', 'one=%ED%A0%80'],
  ])('are refused with %s', async (_name, body) => {
    const ask = await startReading()
    expect(await ask(body)).toMatchObject({ status: 400, error: 'invalid_request' })
  })

  it.each([
    ['a list', '{"one":["1"]}'],
    ['two texts', '{"one":["1","2"]}'],
    ['an object', '{"one":{"toString":"1"}}'],
    ['a number', '{"one":1}'],
    ['null', '{"one":null}'],
    ['a list within a list', '{"resource":[["a"]]}'],
    ['too many values', JSON.stringify({ resource: Array(21).fill('a') })],
    ['no object', '["one"]'],
  ])('are refused as JSON with %s', async (_name, body) => {
    const ask = await startReading()
    expect(await ask(body, 'application/json')).toMatchObject({
      status: 400,
      error: 'invalid_request',
    })
  })

  it('are those that were sent, and none of a polluted prototype', async () => {
    const ask = await startReading()
    expect(JSON.parse((await ask('__proto__=1&constructor=2')).text)).toEqual({
      one: null,
      resource: [],
    })
    const json = '{"__proto__":{"one":"planted"}}'
    expect(JSON.parse((await ask(json, 'application/json')).text).one).toBeNull()
  })

  it.each([
    ['multipart/form-data; boundary=a'],
    ['text/plain'],
    [`${form}; charset=iso-8859-1`],
    ['application/jwt'],
  ])('are refused as %s, with what would be taken', async (type) => {
    const ask = await startReading()
    const answer = await ask('one=1', type)
    expect(answer).toMatchObject({ status: 415, error: 'invalid_request' })
    expect(answer.text).toContain(form)
  })

  it('are never read from the URL', async () => {
    const app = await startBareApp({
      routes: [
        [
          '/read',
          {
            POST: async ({ incoming }) => {
              const body = { one: (await readParameters(incoming)).one('one') }
              return { status: 200, body }
            },
          },
        ],
      ],
    })
    const answer = await fetch(`${app.url}/read?one=1`, { method: 'POST' })
    expect(await answer.json()).toEqual({ one: null })
  })

  it('are bounded in length, however they come', async () => {
    const ask = await startReading()
    expect(await ask(`one=${'a'.repeat(8 * 1024)}`)).toMatchObject({ status: 413 })
    expect(await ask(`one=${'a'.repeat(8 * 1024 - 4)}`)).toMatchObject({ status: 200 })
    // Without a length, which a host's parser takes as well.
    const long = `resource=${'a'.repeat(5000)}&one=${'a'.repeat(5000)}`
    const chunks = () => new Blob([long]).stream()
    expect(await ask(chunks())).toMatchObject({ status: 413 })
    const behindParser = await startReading({
      before: (app) => app.use(express5.urlencoded({ limit: '1mb', extended: true })),
    })
    expect(await behindParser(chunks())).toMatchObject({ status: 413 })
  })

  it.each([
    [4, express4],
    [5, express5],
  ] as const)('are one text behind the parsers of an Express %i host', async (express, own) => {
    const ask = await startReading({
      express,
      before: (app) => app.use(own.urlencoded({ extended: true })),
    })
    for (const body of ['one=1&one=2', 'one[]=1', 'one[a]=1', 'resource[a]=1']) {
      const answer = await ask(body)
      expect([body, answer.status, answer.error]).toEqual([body, 400, 'invalid_request'])
    }
  })
})
