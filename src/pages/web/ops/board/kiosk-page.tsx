/** The board on a wall: trouble, stalls and counts in big type. No names of people, and no pairing codes. */

import type { JSX } from "preact"
import { BOARD_COLUMNS } from "../../../../model/requests/board.ts"
import { countdownOf } from "../../components/countdown.ts"
import { nextStep } from "../../next-steps.ts"
import { useChangedRights } from "../changed-rights.ts"
import { Icon } from "../../design/icon.tsx"
import { Skeleton } from "../../design/feedback.tsx"
import { KioskForecast } from "./forecast-strip.tsx"
import { LiveMark } from "./live-mark.tsx"
import { isRefusal, useBoard, useServiceTime } from "./live.ts"
import type { LiveBoard } from "./live.ts"
import { cardNowMs } from "./card-clock.ts"
import type { BoardRecord, CardRecord, VehicleRecord } from "./records.ts"
import { shownStall } from "./stalls.tsx"
import { clockTime } from "./times.ts"
import { useTitle } from "./title.ts"
import { COLUMN_WORDS, TROUBLE_WORDS, compartmentTrouble, orderWords, verdictOf } from "./words.ts"

/** Trouble beyond these is a number. */
const TROUBLES_SHOWN = 4

export function KioskPage({ siteId }: { readonly siteId: string }): JSX.Element {
  const live = useBoard(siteId)
  const { board } = live
  useTitle(board)
  useChangedRights()
  if (board === null) {
    return (
      <main class="kiosk" id="content">
        <h1>{titleWithout(live.fault)}</h1>
        {live.fault === null ? <Skeleton lines={6} /> : <p>The page tries again.</p>}
      </main>
    )
  }
  return <Kiosk live={live} board={board} />
}

function titleWithout(fault: unknown): string {
  if (fault === null) return "Reading the site"
  return isRefusal(fault) ? "This page may not show the site" : "The site cannot be read"
}

function Kiosk({ live, board }: { readonly live: LiveBoard; readonly board: BoardRecord }): JSX.Element {
  const nowMs = useServiceTime(live.aheadMs)
  const { help, risk, rest } = verdictOf(board)
  const troubles = [
    ...board.vehicles.flatMap((vehicle) => atTheDoor(vehicle, board, nowMs) ?? []),
    ...board.reservations.flatMap((card) =>
      card.column === "trouble" ? [ofCard(card, cardNowMs(card, board, nowMs))] : [],
    ),
  ]
  const stalls = board.zones.flatMap(({ stalls: all }) => all)
  return (
    <main class={`kiosk${live.connection === "lost" ? " stale" : ""}`} id="content" tabIndex={-1}>
      <header>
        <div>
          <p class="site">{board.name}</p>
          <h1>{(help ?? risk ?? rest ?? "").replace(/\.$/, "")}</h1>
        </div>
        <div class="end">
          <p class="kiosk-clock">{clockTime(nowMs, board.timezone)}</p>
          <LiveMark live={live} nowMs={nowMs} timezone={board.timezone} />
        </div>
      </header>
      <div class={`rule${troubles.length > 0 ? " bad-rule" : risk === null ? "" : " risk-rule"}`} />
      {troubles.length === 0 ? null : (
        <ul class="troubles" aria-label="Needs help">
          {troubles.slice(0, TROUBLES_SHOWN).map(({ key, ...trouble }) => (
            <Trouble key={key} {...trouble} />
          ))}
          {troubles.length > TROUBLES_SHOWN ? (
            <li class="more">{troubles.length - TROUBLES_SHOWN} more need help</li>
          ) : null}
        </ul>
      )}
      <ul class="kiosk-stalls" aria-label="Stalls">
        {stalls.map((stall) => {
          const { label, icon, word, figure, spoken, under } = shownStall(stall, { board, nowMs })
          return (
            <li key={stall.stall_id} class={`stall ${stall.is_active ? stall.state : "closed"}`}>
              <span class="twin">
                <strong class="label">{label}</strong>
                <span class="figure" aria-hidden="true">
                  {figure}
                </span>
              </span>
              <span class="word">
                <Icon name={icon} isLarge /> {word}
                <span class="visually-hidden"> {spoken}</span>
              </span>
              <span class="under">{under}</span>
            </li>
          )
        })}
      </ul>
      <div class="kiosk-foot">
        <ul class="kiosk-counts" aria-label="Open reservations">
          {BOARD_COLUMNS.filter((column) => column !== "trouble").map((column) => (
            <li key={column}>
              <strong>{board.reservations.filter((card) => card.column === column).length}</strong>{" "}
              {COLUMN_WORDS[column]}
            </li>
          ))}
        </ul>
        <KioskForecast board={board} nowMs={nowMs} />
      </div>
    </main>
  )
}

interface TroubleProps {
  readonly where: string
  readonly what: string
  readonly about: string
  readonly time: string
  /** What `time` counts: `late`, `left` or `at the door`. */
  readonly timeLabel: string
}

interface KeyedTrouble extends TroubleProps {
  readonly key: string
}

function ofCard(card: CardRecord, nowMs: number): KeyedTrouble {
  const { text } = countdownOf(Date.parse(card.breach_at) - nowMs)
  const isLate = card.is_late || Date.parse(card.breach_at) < nowMs
  return {
    key: card.reservation_id,
    where: card.stall_label || card.stall_id,
    what: card.trouble === null ? "Needs help" : TROUBLE_WORDS[card.trouble],
    about: [[orderWords(card), card.bot_label].filter(Boolean).join(", "), nextStep(card.trouble)]
      .filter(Boolean)
      .join(". "),
    time: text,
    timeLabel: isLate ? "late" : "left",
  }
}

/** A customer stands before a vehicle that does not open. Null where none does. */
function atTheDoor(
  { vehicle_id: id, label, run }: VehicleRecord,
  board: BoardRecord,
  nowMs: number,
): KeyedTrouble | null {
  const what = compartmentTrouble(run)
  if (run === null || what === null) return null
  return {
    key: id,
    where: label,
    what,
    about: run.external_delivery_id,
    time: countdownOf(cardNowMs(run, board, nowMs) - Date.parse(run.since)).text,
    timeLabel: "at the door",
  }
}

function Trouble({ where, what, about, time, timeLabel }: TroubleProps): JSX.Element {
  return (
    <li class="trouble-line">
      <strong class="where">{where}</strong>
      <span class="what">
        <strong>{what}</strong>
        <span>{about}</span>
      </span>
      <span class="how-late">
        <strong>{time}</strong>
        <span>{timeLabel}</span>
      </span>
    </li>
  )
}
