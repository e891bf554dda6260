import { AssertionError } from 'node:assert/strict'

/**
 * The stores as they are, but a method that throws before it returns a promise fails the test with
 * a text that says so: the test itself would only pass on what was thrown.
 */
export function tellingThrows<Stores extends object>(stores: Stores): Stores {
  // One for each object: `codes.redemption.sessions` must stay the very object that `sessions` is.
  const known = new WeakMap<object, object>()
  const around = <Part extends object>(part: Part, path: string): Part => {
    const get = (_none: object, name: string | symbol) => {
      const member: unknown = Reflect.get(part, name)
      const method = `${path}${String(name)}`
      if (typeof member === 'object' && member !== null) return around(member, `${method}.`)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        try {
          return Reflect.apply(member, part, given)
        } catch (error) {
          const message = `${method} threw before it returned a promise: make it async. It threw:`
          const details = { actual: error, operator: 'storeContract' }
          throw new AssertionError({ message: `${message} ${error}`, ...details })
        }
      }
    }
    // Not over the part itself: what is frozen would have to be answered as it is.
    const proxy = known.get(part) ?? new Proxy({}, { get })
    known.set(part, proxy)
    return proxy as Part
  }
  return around(stores, '')
}
