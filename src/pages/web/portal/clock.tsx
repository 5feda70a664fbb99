/** The sandbox's clock in the environment bar: what time it is there, and buttons that move it. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { toast } from "../design/feedback.tsx"
import { Icon } from "../design/icon.tsx"
import { Dialog, Menu } from "../design/overlay.tsx"
import { Table } from "../design/table.tsx"
import { api, dataOf } from "./api.ts"
import type { Schemas } from "./api.ts"
import { endOf } from "../followed-run.ts"
import { useCommand, useRefresh, useResource } from "../resource.ts"
import { clockTime, clockTimeIn, followClock, inZone, span, zonedTime } from "./times.ts"

type Clock = Schemas["Clock"]
type Move = Schemas["ClockMove"]
type Request = Schemas["AdvanceClockRequest"]

const REFRESH_MS = 5000

export function SandboxClock(): JSX.Element | null {
  const [move, setMove] = useState<Move | null>(null)
  const { data, reload } = useResource(() => dataOf(api.GET("/portal/api/sandbox/clock")))
  useRefresh(reload, REFRESH_MS)
  useEffect(() => {
    if (data !== null) followClock(Date.parse(data.clock.now) - Date.now())
  }, [data])
  const advance = useCommand(async (request: Request) => {
    const done = await finished(
      await dataOf(api.POST("/portal/api/sandbox/clock/advance", { body: request })),
    )
    await reload()
    if (done.happened.count === 0)
      toast({ text: `It is ${clockTime(done.reached)} now; no timer was due`, icon: "clock" })
    else setMove(done)
  })
  const stand = useCommand(async (wanted: "freeze" | "resume") => {
    await dataOf(
      wanted === "freeze"
        ? api.POST("/portal/api/sandbox/clock/freeze")
        : api.POST("/portal/api/sandbox/clock/resume"),
    )
    await reload()
  })
  if (data === null) return null
  const { clock } = data
  const isBusy = advance.isBusy || stand.isBusy || clock.move_id !== null
  const fault = advance.fault ?? stand.fault
  return (
    <>
      <span class="clock">
        <Icon name={clock.mode === "frozen" ? "timer" : "clock"} />
        <Hands clock={clock} />
        <span class="about small">{stateOf(clock)}</span>
        {fault === null ? null : (
          <span class="bad tiny" role="alert">
            {fault.message}
          </span>
        )}
        <span class="more">
          <Button isSmall isDisabled={isBusy} onPress={() => advance.send({ by: "PT1M" })}>
            +1 min
          </Button>
        </span>
        <Button isSmall isDisabled={isBusy} onPress={() => advance.send({ by: "PT15M" })}>
          +15 min
        </Button>
        <span class="more">
          <Button
            isSmall
            icon="skip"
            isBusy={advance.isBusy}
            isDisabled={isBusy || clock.next_timer === null}
            onPress={() => advance.send({ to: "next_timer" })}
          >
            {clock.next_timer === null ? "No timer waits" : `Next timer ${clockTime(clock.next_timer.at)}`}
          </Button>
        </span>
        <MoreOfClock clock={clock} onAdvance={advance.send} onStand={stand.send} />
      </span>
      {move === null ? null : <WhatHappened move={move} onClose={() => setMove(null)} />}
    </>
  )
}

interface MoreProps {
  readonly clock: Clock
  readonly onAdvance: (request: Request) => void
  readonly onStand: (wanted: "freeze" | "resume") => void
}

function MoreOfClock({ clock, onAdvance, onStand }: MoreProps): JSX.Element {
  const { next_timer: next, mode } = clock
  return (
    <Menu
      label="More of the clock"
      icon="ellipsis"
      isSmall
      items={[
        ...(next === null
          ? []
          : [
              {
                name: "To the next timer",
                about: `${clockTime(next.at)}, ${next.group}`,
                onChoose: () => onAdvance({ to: "next_timer" }),
              },
            ]),
        { name: "+1 h", onChoose: () => onAdvance({ by: "PT1H" }) },
        { name: "+1 day", onChoose: () => onAdvance({ by: "P1D" }) },
        mode === "frozen"
          ? { name: "Let it run", about: "On from where it stands", onChoose: () => onStand("resume") }
          : {
              name: "Freeze it",
              about: "No timer fires until it runs again",
              onChoose: () => onStand("freeze"),
            },
      ]}
    />
  )
}

/** A long move goes on at the service. */
async function finished({ move }: { readonly move: Move }): Promise<Move> {
  return endOf({
    started: move,
    isRunning: ({ status }) => status === "running",
    poll: async ({ id }) =>
      (await dataOf(api.GET("/portal/api/sandbox/clock/moves/{id}", { params: { path: { id } } }))).move,
  })
}

/** Ticks by itself between two reads. */
function Hands({ clock }: { readonly clock: Clock }): JSX.Element {
  const [readAt, setReadAt] = useState(Date.now())
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    setReadAt(Date.now())
    setNow(Date.now())
    const timer = window.setInterval(() => setNow(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [clock.now])
  const passed = clock.mode === "frozen" ? 0 : Math.max(0, now - readAt)
  const shown = new Date(Date.parse(clock.now) + passed).toISOString()
  return (
    <time class="time" dateTime={shown} title={`${shown.slice(0, 10)} ${zonedTime(shown)}`}>
      {clockTime(shown)} <span class="zone">{zonedTime(shown).split(" ")[1]}</span>
    </time>
  )
}

function stateOf({ mode, offset_ms: offset, frozen_since: since }: Clock): string {
  if (mode === "frozen") return since === null ? "frozen" : `frozen since ${clockTimeIn(since)}`
  if (mode === "real") return "real time"
  return `${span(Math.abs(offset))} ${mode}`
}

function WhatHappened({ move, onClose }: { readonly move: Move; readonly onClose: () => void }): JSX.Element {
  const { count, items } = move.happened
  return (
    <Dialog title={`It is ${clockTimeIn(move.reached)} now`} onClose={onClose}>
      <p class="quiet small">
        {count} {count === 1 ? "thing" : "things"} happened on the way
        {count > items.length ? `; the first ${items.length} are shown` : ""}.
        {move.status === "stopped" ? " It stopped at the limit of one move; move on from there." : ""}
      </p>
      <Table
        label="What happened"
        rows={items}
        keyOf={({ at, group, event }) => `${at} ${group} ${event}`}
        columns={[
          { name: inZone("At"), cell: ({ at }) => clockTime(at) },
          {
            name: "What",
            cell: ({ event, group, cause }) => (
              <span class="mono tiny">
                {cause === "timer" ? `after ${event}` : event}
                <span class="under">{group}</span>
              </span>
            ),
          },
          { name: "Outcome", cell: ({ outcome }) => outcome },
        ]}
      />
      <div class="actions">
        <Button look="primary" onPress={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}
