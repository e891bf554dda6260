import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { writeAnswer } from '../../src/http/answer.js'

describe('an answer', () => {
  it('has no text of a polluted Object.prototype', () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    Object.defineProperty(Object.prototype, 'text', { value: 'polluted', configurable: true })
    try {
      writeAnswer(response, { status: 200, body: { a: 1 } })
    } finally {
      Reflect.deleteProperty(Object.prototype, 'text')
    }
    expect(response.getHeader('Content-Length')).toBe('{"a":1}'.length)
  })
})
