/**
 * Typed access to the machines: calls to actors and reads of their state. Types only; nothing is decoded at run time.
 */

import type {
  Context,
  Extras,
  MachineName,
  OuterState,
  PublishedEvent,
  Reply,
  Start,
  State,
  Turn,
} from "../../../machines/contracts.ts"
import type { MachineId } from "../../../machines/index.ts"
import type { Address, GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { Actor, Cause, Group } from "../kernel/group.ts"
import type { Snapshot } from "../kernel/step.ts"
import type { Emission, Outcome } from "../kernel/turn.ts"
import { Transaction } from "./host.ts"
import type { TurnRequest } from "./host.ts"
import { Routine } from "./routine.ts"

/** An answer with the reply of its machine. */
export type Answered<Name extends MachineName> =
  | { readonly type: "answered"; readonly value: Reply<Name> | null }
  | Extract<Outcome, { readonly type: "refused" }>

interface Asking {
  readonly to: Address
  readonly nonce: string
}

/** Gives one event to an actor of the machine. */
export function ask<Name extends MachineName>(
  _machine: Name,
  request: Turn<Name> & Asking,
): Routine<Answered<Name>, never, Transaction> {
  return run(request)
}

interface Starting extends Asking {
  /** Environment of the new group. */
  readonly environment: Environment
  /** The organization on whose clock it lives in the sandbox; null: real time, as for what organizations share. */
  readonly organizationId: string | null
  /** The step of another group's turn that caused it; absent for a command from outside. */
  readonly cause?: Cause
}

/** Starts a group with the machine as its root. */
export function start<Id extends MachineId>(
  machine: Id,
  { input, organizationId, ...request }: Start<Id> & Starting,
): Routine<Outcome, never, Transaction> {
  const owner = organizationId === null ? {} : { organizationId }
  return run({ ...request, ...owner, start: { machine, input } })
}

/** The types of request and answer are those of the machine's contract. */
function run<Answer>(request: object): Routine<Answer, never, Transaction> {
  return Routine.flatMap(
    Transaction,
    ({ turn }) => turn(request as TurnRequest) as Routine<unknown> as Routine<Answer>,
  )
}

/** An actor of the machine, as of one moment. */
export class SeenActor<Name extends MachineName> {
  readonly #snapshot: Snapshot

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
  }

  get context(): Context<Name> {
    return this.#snapshot.context as Context<Name>
  }

  /** The innermost active state. */
  get state(): State<Name> {
    let value: unknown = this.#snapshot.value
    while (typeof value === "object" && value !== null) value = firstIn(value)
    return value as State<Name>
  }

  get outerState(): OuterState<Name> {
    const value: unknown = this.#snapshot.value
    const outer = typeof value === "object" && value !== null ? Object.keys(value)[0] : value
    return outer as OuterState<Name>
  }

  /** False in a final state. */
  get isActive(): boolean {
    return this.#snapshot.status === "active"
  }
}

/** Makes no list of them: the state of an actor is read several times for each turn. */
function firstIn(value: object): unknown {
  for (const key in value) return (value as Readonly<Record<string, unknown>>)[key]
  return undefined
}

/** The actor at an address; null when there is none. Throws for an actor of another machine. */
export function actorAt<Name extends MachineName>(
  machine: Name,
  actors: ReadonlyMap<Address, Actor>,
  address: Address,
): SeenActor<Name> | null {
  const found = actors.get(address)
  if (found === undefined) return null
  if (!found.machine.startsWith(machine) || found.machine[machine.length] !== "@")
    throw new Error(`${address} is a ${found.machine}, not a ${machine}`)
  return new SeenActor(found.snapshot)
}

/** The root of a group. Throws when the root is of another machine. */
export function rootOf<Name extends MachineName>(
  machine: Name,
  { actors, address }: Pick<Group, "actors" | "address">,
): SeenActor<Name> {
  const root = actorAt(machine, actors, address)
  if (root === null) throw new Error(`${address} has no root`)
  return root
}

/** The root of a group in the open transaction. Dies when there is no such group. */
export function currentRoot<Name extends MachineName>(
  machine: Name,
  address: GroupAddress,
): Routine<SeenActor<Name>, never, Transaction> {
  return Routine.flatMap(Transaction, ({ group }) =>
    Routine.map(group(address), (found) => {
      if (found === null) throw new Error(`the group ${address} is not there`)
      return rootOf(machine, found)
    }),
  )
}

/** The additional fields of a published event; null for another event. */
export function extrasOf<Event extends PublishedEvent>(
  event: Event,
  emission: Pick<Emission, "event" | "extras">,
): Extras<Event> | null {
  return emission.event === event ? (emission.extras as Extras<Event>) : null
}
