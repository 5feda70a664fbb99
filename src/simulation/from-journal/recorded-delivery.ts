/**
 * Writes the scenario that repeats what a delivery of a journal went through. A journal has no places, so people at the
 * site report each status that a vehicle reached (src/DECISIONS.md §314).
 */

import { DELIVERY_EVENT_BY_STATUS } from "../../model/delivery.ts"
import type { DeliveryStatus, ReportedStatus } from "../../model/delivery.ts"
import { deliveryStatus } from "../../areas/direct-delivery/record.ts"
import type { ReplayedTurn } from "../replay.ts"
import { textOf } from "./recorded-visit.ts"
import type { WrittenParts } from "./scenario-file.ts"
import { StepList } from "./step-list.ts"
import type { RecordedGroup } from "./recorded-group.ts"

const NAME = "order"

const STATUS_BY_EVENT: ReadonlyMap<string, ReportedStatus> = new Map(
  Object.entries(DELIVERY_EVENT_BY_STATUS).map(([status, event]) => [event, status as ReportedStatus]),
)

/** The scenario of a delivery whose start is in the journal, as parts whose steps may still change. */
export function deliveryParts({ turns, timeZone, webhookDeliveries }: RecordedGroup): WrittenParts {
  const [first] = turns
  if (first === undefined) throw new TypeError("a delivery without turns")
  const list = new StepList(first.input.instantMs, timeZone)
  const writer = new DeliveryWriter(list, turns)
  writer.write()
  list.note("addresses and positions; where the vehicle reported, people at the site say the status")
  list.note("the quote: its fee, and when it was asked for")
  if (first.input.by === "message") list.note("the errand that it belongs to; here a retailer orders it")
  if (webhookDeliveries > 0) list.note("deliveries of webhooks: their receivers belong to other groups")
  list.note("free texts (reasons, names, items), which no journal has")
  return {
    title: `What a delivery went through on ${list.local.slice(0, 10)}`,
    because: null,
    clock: `${list.local} ${timeZone}`,
    isSandbox: isOfSandbox(turns),
    given: {
      delivery_site: { supervisors: true },
      vehicles: writer.vehicles.map((as, at) => ({ as, ...(at === 0 ? {} : { online: false }) })),
    },
    steps: list.steps,
    notes: list.notes,
  }
}

class DeliveryWriter {
  readonly #list: StepList
  readonly #turns: readonly ReplayedTurn[]
  readonly #nameById = new Map<string, string>()
  #seen: DeliveryStatus = "SCHEDULED"

  constructor(list: StepList, turns: readonly ReplayedTurn[]) {
    this.#list = list
    this.#turns = turns
  }

  get vehicles(): readonly string[] {
    return [...this.#nameById.values()]
  }

  write(): void {
    const [first, ...rest] = this.#turns
    if (first === undefined) return
    const { instantMs } = first.input
    const decided = (first.input.start?.input as { decided?: { vehicleId?: unknown } } | undefined)?.decided
    this.#vehicle(textOf(decided?.vehicleId ?? vehicleIn(first)))
    this.#list.step(instantMs, { do: "delivery.quote", as: NAME })
    this.#list.add({ do: "delivery.create", for: NAME })
    this.#expect(first)
    for (const turn of rest) this.#repeat(turn)
  }

  #repeat(turn: ReplayedTurn): void {
    const { input, result } = turn
    const type = input.event?.type ?? ""
    const { instantMs } = input
    const isRefused = result.outcome.type === "refused"
    // A report that changed nothing.
    if (input.by !== "command" && !result.hasMoved && !isRefused) return
    switch (type) {
      case "vehicle.assigned":
        // A vehicle takes the run at once, without a step.
        if (input.by === "command")
          this.#list.step(instantMs, { do: "delivery.supervise", for: NAME, with: { status: "ASSIGNED" } })
        break
      case "vehicle.changed": {
        const vehicle = this.#vehicle(textOf(input.event?.["vehicleId"]))
        this.#list.step(instantMs, { do: "vehicle.go_online", for: vehicle })
        this.#list.add({ do: "delivery.reassign", for: NAME, with: { vehicle } })
        break
      }
      case "cancel.requested":
        this.#list.step(instantMs, { do: "delivery.cancel", for: NAME })
        break
      case "step.advanced":
        this.#list.step(instantMs, { do: "delivery.advance", for: NAME })
        break
      default: {
        const status = STATUS_BY_EVENT.get(type)
        if (status === undefined)
          this.#list.note(`${type} at ${this.#list.clock.show(instantMs)}: no word sends it`)
        else this.#list.step(instantMs, { do: "delivery.supervise", for: NAME, with: { status } })
      }
    }
    this.#expect(turn)
  }

  #expect({ input, result }: ReplayedTurn): void {
    const { actors, address } = result.group
    const status = deliveryStatus(actors, address)
    if (status === this.#seen) return
    this.#seen = status
    this.#list.expectAt(input.instantMs, { delivery: NAME, status })
  }

  /** The name of a vehicle; the first one stands at the store from the start. */
  #vehicle(id: string): string {
    const known = this.#nameById.get(id)
    if (known !== undefined) return known
    const name = `van-${this.#nameById.size + 1}`
    this.#nameById.set(id, name)
    return name
  }
}

/** Vehicles of the sandbox do not answer. */
function isOfSandbox(turns: readonly ReplayedTurn[]): boolean {
  const isOf = (type: string): boolean => turns.some(({ input }) => input.event?.type === type)
  return isOf("step.advanced") || !isOf("vehicle.assigned")
}

function vehicleIn({ result }: ReplayedTurn): unknown {
  const context = result.group.actors.get(result.group.address)?.snapshot.context as
    { readonly vehicleId?: unknown } | undefined
  return context?.vehicleId
}
