/** One reservation: the visit's steps, exceptions, events, and what comes next in the sandbox. */

import type { JSX } from "preact"
import { ShortId } from "../../design/button.tsx"
import { Banner } from "../../design/feedback.tsx"
import { Facts } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { nextStep } from "../../next-steps.ts"
import { useCommand } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTimeIn, dayTime, zonedTime } from "../times.ts"
import { ReservationPill } from "../words.tsx"
import { DetailPage, useDetail } from "./followed/detail.tsx"
import { RESERVATION } from "./followed/noun.ts"
import { Walk } from "./followed/walk.tsx"

type Detail = Schemas["PortalReservation"]
type Code = Detail["exceptions"][number]["code"]

const OVER: readonly Detail["reservation"]["status"][] = ["completed", "canceled"]

/** Exceptions that are raised at once; those that take time or steps are scenarios. */
const FAILURES: readonly (readonly [code: Code, name: string, about: string])[] = [
  ["access_failed", "The compartment does not open", "Raises access_failed"],
  ["order_not_ready_hold", "The order is not ready yet", "The runner waits"],
  ["order_not_ready_fail", "The order will not be ready", "The runner's task ends"],
  ["runner_delayed", "The runner is late", "Raises runner_delayed"],
  ["stall_blocked", "The stall is blocked", "Raises stall_blocked"],
  ["bot_mismatch", "Another robot stands there", "Raises bot_mismatch"],
]

export function ReservationPage(page: PageProps): JSX.Element {
  const { id, environment } = page
  const params = { path: { id }, query: { environment } }
  const read = () => dataOf(api.GET("/portal/api/reservations/{id}", { params }))
  const shown = useDetail(RESERVATION, page, read)
  if (shown.data === null) return shown.opening
  const { reservation, place, exceptions, status_label: label } = shown.data
  const { order_number: order, status } = reservation
  const zone = place?.timezone ?? null
  const isOver = OVER.includes(status)
  const last = exceptions.at(-1)
  return (
    <DetailPage
      detail={shown}
      name={`Order ${order}`}
      pill={<ReservationPill status={status} isLarge />}
      lead={`${label}${place === null ? "" : ` at ${place.site_name}`}, stall ${reservation.stall_label || "not named"}, window ${dayTime(reservation.arrival_window_start, zone)} to ${zonedTime(reservation.arrival_window_end, zone)}.`}
      isOver={isOver}
      zone={zone}
      cancel={{
        title: `order ${order}`,
        typed: order,
        happens: "The stall becomes free and the runner's task ends.",
        hint: "Optional.",
      }}
      above={
        <>
          {last === undefined ? null : (
            <div class="above">
              <Banner tone={isOver ? "wait" : "bad"}>
                <strong>{last.code}</strong> at {clockTimeIn(last.at, zone)}: {last.message}{" "}
                {nextStep(last.code)}
              </Banner>
            </div>
          )}
          {environment === "sandbox" ? <Moves detail={shown.data} onMoved={shown.reload} /> : null}
        </>
      }
      idInApi={id}
      aside={<ReservationFacts detail={shown.data} zone={zone} />}
    />
  )
}

interface MovesProps {
  readonly detail: Detail
  readonly onMoved: () => Promise<void>
}

/** Advances a visit of the sandbox, or raises an exception in it. */
function Moves({ detail, onMoved }: MovesProps): JSX.Element {
  const { next_steps: next, reservation, place, status_label: statusLabel } = detail
  const { reservation_id: id, status } = reservation
  const advance = async (body: { readonly reason_code?: Code } = {}): Promise<void> => {
    await dataOf(api.POST("/portal/api/reservations/{id}/advance", { params: { path: { id } }, body }))
    await onMoved()
  }
  const fail = useCommand((failure: Code) => advance({ reason_code: failure }))
  const handoff = reservation.handoff?.status ?? null
  return (
    <Walk
      of={{ kind: "reservation", id, status, handoff, zone: place?.timezone ?? null }}
      statusLabel={statusLabel}
      next={next}
      advance={() => advance()}
      other={fail}
      failures={FAILURES.map(([code, name, about]) => ({ name, about, onChoose: () => fail.send(code) }))}
      note={`${next.length} ${next.length === 1 ? "step" : "steps"} to Completed`}
      margin="0 0 24px"
      onPlayed={onMoved}
    />
  )
}

function ReservationFacts({
  detail,
  zone,
}: {
  readonly detail: Detail
  readonly zone: string | null
}): JSX.Element {
  const { reservation, place } = detail
  const { bot, handoff } = reservation
  return (
    <Facts
      facts={[
        ["Reservation", <ShortId id={reservation.reservation_id} label="Copy the reservation's id" />],
        ["Customer", `${reservation.end_user_name}, ${reservation.end_user_phone}`],
        ["Retailer", place?.retailer_name ?? reservation.retailer_id],
        ["Zone", place?.zone_name ?? reservation.zone_id],
        ["Stall", reservation.stall_label || reservation.stall_id],
        [
          "Window",
          `${zonedTime(reservation.arrival_window_start, zone)} to ${zonedTime(reservation.arrival_window_end, zone)}`,
        ],
        ["Robot", bot === null ? null : <span class="mono">{bot.status}</span>],
        ["Handoff", handoff === null ? null : <span class="mono">{handoff.status}</span>],
        ["Cancelled by", reservation.canceled_by],
        ["Reason", reservation.cancel_reason],
        ["Status in API", <span class="mono">{reservation.status}</span>],
      ]}
    />
  )
}
