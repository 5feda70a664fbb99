/**
 * A context with one more port that does not copy the others. Reaches into Effect: a context is a map from keys of tags to ports,
 * which Effect reads by `get`, `has`, `size`, `forEach` and iteration alone.
 */

import { Context } from "effect"

/**
 * As `Context.add`, at the same cost for any number of ports: the others are looked up in the given context. A transaction adds a port
 * for each command, to a context of about a hundred ports.
 */
export function withPort<R, I, S>(
  context: Context.Context<R>,
  tag: Context.Tag<I, S>,
  service: S,
): Context.Context<R | I> {
  return Context.unsafeMake(new OneMorePort(context.unsafeMap, tag.key, service))
}

/** The context without the port that `withPort` added last, and that port's key; null when a context was not made by it. */
export function withoutLastPort(
  context: Context.Context<never>,
): { readonly others: object; readonly key: string } | null {
  const { unsafeMap } = context
  return unsafeMap instanceof OneMorePort ? unsafeMap : null
}

/** One entry in front of the entries of another map. Read only. */
class OneMorePort extends Map<string, unknown> {
  readonly others: Map<string, unknown>
  readonly key: string
  readonly #port: unknown

  constructor(others: Map<string, unknown>, key: string, port: unknown) {
    super()
    this.others = others
    this.key = key
    this.#port = port
  }

  override get size(): number {
    return this.others.size + (this.others.has(this.key) ? 0 : 1)
  }

  override has(key: string): boolean {
    return key === this.key || this.others.has(key)
  }

  override get(key: string): unknown {
    return key === this.key ? this.#port : this.others.get(key)
  }

  override *entries(): MapIterator<[string, unknown]> {
    for (const entry of this.others) if (entry[0] !== this.key) yield entry
    yield [this.key, this.#port]
  }

  override *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key
  }

  override *values(): MapIterator<unknown> {
    for (const [, port] of this.entries()) yield port
  }

  override [Symbol.iterator](): MapIterator<[string, unknown]> {
    return this.entries()
  }

  override forEach(visit: (port: unknown, key: string, map: Map<string, unknown>) => void): void {
    for (const [key, port] of this.entries()) visit(port, key, this)
  }

  override set(): never {
    throw new TypeError("a context's ports are not changed: make another context")
  }

  override delete(): never {
    return this.set()
  }

  override clear(): never {
    return this.set()
  }
}
