// The other half of every-call-1.attack.test.ts.
import { describe, it } from 'vitest'
import { expectOutageAtEveryCall, halves } from '../support/failing-calls.js'

describe.each(halves[1])('%s', (name) => {
  it('is 503 whichever call fails, in whichever way; tells nothing; and works again', () =>
    expectOutageAtEveryCall(name))
})
