/** The stalls as they lie: the counters above, the curb below, and who is on the way in the street. */

import type { JSX } from "preact"
import { countdownOf } from "../../components/countdown.ts"
import { Icon } from "../../design/icon.tsx"
import { cardNowMs } from "./card-clock.ts"
import type { BoardRecord, CardRecord, StallRecord } from "./records.ts"
import { dayClock } from "./times.ts"
import { STALL_WORDS, countsOf, orderWords } from "./words.ts"

interface StallsProps {
  readonly board: BoardRecord
  readonly nowMs: number
  readonly selected: string | null
  readonly onOpen: (reservationId: string) => void
}

/** A short zone beside a long one lies around the corner. */
const CORNER_STALLS_MAX = 4

export function Stalls(props: StallsProps): JSX.Element {
  const { board } = props
  const zones = board.zones.filter(({ stalls }) => stalls.length > 0)
  const [first, second] = zones
  const isCorner =
    zones.length === 2 &&
    first !== undefined &&
    second !== undefined &&
    second.stalls.length <= CORNER_STALLS_MAX &&
    first.stalls.length > second.stalls.length
  return (
    <section class="place" aria-labelledby="stalls-title">
      <h2 id="stalls-title" class="phone-only">
        Stalls <span class="count">{countsOf(zones.flatMap(({ stalls }) => stalls))}</span>
      </h2>
      <div class={`zones${isCorner ? " corner" : ""}`}>
        {zones.map((zone, at) => (
          <div key={zone.zone_id} class={`zone${isCorner && at === 1 ? " upright" : ""}`}>
            {at === 0 ? <Counters board={board} /> : null}
            <ul class="stalls" aria-label={`Stalls of ${zone.name}`}>
              {zone.stalls.map((stall) => (
                <Stall key={stall.stall_id} stall={stall} {...props} />
              ))}
            </ul>
            <p class="curb">
              <span>{zone.name}</span>
              <span>{countsOf(zone.stalls)}</span>
            </p>
            {at === 0 ? <OnTheWay {...props} /> : null}
          </div>
        ))}
      </div>
    </section>
  )
}

function Counters({ board }: { readonly board: BoardRecord }): JSX.Element | null {
  if (board.counters.length === 0) return null
  return (
    <ul class="counters" aria-label="Counters">
      {board.counters.map(({ retailer_id, name }) => (
        <li key={retailer_id}>
          <Icon name="store" /> {name}
        </li>
      ))}
    </ul>
  )
}

export interface ShownStall {
  readonly label: string
  readonly icon: keyof typeof ICON_OF
  readonly word: string
  /** The large figure. */
  readonly figure: string
  /** For a screen reader. */
  readonly spoken: string
  readonly under: string
}

const ICON_OF = {
  ban: "ban",
  "circle-dashed": "circle-dashed",
  clock: "clock",
  parking: "parking",
  "triangle-alert": "triangle-alert",
} as const

/** The words of a stall, for the board and the kiosk. */
export function shownStall(
  stall: StallRecord,
  { board, nowMs: serviceMs }: { readonly board: BoardRecord; readonly nowMs: number },
): ShownStall {
  const { stall_id, state, at, is_active } = stall
  const label = stall.label || stall_id
  const card = board.reservations.find(({ reservation_id }) => reservation_id === stall.reservation_id)
  const nowMs = card === undefined ? serviceMs : cardNowMs(card, board, serviceMs)
  const nothing = { label, figure: "—", spoken: "" }
  if (state === "free" || at === null) {
    const until = at === null ? "nothing booked" : `until ${dayClock(at, board.timezone, nowMs)}`
    return is_active
      ? { ...nothing, icon: "circle-dashed", word: STALL_WORDS.free.text, under: until }
      : {
          ...nothing,
          icon: "ban",
          word: "Closed",
          under: at === null ? "not booked" : `booked from ${dayClock(at, board.timezone, nowMs)}`,
        }
  }
  const { text, spoken } = countdownOf(Date.parse(at) - nowMs)
  const isOverdue = state === "due" && Date.parse(at) < nowMs
  const word = isOverdue ? "Due since" : STALL_WORDS[state].text
  const icon = STALL_WORDS[state].icon as ShownStall["icon"]
  return { label, icon, word, figure: text, spoken, under: card === undefined ? "" : underOf(card, state) }
}

/** A bot that stands there by its label, an expected one by its order. */
function underOf(card: CardRecord, state: StallRecord["state"]): string {
  if (state === "due" || !card.bot_label) return orderWords(card)
  return card.bot_label
}

function Stall({
  stall,
  selected,
  onOpen,
  ...shown
}: StallsProps & { readonly stall: StallRecord }): JSX.Element {
  const { label, icon, word, figure, spoken, under } = shownStall(stall, shown)
  const { reservation_id: id, state } = stall
  const content = (
    <>
      <span class="twin">
        <strong class="label">{label}</strong>
        <span class="figure" aria-hidden="true">
          {figure}
        </span>
      </span>
      <span class="word">
        <Icon name={icon} /> {word}
        {spoken === "" ? null : <span class="visually-hidden"> {spoken}</span>}
      </span>
      <span class="under">{under}</span>
    </>
  )
  const look = `stall ${stall.is_active ? state : "closed"}${id !== null && id === selected ? " selected" : ""}`
  return (
    <li>
      {id === null ? (
        <div class={look}>{content}</div>
      ) : (
        <button
          type="button"
          class={look}
          aria-pressed={id === selected}
          data-opens={id}
          onClick={() => onOpen(id)}
        >
          {content}
        </button>
      )}
    </li>
  )
}

const SHOWN_ON_THE_WAY = 4

function OnTheWay({ board, nowMs, onOpen }: StallsProps): JSX.Element | null {
  const leftMs = (card: CardRecord): number => Date.parse(card.due_at) - cardNowMs(card, board, nowMs)
  const coming = board.reservations.filter((card) => card.bot_status === "INBOUND" && leftMs(card) > 0)
  if (coming.length === 0) return null
  const soon = coming.toSorted((one, other) => leftMs(one) - leftMs(other))
  return (
    <p class="on-the-way">
      <span class="faint">← On the way</span>
      {soon.slice(0, SHOWN_ON_THE_WAY).map((card) => (
        <button
          key={card.reservation_id}
          type="button"
          class="plain"
          onClick={() => onOpen(card.reservation_id)}
        >
          <strong>{card.bot_label || orderWords(card)}</strong> to {card.stall_label || card.stall_id},{" "}
          {Math.max(1, Math.round(leftMs(card) / 60_000))} min
        </button>
      ))}
      {soon.length > SHOWN_ON_THE_WAY ? (
        <span class="faint">{soon.length - SHOWN_ON_THE_WAY} more</span>
      ) : null}
    </p>
  )
}
