// What a test hands to one module of the router: the members that it reads, and no others.

/** Members of a kit; of an object, some of its own. */
export type Some<Kit> = {
  readonly [Name in keyof Kit]?: Kit[Name] extends (...given: never[]) => unknown
    ? Kit[Name]
    : Partial<Kit[Name]>
}

/** A kit of these members. Throws when something else is read from it. */
export function kitOf<Kit extends object>(members: Some<Kit>): Kit {
  return new Proxy(members, {
    get(target, name) {
      if (typeof name === 'symbol' || name in target) return Reflect.get(target, name)
      throw new Error(`the test has not given the kit's member ${name}`)
    },
  }) as unknown as Kit
}
