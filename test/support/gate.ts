/** Something that waits in the middle until it is let go. */
export interface Gate {
  /** To be called by what is to wait; passes at once while the gate is open. */
  pass(): Promise<void>
  /** From now on whoever comes waits. Resolves when somebody does. */
  shut(): Promise<void>
  open(): void
}

/** Makes a gate that stands open. */
export function gate(): Gate {
  let arrived = () => {}
  let release: (() => void) | undefined
  let waiting: Promise<void> | undefined
  return {
    async pass() {
      if (waiting === undefined) return
      arrived()
      await waiting
    },
    shut() {
      waiting = new Promise((resolve) => {
        release = resolve
      })
      return new Promise((resolve) => {
        arrived = resolve
      })
    },
    open() {
      release?.()
      waiting = undefined
    },
  }
}
