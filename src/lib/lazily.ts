/**
 * Makes a value when it is first asked for, and once. For schemas that most processes never need:
 * building them at import would be paid for by everybody.
 */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return function madeOnce() {
    made ??= { value: make() }
    return made.value
  }
}
