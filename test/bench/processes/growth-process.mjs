// A process with one size of one thing in it, and what can be measured there. Started with the
// file's name and the size.
import { answerCalls } from './calls.mjs'

const [name, size] = process.argv.slice(2)
const { bytesEach, operations, close } = await (await import(`../growth/${name}.mjs`)).open(
  Number(size),
)

answerCalls({
  describe: () => ({ bytesEach, operations: Object.keys(operations) }),
  // Each operation prepares what it needs, and answers the work that is measured.
  async measure({ operation, turns, firstTurn }) {
    const prepared = []
    for (let turn = firstTurn; turn < firstTurn + turns; turn += 1)
      prepared.push(await operations[operation](turn))
    const from = performance.now()
    for (const work of prepared) await work()
    return ((performance.now() - from) * 1000) / turns
  },
  close: () => close(),
})
