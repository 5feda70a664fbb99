/**
 * A replication's task as text, for a machine that does not have the file or the files beside it, and its identity: the
 * same model, seed and program give the same bytes, so a worker that already has them can reuse them.
 */

import { canonicalJson } from "../../../model/values/canonical-json.ts"
import { digest } from "../../../engine/kernel/hash.ts"
import type { Json } from "../../../model/values/json.ts"
import type { FleetModel } from "../../../simulation/fleet/language/model.ts"
import type { ReplicationTask } from "../../../simulation/fleet/search/evaluate.ts"

/**
 * The parts of a model that a replication does not read: titles, promises and the number of replications may change
 * without making it again.
 */
const UNREAD = {
  fleet: "",
  because: "",
  file: "",
  text: "",
  seed: 0,
  replications: 1,
  sweep: new Map<string, readonly (number | string)[]>(),
  until: [],
  promises: [],
  find: null,
  costs: null,
  streets: null,
  sensitivity: null,
} satisfies Partial<FleetModel>

/** A model as its tasks need it, with a key that tasks of one case share. */
export interface ModelText {
  readonly key: string
  readonly text: string
}

export function modelText(model: FleetModel): ModelText {
  const read = Object.entries(model).filter(([key]) => !(key in UNREAD))
  const text = canonicalJson(withoutMaps(Object.fromEntries(read)) as Json)
  return { key: digest(text), text }
}

export function modelOf(text: string): FleetModel {
  const read = JSON.parse(text, (_, value: unknown) => mapIn(value) ?? value) as Omit<
    FleetModel,
    keyof typeof UNREAD
  >
  return { ...UNREAD, ...read }
}

/** JSON has no maps: one is an object with the list of its entries under this key. */
const MAP = "$map"

function withoutMaps(value: unknown): unknown {
  if (value instanceof Map) return { [MAP]: [...(value as Map<unknown, unknown>)].map(withoutMaps) }
  if (Array.isArray(value)) return value.map(withoutMaps)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutMaps(one)]))
}

function mapIn(value: unknown): ReadonlyMap<unknown, unknown> | null {
  if (typeof value !== "object" || value === null || !(MAP in value)) return null
  return new Map(value[MAP] as readonly (readonly [unknown, unknown])[])
}

/** The data of a job; the model is stored once for all of its tasks. */
export interface TaskData {
  readonly model: string
  readonly seed: number
  readonly hasCourse: boolean
  readonly isRepeat: boolean
}

export function taskData({ seed, hasCourse, isRepeat = false }: ReplicationTask, model: string): TaskData {
  return { model, seed, hasCourse, isRepeat }
}

/** A UUID of version 8 (RFC 9562 §5.8), derived from the model, the seed and the program. */
export function identityOf(data: TaskData, program: string): string {
  const { model, seed, hasCourse, isRepeat } = data
  const hex = digest(canonicalJson({ model, seed, hasCourse, isRepeat, program }))
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-")
}
