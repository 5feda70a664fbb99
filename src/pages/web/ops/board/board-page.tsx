/** The board of a site: what needs help, the stalls as they lie, open reservations by state, vehicles, and a drawer for one thing. */

import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { asFault } from "../../faults.ts"
import { Button, ButtonLink } from "../../design/button.tsx"
import { Banner, Failure, Skeleton } from "../../design/feedback.tsx"
import { may, mayCall } from "../session.ts"
import { Columns } from "./columns.tsx"
import { BoardDrawer } from "./drawer.tsx"
import { EndpointsNote } from "./endpoints-note.tsx"
import { ForecastStrip } from "./forecast-strip.tsx"
import { LiveMark } from "./live-mark.tsx"
import { isRefusal, useBoard, useServiceTime } from "./live.ts"
import type { LiveBoard } from "./live.ts"
import { PairPhone } from "./pair-phone.tsx"
import { useOpened } from "./place.ts"
import type { Opened } from "./place.ts"
import type { BoardRecord } from "./records.ts"
import { Stalls } from "./stalls.tsx"
import { clockTime, dayOf, zoneName } from "./times.ts"
import { useTitle } from "./title.ts"
import { Vehicles } from "./vehicles.tsx"
import { numberWord, sentenceOf } from "./words.ts"

export function BoardPage({ siteId }: { readonly siteId: string }): JSX.Element {
  const live = useBoard(siteId)
  const { board, fault, reload } = live
  useTitle(board)
  if (board !== null) return <Board live={live} board={board} />
  return (
    <>
      <h1 class="visually-hidden">Site</h1>
      {fault === null ? (
        <Skeleton lines={8} />
      ) : (
        <Failure
          title={
            isRefusal(fault) ? "There is no such site, or you may not see it" : "The site could not be read"
          }
          failure={asFault(fault)}
          action={<Button onPress={reload}>Try again</Button>}
        />
      )}
    </>
  )
}

function Board({ live, board }: { readonly live: LiveBoard; readonly board: BoardRecord }): JSX.Element {
  const nowMs = useServiceTime(live.aheadMs)
  const [opened, open] = useOpened()
  const [isPairing, setPairing] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  useFocusBack(box, opened)
  const idOf = (kind: Opened["kind"]): string | null => (opened?.kind === kind ? opened.id : null)
  const shown = { board, nowMs }
  const reservations = {
    ...shown,
    selected: idOf("reservation"),
    onOpen: (id: string) => open({ kind: "reservation", id }),
  }
  const run = board.vehicles.find((vehicle) => vehicle.run?.delivery_id === idOf("delivery"))
  const isLost = live.connection === "lost"
  return (
    <div class={`board-frame${opened === null ? "" : " has-drawer"}`}>
      <div ref={box} class={`board${isLost ? " stale" : ""}`}>
        <BoardHead board={board} live={live} nowMs={nowMs} onPair={() => setPairing(true)} />
        {board.is_complete ? null : (
          <Banner tone="wait">This site has more than a board can show. The most urgent come first.</Banner>
        )}
        <EndpointsNote siteId={board.site_id} />
        <ForecastStrip {...shown} />
        <Stalls {...reservations} />
        <Columns {...reservations} />
        <Vehicles
          {...shown}
          selected={idOf("vehicle") ?? run?.vehicle_id ?? null}
          onOpen={(id) => open({ kind: "vehicle", id })}
        />
      </div>
      {opened === null ? null : (
        <BoardDrawer
          key={`${opened.kind}/${opened.id}`}
          {...shown}
          opened={opened}
          onOpen={open}
          onClose={() => open(null)}
          onChanged={live.reload}
        />
      )}
      {isPairing ? <PairPhone board={board} nowMs={nowMs} onClose={() => setPairing(false)} /> : null}
    </div>
  )
}

interface BoardHeadProps {
  readonly board: BoardRecord
  readonly live: LiveBoard
  readonly nowMs: number
  readonly onPair: () => void
}

function BoardHead({ board, live, nowMs, onPair }: BoardHeadProps): JSX.Element {
  const { name, timezone, runners_count: runners } = board
  return (
    <header class="board-head">
      <div class="grow">
        <h1>{sentenceOf(board)}</h1>
        <p class="lead">
          {name}, <span class="wide-only">{dayOf(nowMs, timezone)}, </span>
          {clockTime(nowMs, timezone)} {zoneName(nowMs, timezone)}.{" "}
          {runners === 0
            ? "No runner is"
            : runners === 1
              ? "One runner is"
              : `${numberWord(runners)} runners are`}{" "}
          on the shift.
        </p>
      </div>
      <LiveMark live={live} nowMs={nowMs} timezone={timezone} />
      <div class="row">
        {may("dispatcher") ? (
          <Button icon="qr-code" onPress={onPair}>
            Pair a phone
          </Button>
        ) : null}
        {mayCall("readSiteDay") ? (
          <ButtonLink icon="clock" href={`/ops/sites/${encodeURIComponent(board.site_id)}/replay`}>
            Rewind today
          </ButtonLink>
        ) : null}
        <ButtonLink icon="tv" href={`/ops/sites/${encodeURIComponent(board.site_id)}/kiosk`}>
          Kiosk
        </ButtonLink>
      </div>
    </header>
  )
}

/**
 * The focus goes back to what opened the drawer. What was pressed may have moved to another column meanwhile, so it is found again by
 * what it opens.
 */
function useFocusBack(box: { readonly current: HTMLElement | null }, opened: Opened | null): void {
  const before = useRef<Opened | null>(null)
  useEffect(() => {
    const last = before.current
    before.current = opened
    if (opened !== null || last === null) return
    const timer = window.setTimeout(() => {
      const { activeElement } = document
      if (activeElement !== null && activeElement !== document.body) return
      box.current?.querySelector<HTMLElement>(`[data-opens="${CSS.escape(last.id)}"]`)?.focus()
    })
    return () => window.clearTimeout(timer)
  }, [opened])
}
