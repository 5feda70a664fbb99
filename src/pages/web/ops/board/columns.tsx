/** Open reservations in columns by their state; what needs help comes last, and first on a phone. */

import type { JSX } from "preact"
import { useRef } from "preact/hooks"
import { BOARD_COLUMNS } from "../../../../model/requests/board.ts"
import type { BoardColumn } from "../../../../model/requests/board.ts"
import { countdownOf } from "../../components/countdown.ts"
import { cardNowMs } from "./card-clock.ts"
import type { BoardRecord, CardRecord } from "./records.ts"
import { useChanged } from "./changed.ts"
import { dayClock } from "./times.ts"
import { COLUMN_WORDS, botName, standingWords } from "./words.ts"

interface ColumnsProps {
  readonly board: BoardRecord
  readonly nowMs: number
  readonly selected: string | null
  readonly onOpen: (reservationId: string) => void
}

export function Columns(props: ColumnsProps): JSX.Element {
  return (
    <div class="columns">
      {BOARD_COLUMNS.map((column) => (
        <Column key={column} column={column} {...props} />
      ))}
    </div>
  )
}

function Column({ column, ...props }: ColumnsProps & { readonly column: BoardColumn }): JSX.Element {
  const box = useRef<HTMLElement>(null)
  const { board } = props
  const cards = useSteady(
    board.reservations.filter((card) => card.column === column),
    box,
  )
  return (
    <section ref={box} class={`board-column ${column}`} aria-labelledby={`column-${column}`}>
      <h2 id={`column-${column}`}>
        {COLUMN_WORDS[column]} <span class="count">{cards.length}</span>
      </h2>
      <ul>
        {cards.map((card) => (
          <Card key={card.reservation_id} card={card} {...props} />
        ))}
      </ul>
    </section>
  )
}

function Card({
  card,
  board,
  nowMs: serviceMs,
  selected,
  onOpen,
}: ColumnsProps & { readonly card: CardRecord }): JSX.Element {
  const nowMs = cardNowMs(card, board, serviceMs)
  const { reservation_id: id, breach_at, is_late, handoff_status, column } = card
  const { text, spoken } = countdownOf(Date.parse(breach_at) - nowMs)
  const isLate = is_late || Date.parse(breach_at) < nowMs
  const isLoaded = handoff_status === "LOADED"
  const changed = useChanged(card.revision)
  return (
    <li>
      <button
        type="button"
        class={`card-row${id === selected ? " selected" : ""}${changed}`}
        aria-pressed={id === selected}
        data-opens={id}
        onClick={() => onOpen(id)}
      >
        <span class="twin">
          <strong>{card.order_number}</strong>
          {isLoaded ? (
            <strong class="figure">loaded</strong>
          ) : (
            <strong class={`figure${isLate ? " late" : ""}`}>
              <span aria-hidden="true">{text}</span>
              <span class="visually-hidden">
                , {spoken} {isLate ? "late" : "left"},
              </span>
            </strong>
          )}
        </span>
        <span class="twin second">
          <span>
            {card.stall_label || card.stall_id} · {botName(card)}
          </span>
          <span class="number">
            {isLate ? <span class="phone-only">late, </span> : null}
            {dayClock(breach_at, board.timezone, nowMs)}
          </span>
        </span>
        <span class={column === "trouble" ? "said trouble" : card.risk === null ? "said" : "said risk"}>
          {standingWords(card, board.timezone, nowMs)}
        </span>
      </button>
    </li>
  )
}

/** Keeps the order while a pointer or the focus is in the column, so that nothing moves under it. */
function useSteady(
  cards: readonly CardRecord[],
  box: { readonly current: HTMLElement | null },
): readonly CardRecord[] {
  const shown = useRef<readonly string[]>([])
  const isHeld = box.current?.matches(":hover, :focus-within") === true
  const known = isHeld ? shown.current : []
  const placeOf = ({ reservation_id: id }: CardRecord): number => {
    const place = known.indexOf(id)
    return place === -1 ? known.length : place
  }
  const steady = cards.toSorted((one, other) => placeOf(one) - placeOf(other))
  shown.current = steady.map(({ reservation_id }) => reservation_id)
  return steady
}
