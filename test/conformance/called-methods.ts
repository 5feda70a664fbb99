/**
 * Which methods of the stores' ports the contracts have called. A suite of one store wraps every port that its tests reach,
 * and its last test fails with the name of each method that no contract called. A new method
 * needs a test on every store before the suite is green.
 */

import { Context, Effect } from "effect"
import { describe, expect, test } from "vitest"

/** A port's methods by name, those of nested tables as `table.method`. */
type Port = Readonly<Record<string, unknown>>

export class CalledMethods {
  readonly #called = new Set<string>()
  readonly #known = new Set<string>()

  /**
   * The same context, in which every one of these ports notes its calls. What the services inside a layer call is not
   * noted: they hold the ports themselves.
   */
  noting<R>(context: Context.Context<R>, ports: readonly string[]): Context.Context<R> {
    const services = new Map(context.unsafeMap)
    for (const key of ports) {
      const port: unknown = services.get(key)
      if (port === undefined) throw new Error(`the harness does not provide the port ${key}`)
      services.set(key, this.#wrapped(port as Port, key))
    }
    return Context.unsafeMake(services)
  }

  /** By name, in order. */
  get missing(): readonly string[] {
    return [...this.#known].filter((method) => !this.#called.has(method)).toSorted()
  }

  get count(): number {
    return this.#known.size
  }

  #wrapped(port: Port, name: string): Port {
    return Object.fromEntries(
      Object.entries(port).map(([member, value]) => [member, this.#member(value, `${name}.${member}`)]),
    )
  }

  #member(value: unknown, name: string): unknown {
    if (typeof value !== "function" && !Effect.isEffect(value)) return this.#wrapped(value as Port, name)
    this.#known.add(name)
    const note = (): void => void this.#called.add(name)
    if (Effect.isEffect(value)) return Effect.zipRight(Effect.sync(note), value)
    return (...args: readonly unknown[]): unknown => {
      note()
      return (value as (...all: readonly unknown[]) => unknown)(...args)
    }
  }
}

/** Goes behind all contracts of a store: tests run in the order of the file. */
export function everyMethodWasCalled(store: string, calls: CalledMethods): void {
  describe(`ports: ${store}`, () => {
    test("every method of every port was called by a test of its contract on this store", () => {
      expect(calls.count).toBeGreaterThan(0)
      expect(calls.missing.map((method) => `${method} on ${store}`)).toEqual([])
    })
  })
}
