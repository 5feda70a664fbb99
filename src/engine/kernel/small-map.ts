/**
 * A map of few entries, in the order in which their keys were set. A copy costs a list of values, and shares the keys
 * until one is added or removed; a Map would be filled again. Looking up takes a comparison for each entry.
 */

import { longer } from "./few.ts"

export class SmallMap<Value> implements ReadonlyMap<string, Value> {
  #keys: string[]
  #values: Value[]
  #areKeysShared: boolean

  private constructor(keys: string[], values: Value[]) {
    this.#keys = keys
    this.#values = values
    this.#areKeysShared = true
  }

  static empty<Value>(): SmallMap<Value> {
    return new SmallMap<Value>([], [])
  }

  static of<Value>(key: string, value: Value): SmallMap<Value> {
    return new SmallMap<Value>([key], [value])
  }

  static copyOf<Value>(map: ReadonlyMap<string, Value>): SmallMap<Value> {
    return map instanceof SmallMap
      ? (map as SmallMap<Value>).#copy()
      : new SmallMap<Value>([...map.keys()], [...map.values()])
  }

  #copy(): SmallMap<Value> {
    this.#areKeysShared = true
    return new SmallMap(this.#keys, this.#values.slice())
  }

  get size(): number {
    return this.#keys.length
  }

  get(key: string): Value | undefined {
    const at = this.#at(key)
    return at === -1 ? undefined : this.#values[at]
  }

  has(key: string): boolean {
    return this.#at(key) !== -1
  }

  set(key: string, value: Value): void {
    const at = this.#at(key)
    if (at !== -1) {
      this.#values[at] = value
      return
    }
    // Both lists may be those of another map.
    this.#keys = longer(this.#keys, key)
    this.#values = longer(this.#values, value)
    this.#areKeysShared = false
  }

  delete(key: string): boolean {
    const at = this.#at(key)
    if (at === -1) return false
    if (this.#areKeysShared) this.#keys = this.#keys.slice()
    this.#areKeysShared = false
    removeAt(this.#keys, at)
    removeAt(this.#values, at)
    return true
  }

  #at(key: string): number {
    const keys = this.#keys
    for (let at = 0; at < keys.length; at += 1) {
      const one = keys[at] as string
      // The comparison of two texts is a call; most have another length.
      if (one.length === key.length && one === key) return at
    }
    return -1
  }

  keys(): MapIterator<string> {
    return this.#keys.values()
  }

  values(): MapIterator<Value> {
    return this.#values.values()
  }

  entries(): MapIterator<[string, Value]> {
    return this.#keys.map((key, at): [string, Value] => [key, this.#values[at] as Value]).values()
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries()
  }

  forEach(take: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this.entries()) take(value, key, this)
  }
}

/** As `splice`, which would make a list of what it removes. */
function removeAt(list: unknown[], at: number): void {
  for (let next = at + 1; next < list.length; next += 1) list[next - 1] = list[next]
  list.pop()
}
