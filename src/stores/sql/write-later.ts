import { withTimeout } from '../../lib/host-call.js'

/** Rows that are written some time later, together, without anybody waiting for it. */
export interface WriteLater<Row> {
  /**
   * Resolves when the row is written; rejects when it is lost. Rows that matter have places that no
   * others take.
   */
  add(row: Row, matters: boolean): Promise<void>
  /** Writes what waits. What cannot be written now is lost, and so is what comes later. */
  close(): Promise<void>
}

interface Waiting<Row> {
  readonly row: Row
  written(): void
  lost(error: Error): void
}

const most = 10_000
const mostOfOthers = most / 2
const atOnce = 100
const pauseMs = 1000
const timeoutMs = 10_000

/**
 * Writes rows in their order, a hundred at once, or what there is after a second. One statement is
 * under way at a time. Rows that could not be written wait for the next second; `write` must take a
 * row that it has written before, for a failed one may have arrived.
 */
export function createWriteLater<Row>(
  write: (rows: readonly Row[]) => Promise<void>,
  onFailure: (cause: unknown) => void,
): WriteLater<Row> {
  const waiting: Waiting<Row>[] = []
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<boolean> | undefined
  let isFailing = false
  let closed = false

  async function writeSome(): Promise<boolean> {
    const batch = waiting.slice(0, atOnce)
    try {
      await withTimeout(() => write(batch.map(({ row }) => row)), timeoutMs)
    } catch (cause) {
      onFailure(cause)
      return false
    }
    waiting.splice(0, batch.length)
    for (const { written } of batch) written()
    return true
  }

  async function next(): Promise<boolean> {
    clearTimeout(timer)
    timer = undefined
    underWay = writeSome()
    isFailing = !(await underWay)
    underWay = undefined
    if (!closed) plan()
    return !isFailing
  }

  function plan(): void {
    if (underWay !== undefined || waiting.length === 0) return
    // After a failure the next second is waited for, however many come.
    if (!isFailing && waiting.length >= atOnce) void next()
    else timer ??= setTimeout(() => void next(), pauseMs).unref()
  }

  return {
    add(row, matters) {
      if (closed) return Promise.reject(new Error('sqlAudit is closed'))
      if (waiting.length >= (matters ? most : mostOfOthers))
        return Promise.reject(new Error('too many audit events wait'))
      return new Promise((written, lost) => {
        waiting.push({ row, written, lost })
        plan()
      })
    },
    async close() {
      closed = true
      await underWay
      while (waiting.length > 0 && (await next()));
      for (const { lost } of waiting.splice(0)) lost(new Error('not written before the end'))
    },
  }
}
