import '../support/steps.js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Mail } from '../../src/index.js'
import { stepsUntil } from '../support/steps.js'
import { context, mailing, request } from './mailing.js'

afterEach(() => void vi.useRealTimers())

const failure = (reason: string) => ({
  type: 'mail.failed',
  kind: 'password-changed',
  reason,
  userId: 'u-ada',
})

describe('what a stranger chose', () => {
  async function textWith(change: Partial<typeof request & typeof context>): Promise<Mail> {
    const { mailer, mails, settled } = mailing()
    const { ip = context.ip, userAgent = context.userAgent, ...mail } = change
    mailer.send({ ...request, ...mail }, { ...context, ip, userAgent })
    await settled()
    return mails[0] as Mail
  }

  it.each([
    ['a line of its own', 'Ada\r\nBcc: eve@evil.example\r\n\r\nYour account'],
    ['a line separator', 'Ada\u2028Subject: free money'],
    ['a link', 'Ada https://evil.example/login?a=b'],
    ['a domain', 'evil.example'],
    ['a domain of another script', 'Войдите на пример.рф'],
    ['a domain with a port', 'evil.example:8443/x'],
    ['an address', 'write to eve@evil.example'],
    ['markup', '<a href="https://evil.example">Ada</a>'],
    ['a turned text', 'Ada\u202eelpmaxe.live'],
    ['hidden characters', 'e\u200bvil\u2060.example'],
    ['names of texts', '{service} {time}'],
    ['a terminal escape', '\u001b]0;owned\u0007Ada'],
  ])('is neither a line nor a link in the text: %s', async (_what, chosen) => {
    for (const change of [{ user: { id: 'u-ada', name: chosen } }, { userAgent: chosen }]) {
      const mail = await textWith(change)
      const { subject } = mail
      const text = mail.text.replace('192.0.2.7', '')
      expect(text).not.toMatch(/https?:|:\/\/|\w@\w|[\p{L}\d]\.[\p{L}\d]|[<>{}"]|\p{Bidi_Control}/u)
      expect(text).not.toMatch(/^(?:Bcc|Subject|Your account)/m)
      expect(text).not.toMatch(/[^\n\P{C}]/u)
      expect(text.split('\n')).toHaveLength(10)
      expect(subject).toBe('Your password at Example Chat was changed')
    }
  })

  it('has a bound, and is not read beyond it', async () => {
    for (const unit of ['a', ' a', '\u0301', '🦉', '.', '. a']) {
      const chosen = unit.repeat(1_000_000)
      const change = { user: { id: 'u-ada', name: chosen }, userAgent: chosen }
      expect((await textWith(change)).text.length).toBeLessThan(600)
      expect(await stepsUntil(() => textWith(change))).toBeLessThan(50_000)
    }
  })

  it('is no network address', async () => {
    const mail = await textWith({ ip: '192.0.2.7 evil.example' })
    expect(mail.text).not.toContain('Network')
    expect(mail.because.ip).toBe(null)
  })

  it.each(['a@b.example, eve@evil.example', 'ada@mail.example\r\nBcc: x', '', 'ada'])(
    'is no recipient: %j',
    async (to) => {
      const { mailer, mails, events, settled } = mailing()
      mailer.send({ ...request, to }, context)
      await settled()
      expect(mails).toEqual([])
      expect(events).toEqual([failure('address')])
    },
  )
})

describe('the send of a host', () => {
  const hang = () => new Promise<never>(() => {})
  const fail = () => {
    throw new Error('550 ada@mail.example: no such user')
  }

  it('is told of by an event when it has taken a mail', async () => {
    const { mailer, events, settled } = mailing()
    mailer.send(request, context)
    await settled()
    expect(events).toEqual([{ type: 'mail.queued', kind: 'password-changed', userId: 'u-ada' }])
    expect(mailer.stats()).toEqual({ sent: 1, failed: 0, waiting: 0 })
  })

  it.each<[string, () => unknown]>([
    ['throws', fail],
    ['rejects', async () => fail()],
    ['rejects with nothing', () => Promise.reject()],
    ['rejects with a text', () => Promise.reject('ada@mail.example')],
  ])('that %s costs the mail alone, and its address is nowhere', async (_what, send) => {
    const { mailer, events, settled } = mailing(send)
    mailer.send({ ...request, code: '12345678' }, context)
    await settled()
    expect(events).toEqual([
      expect.objectContaining({ type: 'host.failed', operation: 'mail.send' }),
      failure('rejected'),
    ])
    expect(JSON.stringify(events)).not.toMatch(/mail\.example|1234/)
    expect(mailer.stats()).toEqual({ sent: 0, failed: 1, waiting: 0 })
  })

  it('that throws at once, not in a promise, is the same', async () => {
    const { mailer, events, settled } = mailing(() => {
      throw new Error('at once')
    })
    expect(mailer.send(request, context)).toBe(undefined)
    await settled()
    expect(events).toContainEqual(failure('rejected'))
  })

  it('is called after who asked has gone on, and never waited for', async () => {
    const order: string[] = []
    const { mailer, settled } = mailing(() => order.push('send'))
    mailer.send(request, context)
    await Promise.resolve().then(() => order.push('answer'))
    await settled()
    expect(order).toEqual(['answer', 'send'])
  })

  it('that hangs is given up after half a minute, and its place is free', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { mailer, mails, events } = mailing(hang)
    mailer.send(request, context)
    await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(29_999)
    expect([mails.length, events]).toEqual([1, []])
    await vi.advanceTimersByTimeAsync(1)
    expect(events).toContainEqual(failure('timeout'))
    expect(mailer.stats()).toEqual({ sent: 0, failed: 1, waiting: 0 })
  })

  it('that rejects late ends nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const late = () =>
      new Promise<never>((_resolve, reject) => setTimeout(() => reject(new Error('late')), 40_000))
    const { mailer, events } = mailing(late)
    mailer.send(request, context)
    await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(events.filter(({ type }) => type === 'mail.failed')).toEqual([failure('timeout')])
  })

  it('has ten mails of a kind at once, and a hundred wait; one more is not sent', async () => {
    const done: (() => void)[] = []
    const { mailer, mails, events, settled } = mailing(
      () => new Promise<void>((resolve) => done.push(resolve)),
    )
    const kinds = (['reset-password', 'register'] as const).flatMap((kind) =>
      Array.from({ length: 500 }, () => kind),
    )
    for (const kind of kinds) mailer.send({ ...request, kind }, context)
    expect(events).toHaveLength(780)
    expect(events).toContainEqual(expect.objectContaining({ reason: 'overflow' }))
    expect(mailer.stats()).toEqual({ sent: 0, failed: 780, waiting: 220 })
    while (mails.length < 20) await new Promise(setImmediate)
    await new Promise(setImmediate)
    expect(mails.map(({ kind }) => kind).toSorted()).toEqual([
      ...Array.from({ length: 10 }, () => 'register'),
      ...Array.from({ length: 10 }, () => 'reset-password'),
    ])
    while (mailer.stats().waiting > 0) {
      for (const one of done.splice(0)) one()
      await new Promise(setImmediate)
    }
    await settled()
    expect(mailer.stats()).toEqual({ sent: 220, failed: 780, waiting: 0 })
  })

  it('that tells an owner something has a place, whatever strangers ask for', async () => {
    const done: (() => void)[] = []
    const { mailer, events, settled } = mailing(
      () => new Promise<void>((resolve) => done.push(resolve)),
    )
    const kinds = ['reset-password', 'register', 'sign-in-code', 'address-taken'] as const
    const asked = kinds.flatMap((kind) => Array.from({ length: 200 }, () => kind))
    for (const kind of asked) mailer.send({ ...request, kind }, context)
    const places = Array.from({ length: 5 }, () => mailer.reserve())
    const telling = { ...request, kind: 'password-changed' } as const
    for (const one of Array.from({ length: 1005 }, () => telling)) mailer.send(one, context)
    expect(events).not.toContainEqual(expect.objectContaining({ kind: telling.kind }))
    // Their places are held for them.
    mailer.send(telling, context)
    expect(events).toContainEqual(
      expect.objectContaining({ reason: 'overflow', kind: telling.kind }),
    )
    expect(() => mailer.reserve()).toThrow(expect.objectContaining({ status: 503 }))
    places[0]?.release()
    places[0]?.release()
    for (const place of [mailer.reserve(), ...places.slice(1)])
      place.send({ ...request, kind: 'address-changed' }, context)
    expect(() => mailer.reserve()).toThrow()
    while (mailer.stats().waiting > 0) {
      for (const one of done.splice(0)) one()
      await new Promise(setImmediate)
    }
    await settled()
    expect(mailer.stats().sent).toBe(440 + 1005 + 5)
  })

  it('cannot end a mailer by events or languages that fail', async () => {
    const { mailer, mails, settled } = mailing()
    mailer.send({ ...request, expiresAt: new Date(Number.NaN) }, context)
    await settled()
    mailer.send(request, context)
    await settled()
    expect(mails).toHaveLength(1)
    expect(mailer.stats()).toMatchObject({ sent: 1, failed: 1 })
  })
})

it('a clock that throws costs the mail, and nothing else', async () => {
  const { mailer, events, settled } = mailing(undefined, {
    clock: () => {
      throw new Error('no time')
    },
  })
  mailer.send(request, context)
  await settled()
  expect(events).toEqual([failure('rejected')])
})

describe('close()', () => {
  it('waits for mails under way, and sends no more', async () => {
    let end = () => {}
    const { mailer, mails, events } = mailing(
      () =>
        new Promise<void>((resolve) => {
          end = resolve
        }),
    )
    mailer.send(request, context)
    const closed = mailer.close().then(() => 'closed')
    while (mails.length === 0) await new Promise(setImmediate)
    expect(await Promise.race([closed, new Promise(setImmediate)])).not.toBe('closed')
    mailer.send(request, context)
    expect(events).toEqual([failure('closed')])
    end()
    expect(await closed).toBe('closed')
    expect(mailer.stats()).toEqual({ sent: 1, failed: 1, waiting: 0 })
  })

  it('waits no longer than storeTimeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { mailer } = mailing(() => new Promise<never>(() => {}), { storeTimeout: 700 })
    mailer.send(request, context)
    let isClosed = false
    void mailer.close().then(() => {
      isClosed = true
    })
    await vi.advanceTimersByTimeAsync(699)
    expect(isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isClosed).toBe(true)
  })
})
