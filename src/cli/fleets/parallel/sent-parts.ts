/**
 * Models on their way to threads of the same process: the bytes of each part are written once and shared, and a thread reads
 * them once. So the replications of a model on one thread share its streets.
 */

import { deserialize, serialize } from "node:v8"
import type { FleetModel } from "../../../simulation/fleet/language/model.ts"

/** A value that all threads can read. */
interface SentPart {
  /** Of this value alone. */
  readonly key: number
  readonly bytes: SharedArrayBuffer
}

/** The travel is a part of its own, because the cases of a model share it. */
export interface SentModel {
  readonly travel: SentPart
  readonly rest: SentPart
}

/** On the thread that sends: each object is written once. */
export class SentParts {
  readonly #parts = new WeakMap<object, SentPart>()
  #keys = 0

  of(model: FleetModel): SentModel {
    return {
      travel: this.#part(model.travel, () => model.travel),
      rest: this.#part(model, () => ({ ...model, travel: null })),
    }
  }

  #part(object: object, written: () => unknown): SentPart {
    const known = this.#parts.get(object)
    if (known !== undefined) return known
    const value = serialize(written())
    const bytes = new SharedArrayBuffer(value.length)
    new Uint8Array(bytes).set(value)
    const part = { key: this.#keys, bytes }
    this.#keys += 1
    this.#parts.set(object, part)
    return part
  }
}

/** On the thread that receives; from one sender. */
export class ReceivedParts {
  readonly #travels = new Map<number, unknown>()
  readonly #models = new Map<number, FleetModel>()

  modelOf({ travel, rest }: SentModel): FleetModel {
    return recent(this.#models, rest.key, () => {
      const parts = valueOf(rest) as Omit<FleetModel, "travel">
      const own = recent(this.#travels, travel.key, () => valueOf(travel)) as FleetModel["travel"]
      return { ...parts, travel: own }
    })
  }
}

const KEPT_MAX = 4

/** The value of a key, of which the last few are kept. */
export function recent<Key, Value>(kept: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = kept.get(key) ?? make()
  kept.delete(key)
  kept.set(key, value)
  const [oldest] = kept.keys()
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
  return value
}

function valueOf({ bytes }: SentPart): unknown {
  return deserialize(new Uint8Array(bytes).slice())
}
