// A process that makes load: what it spends is not the server's.

import { eachOnce, forSeconds } from '../load/closed-loop.mjs'
import { startOpenLoop } from '../load/open-loop.mjs'
import { answerCalls } from './calls.mjs'

let stop = null

answerCalls({
  forSeconds,
  eachOnce,
  async startOpenLoop(job) {
    stop = await startOpenLoop(job)
  },
  stopOpenLoop: () => stop(),
})
