/** The commands of a course: each calls the method of the service that a request would call, for the course's delivery or reservation. */

import { Clock, Effect } from "effect"
import { PERMISSIONS } from "../../model/caller.ts"
import type { Operator, Partner } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { DirectDelivery } from "../direct-delivery/direct-delivery.ts"
import { DeliverySites } from "../direct-delivery/rows.ts"
import type { DeliveryRow } from "../direct-delivery/rows.ts"
import { Vehicles } from "../dispatch/vehicles.ts"
import { InboundSms } from "../messages/inbound-sms.ts"
import { Reservations } from "../reservations/reservations.ts"
import { RunnerTasks } from "../reservations/runner-tasks.ts"
import { SandboxWalk } from "../reservations/sandbox-walk.ts"
import type { Course, CourseAct } from "./course.ts"
import { deliveryOf } from "./subject.ts"
import type { SubjectRef } from "./subject.ts"
import { Routine } from "../../engine/services/routine.ts"

/** An act that is a command of a service. */
export type CourseCommand = Exclude<CourseAct, { readonly do: "expect" | "wait" | "webhook.answers" }>

export interface CommandOf {
  readonly ref: SubjectRef
  /** Unique among all commands of all courses. */
  readonly key: string
}

/** The sandbox acts, not the key that started the course. */
function partnerOf({ organizationId }: SubjectRef): Partner {
  return { type: "partner", organizationId, environment: "sandbox", permissions: PERMISSIONS }
}

const RUNNER: Operator = { type: "operator", by: "runner", environment: "sandbox" }
const OPERATIONS: Operator = { type: "operator", by: "ops", environment: "sandbox" }
const RUNNER_ID = "sandbox"
const READY_AFTER_MS = 10 * MINUTE_MS

export const command = Effect.fnUntraced(function* (act: CourseCommand, { ref, key }: CommandOf) {
  const partner = partnerOf(ref)
  const { id } = ref
  switch (act.do) {
    case "runner.assign":
      return yield* (yield* RunnerTasks).assign(RUNNER, id, RUNNER_ID)
    case "runner.at_store":
      return yield* (yield* RunnerTasks).atStore(RUNNER, id)
    case "runner.order_in_hand":
      return yield* (yield* RunnerTasks).orderInHand(RUNNER, id)
    case "runner.at_unit":
      return yield* (yield* RunnerTasks).atUnit(RUNNER, id)
    case "bot.report":
      return yield* (yield* Reservations).reportBot(partner, id, { status: act.status })
    case "sandbox.advance":
      return yield* (yield* SandboxWalk).advance(partner, id, {
        ...(act.code === null ? {} : { reason_code: act.code }),
        ...(act.message === null ? {} : { message: act.message }),
      })
    case "reservation.cancel":
      return yield* (yield* Reservations).cancel(partner, id, act.reason ?? undefined)
    case "delivery.advance": {
      const { row, site } = yield* deliveryAt(ref)
      return yield* (yield* DirectDelivery).advance(partner, site, row.externalDeliveryId)
    }
    case "delivery.cancel": {
      const { row, site } = yield* deliveryAt(ref)
      return yield* (yield* DirectDelivery).cancel(partner, site, row.externalDeliveryId, {
        status: "CANCELLED",
        cancellation_reason: act.reason,
      })
    }
    case "delivery.quote":
      return yield* quoteAnother(partner, ref, key)
    case "customer.reply": {
      const { customer } = yield* deliveryOf(ref)
      const { organizationId, environment } = partner
      const reply = { environment, organizationId, inboundId: `course ${key}`, from: customer.phone }
      return yield* (yield* InboundSms).receive({ ...reply, text: act.text })
    }
    case "vehicle.go_offline":
      return yield* (yield* Vehicles).goOffline(OPERATIONS, (yield* deliveryOf(ref)).vehicleId)
    case "vehicle.go_online":
      return yield* (yield* Vehicles).goOnline(OPERATIONS, (yield* deliveryOf(ref)).vehicleId)
  }
})

const deliveryAt = Routine.fn(function* (ref: SubjectRef) {
  const row = yield* deliveryOf(ref)
  const site = yield* (yield* DeliverySites).byId(row.siteId)
  return { row, site: site ?? undefined }
})

/** Another order of the same customer. Its quote expires like any other. */
const quoteAnother = Effect.fnUntraced(function* (partner: Partner, ref: SubjectRef, key: string) {
  const { row, site } = yield* deliveryAt(ref)
  const { unit, ...address } = row.address
  return yield* (yield* DirectDelivery).quote(partner, site, {
    external_delivery_id: `course-${key}`,
    customer: { phone: row.customer.phone },
    delivery_address: unit === null ? address : { ...address, unit },
    delivery_location: row.place,
    ready_by: (yield* Clock.currentTimeMillis) + READY_AFTER_MS,
    order_items: row.items,
  })
})

/** Refuses a course that moves a vehicle which other organizations use too. */
export const requireOwnVehicle = Routine.fn(function* ({ steps }: Course, ref: SubjectRef) {
  if (!steps.some(({ act }) => act.do.startsWith("vehicle."))) return
  const { fleetId }: DeliveryRow = yield* deliveryOf(ref)
  const sites = yield* (yield* DeliverySites).all("sandbox")
  const isShared = sites.some(
    (site) => site.fleetId === fleetId && site.organizationId !== ref.organizationId,
  )
  if (!isShared) return
  const detail = "the site's vehicles serve other organizations too; make a site of your own in the portal"
  return yield* new Refused({ code: "INVALID_STATE", detail })
})
