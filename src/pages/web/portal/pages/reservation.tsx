/** One reservation: the visit's steps, exceptions, events, and what comes next in the sandbox. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { Banner, toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Facts } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { isSending, useLive } from "../live.ts"
import { useCommand, useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTimeIn, dayTime, zonedTime } from "../times.ts"
import { ReservationPill } from "../words.tsx"
import { useAutoRun } from "./auto-run.ts"
import { useMakeItFail } from "./make-it-fail.tsx"
import { CommandProblem, Opening } from "./problem.tsx"
import { RequestsMade } from "./requests-made.tsx"
import { Events } from "./sent-events.tsx"
import { Timeline } from "./timeline.tsx"

type Detail = Schemas["PortalReservation"]
type Code = Detail["exceptions"][number]["code"]

const REFRESH_MS = 3000
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

export function ReservationPage({ id, environment }: PageProps): JSX.Element {
  const params = { path: { id }, query: { environment } }
  const state = useResource(() => dataOf(api.GET("/portal/api/reservations/{id}", { params })), [id])
  const events = useResource(() => dataOf(api.GET("/portal/api/reservations/{id}/events", { params })), [id])
  const reload = async (): Promise<void> => {
    await Promise.all([state.reload(), events.reload()])
  }
  useLive(reload, { concerns: (group) => group === `reservation/${id}` || isSending(group), ms: REFRESH_MS })
  if (state.data === null)
    return (
      <Opening resource={state} noun="reservation" id={id} list={["Reservations", "/portal/reservations"]} />
    )
  const { reservation, place, exceptions, status_label: label } = state.data
  const zone = place?.timezone ?? null
  const last = exceptions.at(-1)
  return (
    <div class="content">
      <Head
        crumbs={[["Reservations", "/portal/reservations"]]}
        here={`Order ${reservation.order_number}`}
        title={
          <>
            Order {reservation.order_number} <ReservationPill status={reservation.status} isLarge />
          </>
        }
        lead={`${label}${place === null ? "" : ` at ${place.site_name}`}, stall ${reservation.stall_label ?? "not named"}, window ${dayTime(reservation.arrival_window_start, zone)} to ${zonedTime(reservation.arrival_window_end, zone)}.`}
      >
        <Cancel detail={state.data} environment={environment} onDone={reload} />
      </Head>
      {last === undefined ? null : (
        <div class="above">
          <Banner tone={OVER.includes(reservation.status) ? "wait" : "bad"}>
            <strong>{last.code}</strong> at {clockTimeIn(last.at, zone)}: {last.message}
          </Banner>
        </div>
      )}
      {environment === "sandbox" ? <Moves detail={state.data} onMoved={reload} /> : null}
      <div class="split-page">
        <div class="stack">
          <Events
            product="reservations"
            isOver={OVER.includes(reservation.status)}
            events={events.data?.events ?? null}
            zone={zone}
            environment={environment}
            onSent={events.reload}
          />
          <Timeline
            what="reservation"
            zone={zone}
            read={() => dataOf(api.GET("/portal/api/reservations/{id}/timeline", { params }))}
          />
          <RequestsMade path={`/reservations/${id}`} environment={environment} />
        </div>
        <aside class="stack" aria-label="The reservation">
          <ReservationFacts detail={state.data} zone={zone} />
        </aside>
      </div>
    </div>
  )
}

interface MovesProps {
  readonly detail: Detail
  readonly onMoved: () => Promise<void>
}

/** Buttons that advance a visit of the sandbox, or raise an exception in it. */
function Moves({ detail, onMoved }: MovesProps): JSX.Element | null {
  const { next_steps: next, reservation } = detail
  const params = { path: { id: reservation.reservation_id } }
  const advance = async (body: { readonly reason_code?: Code } = {}): Promise<void> => {
    await dataOf(api.POST("/portal/api/reservations/{id}/advance", { params, body }))
    await onMoved()
  }
  const { one, auto } = useAutoRun(() => advance(), next.length)
  const fail = useCommand((failure: Code) => advance({ reason_code: failure }))
  const failing = useMakeItFail({
    kind: "reservation",
    id: reservation.reservation_id,
    status: reservation.status,
    handoff: reservation.handoff?.status ?? null,
    title: `What may go wrong from ${detail.status_label}`,
    zone: detail.place?.timezone ?? null,
    isDisabled: one.isBusy || auto.isBusy || fail.isBusy,
    more: FAILURES.map(([code, name, about]) => ({ name, about, onChoose: () => fail.send(code) })),
    onPlayed: onMoved,
  })
  const [first] = next
  if (first === undefined) return failing.result
  const isBusy = one.isBusy || auto.isBusy || fail.isBusy || failing.isBusy
  return (
    <div class="column" style={{ margin: "0 0 24px" }}>
      <div class="row">
        <Button look="primary" icon="step-forward" isBusy={isBusy} onPress={one.send}>
          {auto.isBusy ? "Running…" : `Advance to ${first.label}`}
        </Button>
        <Button icon="skip" isDisabled={isBusy} onPress={auto.send}>
          Auto-run
        </Button>
        {failing.menu}
        <span class="small quiet">
          {next.length} {next.length === 1 ? "step" : "steps"} to Completed
        </span>
      </div>
      <CommandProblem fault={one.fault ?? auto.fault ?? fail.fault ?? failing.fault} />
      {failing.result}
    </div>
  )
}

interface CancelProps {
  readonly detail: Detail
  readonly environment: PageProps["environment"]
  readonly onDone: () => Promise<void>
}

function Cancel({ detail: { reservation }, environment, onDone }: CancelProps): JSX.Element | null {
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState("")
  const [typed, setTyped] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id: reservation.reservation_id }, query: { environment } }
    const body = reason === "" ? {} : { reason }
    await dataOf(api.POST("/portal/api/reservations/{id}/cancel", { params, body }))
    setOpen(false)
    toast({ text: "Cancelled", icon: "ban" })
    await onDone()
  })
  if (OVER.includes(reservation.status)) return null
  const isReal = environment === "production"
  return (
    <>
      <Button look="danger quiet" icon="ban" onPress={() => setOpen(true)}>
        Cancel reservation
      </Button>
      {isOpen ? (
        <Dialog title={`Cancel order ${reservation.order_number}?`} onClose={() => setOpen(false)}>
          <p class="quiet small">The stall becomes free and the runner's task ends.</p>
          <div class="fields">
            <CommandProblem fault={fault} />
            <TextField label="Reason" hint="Optional." value={reason} onChange={setReason} isFirst />
            {isReal ? (
              <TextField
                label={`Type ${reservation.order_number} to cancel it`}
                value={typed}
                onChange={setTyped}
              />
            ) : null}
          </div>
          <div class="actions">
            <Button onPress={() => setOpen(false)}>Keep it</Button>
            <Button
              look="danger"
              isBusy={isBusy}
              isDisabled={isReal && typed !== reservation.order_number}
              onPress={send}
            >
              {isBusy ? "Cancelling…" : "Cancel reservation"}
            </Button>
          </div>
        </Dialog>
      ) : null}
    </>
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
        ["Stall", reservation.stall_label ?? reservation.stall_id],
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
