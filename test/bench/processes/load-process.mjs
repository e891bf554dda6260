// A process that makes load: what it spends is not the server's.

import { eachOnce, forSeconds, refreshing } from '../load/closed-loop.mjs'
import { startOpenLoop } from '../load/open-loop.mjs'
import { answerCalls } from './calls.mjs'

let stop = null

answerCalls({
  forSeconds,
  eachOnce,
  refreshing,
  async startOpenLoop(job) {
    stop = await startOpenLoop(job)
  },
  stopOpenLoop: () => stop(),
})
