/**
 * Somebody or something of the simulated world as an actor of a machine. Machines of the world have states and neither context nor
 * guards, so the result of an event depends on the state alone: the kernel's step runs once for each state and event, and is a
 * look-up after that. Cost: some 20 ns an event (src/DECISIONS.md §328).
 */

import type { EventFromLogic, StateValueFrom } from "xstate"
import { initial, statePath, step } from "../../../../engine/kernel/step.ts"
import type { Machine, Snapshot } from "../../../../engine/kernel/step.ts"

/** A state of a machine, and where each event leads that was seen there. */
interface Place {
  /** The dotted path: `working.on_shift`. */
  readonly path: string
  readonly snapshot: Snapshot
  readonly tags: ReadonlySet<string>
  /** Null for an event that the state ignores. */
  readonly next: Map<string, Place | null>
}

/** All places of a machine, made when they are first reached. */
interface Table {
  readonly first: Place
  readonly byPath: Map<string, Place>
}

const tables = new WeakMap<Machine, Table>()

/** Dotted paths of the innermost states: `working.on_shift`. */
export type StatePath<M extends Machine> = PathOf<StateValueFrom<M>>

type PathOf<Value> = Value extends string
  ? Value
  : { [Key in keyof Value & string]: `${Key}.${PathOf<Value[Key]>}` }[keyof Value & string]

export class WorldActor<M extends Machine> {
  readonly #machine: Machine
  readonly #table: Table
  #at: Place
  #watcher: ((state: StatePath<M>) => void) | null = null

  /** `path`: where it is already; its first state unless said. */
  constructor(machine: M, path?: StatePath<M>) {
    this.#machine = machine
    this.#table = tableOf(machine)
    this.#at = path === undefined ? this.#table.first : placeAt(machine, this.#table, path)
  }

  get state(): StatePath<M> {
    return this.#at.path as StatePath<M>
  }

  /** True in a state with this tag. */
  is(tag: string): boolean {
    return this.#at.tags.has(tag)
  }

  /** True when the event leads to another state; otherwise it is ignored. */
  send(event: EventFromLogic<M>["type"]): boolean {
    const known = this.#at.next.get(event)
    const next = known === undefined ? this.#step(event) : known
    if (next === null) return false
    this.#at = next
    this.#watcher?.(this.state)
    return true
  }

  /** Calls back with the state that it has, and with each one after it. One at a time. */
  watch(watcher: (state: StatePath<M>) => void): void {
    this.#watcher = watcher
    watcher(this.state)
  }

  #step(event: string): Place | null {
    const { snapshot, did } = step(this.#machine, this.#at.snapshot, { type: event })
    const next = did === "ignored" ? null : placeFor(this.#table, snapshot)
    this.#at.next.set(event, next)
    return next
  }
}

function tableOf(machine: Machine): Table {
  const made = tables.get(machine)
  if (made !== undefined) return made
  const { snapshot } = initial(machine, {})
  if (Object.keys(snapshot.context as object).length > 0)
    throw new Error(`${machine.id} has a context; a machine of the world has states alone`)
  const first = placeOf(snapshot)
  const table = { first, byPath: new Map([[first.path, first]]) }
  tables.set(machine, table)
  return table
}

function placeFor({ byPath }: Table, snapshot: Snapshot): Place {
  const path = statePath(snapshot)
  const place = byPath.get(path) ?? placeOf(snapshot)
  byPath.set(path, place)
  return place
}

function placeOf(snapshot: Snapshot): Place {
  return { path: statePath(snapshot), snapshot, tags: snapshot.tags, next: new Map() }
}

function placeAt(machine: Machine, table: Table, path: string): Place {
  const value = path
    .split(".")
    .reduceRight<unknown>((below, key) => (below === null ? key : { [key]: below }), null)
  return table.byPath.get(path) ?? placeFor(table, machine.resolveState({ value, context: {} } as never))
}
