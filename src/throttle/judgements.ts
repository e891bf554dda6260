/** What is being judged in this process, by key, and who waits for it to come to an end. */
export interface Judgements {
  begin(key: string): void
  /** One is over. Whoever waits longest has a try. */
  end(key: string): void
  isUnderWay(key: string): boolean
  /** Lets the next one that waits have a try. */
  wake(key: string): void
  /** True when it is this one's turn; false after so many milliseconds, or at once where too many wait. */
  wait(key: string, milliseconds: number): Promise<boolean>
  /** Of how many keys anything is remembered: of those that have something under way, and no others. */
  readonly size: number
}

interface Line {
  judging: number
  /** In the order of their coming. */
  readonly waiting: Set<() => void>
}

/** Makes an empty record in which at most `mostWaiting` wait for one key. */
export function createJudgements(mostWaiting: number): Judgements {
  const lines = new Map<string, Line>()
  const lineOf = (key: string) => {
    const line = lines.get(key) ?? { judging: 0, waiting: new Set() }
    lines.set(key, line)
    return line
  }
  const forgetIfIdle = (key: string, line: Line) => {
    // Whoever comes out of a line that was given up must not take the next one away.
    if (line.judging === 0 && line.waiting.size === 0 && lines.get(key) === line) lines.delete(key)
  }
  const wake = (key: string) => {
    for (const next of lines.get(key)?.waiting ?? []) return next()
  }
  return {
    begin(key) {
      lineOf(key).judging += 1
    },
    end(key) {
      const line = lineOf(key)
      line.judging -= 1
      wake(key)
      forgetIfIdle(key, line)
    },
    isUnderWay: (key) => (lines.get(key)?.judging ?? 0) > 0,
    wake,
    async wait(key, milliseconds) {
      const line = lineOf(key)
      const isTurn = line.waiting.size < mostWaiting && milliseconds > 0 ? await turn(line.waiting, milliseconds) : false
      forgetIfIdle(key, line)
      return isTurn
    },
    get size() {
      return lines.size
    },
  }
}

function turn(waiting: Set<() => void>, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (isTurn: boolean) => {
      clearTimeout(timer)
      waiting.delete(wake)
      resolve(isTurn)
    }
    const wake = () => leave(true)
    const timer = setTimeout(() => leave(false), milliseconds)
    waiting.add(wake)
  })
}
