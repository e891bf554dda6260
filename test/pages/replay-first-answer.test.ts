import { expect, it } from 'vitest'
import { replayFirstEnrolment } from '../../src/browser/replay-first-answer.js'
import { createSessionCookie } from '../../src/http/cookies.js'
import type { FormPage } from '../../src/pages/form-page.js'
import type { PageVisit } from '../../src/pages/page-visit.js'

// Over HTTP one of the two is always a little sooner: see mounted/replay-first-answer.test.ts.
it('an enrolment whose two requests go on in the same moment is confirmed once', async () => {
  let confirmed = 0
  const page: FormPage = {
    page: 'enrolment',
    view: async () => null,
    async submit() {
      confirmed += 1
      const answer = { status: 200, text: 'recovery codes', headers: {} }
      return confirmed === 1 ? { next: 'answer', answer } : { next: 'start-over' }
    },
  }
  const { submit } = replayFirstEnrolment(
    page,
    createSessionCookie(new URL('https://chat.example.com')),
    () => new Date(),
  )
  const visit = { binding: { request: 'request', browser: 'browser' } } as PageVisit
  const fields = { text: (name: string) => name, has: () => true }
  const both = [1, 2].map(() => submit(visit, fields))
  expect((await Promise.all(both)).map(({ next }) => next)).toEqual(['answer', 'answer'])
  expect(confirmed).toBe(1)
})
