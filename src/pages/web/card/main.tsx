/** The card of a delivery in a chat: `ui://courier/delivery`. */

import "../design/design.css"
import "../components/map.css"
import "./card.css"
import { render } from "preact"
import type { FunctionComponent, JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { useDelivery } from "./delivery.ts"
import { DeclinedCard, DeliveredCard, EndedCard, HoldRanOutCard, RanOutCard, RefusedCard } from "./ended.tsx"
import { Chat } from "./frame.tsx"
import type { Shown } from "./frame.tsx"
import { HeldCard, NotPaidCard } from "./held.tsx"
import { QuoteCard } from "./quote.tsx"
import { kindOf, serviceMs, timesOf } from "./state.ts"
import type { CardKind } from "./state.ts"
import { DoorCard, WayCard } from "./way.tsx"

const CARDS: Readonly<Record<CardKind, FunctionComponent<Shown>>> = {
  declined: DeclinedCard,
  delivered: DeliveredCard,
  door: DoorCard,
  ended: EndedCard,
  held: HeldCard,
  "hold ran out": HoldRanOutCard,
  "not paid": NotPaidCard,
  quote: QuoteCard,
  "ran out": RanOutCard,
  refused: RefusedCard,
  way: WayCard,
}

function Card(): JSX.Element {
  const { known, browserMs, isAway, host } = useDelivery()
  if (known === null || known === "none")
    return (
      <main class="chat-card" aria-busy={known === null ? "true" : undefined}>
        <p class="quiet">
          {known === null ? "The answer is on its way …" : "There is nothing to show here."}
        </p>
      </main>
    )
  const nowMs = serviceMs(known, browserMs)
  const kind = kindOf(known, nowMs)
  return (
    <Chat.Provider value={host}>
      <Kind kind={kind} shown={{ ...known, nowMs, times: timesOf(known), isAway }} />
    </Chat.Provider>
  )
}

/** A change of the kind is spoken, and a focus that it took away goes to the card. */
function Kind({ kind, shown }: { readonly kind: CardKind; readonly shown: Shown }): JSX.Element {
  const place = useRef<HTMLElement>(null)
  const before = useRef(kind)
  const [spoken, setSpoken] = useState("")
  const hadFocus = place.current?.contains(document.activeElement) === true
  useEffect(() => {
    if (before.current === kind) return
    before.current = kind
    setSpoken(shown.envelope.user_message)
    if (hadFocus) place.current?.focus()
  }, [kind])
  const One = CARDS[kind]
  return (
    <main class="chat-card" ref={place} tabIndex={-1} data-kind={kind}>
      <p class="visually-hidden" role="status">
        {spoken}
      </p>
      <One key={kind} {...shown} />
    </main>
  )
}

const page = document.getElementById("page")
if (page !== null) render(<Card />, page)
