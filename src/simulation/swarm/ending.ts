/** The second phase of a run: every fault ends, and vehicles drive what they still have to the end. */

import { MINUTE_MS } from "../../model/values/time.ts"
import { durationIfGiven } from "../scenario/language/field-values.ts"
import { GONE_MS } from "./draw-faults.ts"
import { command, fault } from "./moves.ts"
import type { Act, Move, Plan } from "./plan.ts"

/** What ends the faults of the outside world, at the end of the first phase. */
export function mending({ world, moves, faultsEndMs }: Plan): readonly Move[] {
  const answers = [{ type: "status", status: 200, afterMs: null }] as const
  const gone = new Set(moves.filter(({ act }) => isForGood(act)).map(({ act }) => act.for))
  const hooks = [...world.webhooks, ...world.pickupWebhooks].map(({ as }) => as).filter((as) => !gone.has(as))
  const visits = new Set(
    moves.flatMap(({ act }) =>
      act.verb === "do" && act.command === "reservation.create" && act.as !== null ? [act.as] : [],
    ),
  )
  return [
    fault(faultsEndMs, "payments.work"),
    fault(faultsEndMs, "payments.take", { time: { ms: 0 } }),
    ...["bots.partner.example", "hooks.partner.example"].map((host) =>
      fault(faultsEndMs, "host.fault", { host, fault: "none" }),
    ),
    fault(faultsEndMs, "photo_signing.works"),
    fault(faultsEndMs, "geocoder.works"),
    fault(faultsEndMs, "store_directory.works"),
    ...hooks.flatMap((hook) => [
      fault(faultsEndMs, "webhook.answers", { answers }, hook),
      fault(faultsEndMs, "webhook.down", { lasts: { ms: 0 } }, hook),
    ]),
    ...[...visits].map((visit) => fault(faultsEndMs, "open_link.answers", { answers }, visit)),
    fault(faultsEndMs, "fleet.answers", { answers }),
  ]
}

/** A receiver that does not come back. */
function isForGood(act: Act): boolean {
  const isDown = act.verb === "inject" && act.fault === "webhook.down"
  return isDown && (durationIfGiven(act.with, "lasts") ?? 0) >= GONE_MS
}

/** Vehicles that drive their runs to the end once the faults have ended. */
export function drivesHome({ world, faultsEndMs }: Plan): readonly Move[] {
  const atMs = faultsEndMs + MINUTE_MS
  return (world.delivery?.vehicles ?? []).map(({ as }) =>
    command({ atMs, actor: `${as}/home` }, "vehicle.drive", {}, { for: as }),
  )
}
