/** The price with its terms, and the choice of a pickup time. */

import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Pill } from "../design/pill.tsx"
import { COURIER_HOLD_MS, PICKUP_WINDOW_MS } from "../../../model/values/limits.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { Actions, Clock, Head, Rows, isOfTest } from "./frame.tsx"
import type { Shown } from "./frame.tsx"
import { SAYS, acceptance, nameOf, priceOf } from "./words.ts"
import type { Accepted } from "./words.ts"

type PickupWindow = NonNullable<Shown["envelope"]["pickup_windows"]>[number]

export function QuoteCard(shown: Shown): JSX.Element {
  const { pickup_windows: windows = [] } = shown.envelope
  const [start, setStart] = useState<string | null>(null)
  const [isChoosing, setChoosing] = useState(false)
  const hasChosen = useRef(false)
  // A window that has passed is not offered any more.
  const chosen = windows.find((window) => window.start === start) ?? windows[0]
  if (isChoosing && chosen !== undefined)
    return (
      <Windows
        {...shown}
        windows={windows}
        chosen={chosen}
        onChoose={setStart}
        onTake={() => {
          hasChosen.current = true
          setChoosing(false)
        }}
      />
    )
  const other = chosen === undefined || chosen === windows[0] ? null : chosen
  return (
    <Quote
      {...shown}
      chosen={chosen}
      other={other}
      isFocused={hasChosen.current}
      onChange={windows.length > 1 ? () => setChoosing(true) : null}
    />
  )
}

interface QuoteProps extends Shown {
  readonly chosen: PickupWindow | undefined
  /** The chosen one, if it is not the best. */
  readonly other: PickupWindow | null
  /** The focus comes back from the choice. */
  readonly isFocused: boolean
  /** Null when there is no choice. */
  readonly onChange: (() => void) | null
}

function Quote(props: QuoteProps): JSX.Element {
  const { envelope, data, nowMs, times, chosen, other, isFocused, onChange } = props
  const { dropoff, quote_expires_at: until } = envelope
  const change = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isFocused) change.current?.focus()
  }, [isFocused])
  const door = chosen === undefined ? null : doorText(chosen, data?.doorAfterMs ?? null, times)
  const leaves = chosen === undefined ? null : times.range(Date.parse(chosen.start), Date.parse(chosen.end))
  return (
    <>
      <Head title={`Delivery from ${nameOf(envelope)}`} isTest={isOfTest({ data })}>
        {until === undefined ? null : <Clock leftMs={Date.parse(until) - nowMs} before="holds " />}
      </Head>
      <p class="price">
        <strong>{priceOf(envelope)}</strong> for the delivery, apart from your order
      </p>
      <Rows
        rows={[
          ...(leaves === null
            ? []
            : ([
                [
                  "Leaves the store",
                  <>
                    {leaves}
                    {onChange === null ? null : (
                      <button ref={change} type="button" class="inline" onClick={onChange}>
                        Other times
                      </button>
                    )}
                  </>,
                ],
              ] as const)),
          ...(door === null ? [] : ([["At your door", `about ${door}`]] as const)),
          ...(dropoff === undefined ? [] : ([["To", addressOf(dropoff)]] as const)),
        ]}
      />
      {dropoff?.is_approximate === true ? (
        <p class="small wait">Only the street or the area of this address is known to the vehicle.</p>
      ) : null}
      <Acceptance envelope={envelope} window={other} />
    </>
  )
}

/** Terms and consent in full, and two boxes that begin empty. */
function Acceptance({ envelope, window }: Accepted): JSX.Element {
  const { delivery_id: id = "", terms, consent } = envelope
  const [hasTerms, setTerms] = useState(false)
  const [hasConsent, setConsent] = useState(false)
  const boxes = useRef<HTMLDivElement>(null)
  const waitsFor = hasTerms && hasConsent ? null : "Tick both boxes to hold a vehicle."
  return (
    <>
      <p class="terms">{terms?.text}</p>
      <div class="card-boxes" ref={boxes}>
        <label>
          <input type="checkbox" checked={hasTerms} onChange={() => setTerms(!hasTerms)} />
          <span>I accept these delivery terms, version {terms?.version}.</span>
        </label>
        <label>
          <input type="checkbox" checked={hasConsent} onChange={() => setConsent(!hasConsent)} />
          <span>I agree. {consent?.text}</span>
        </label>
      </div>
      <Actions
        actions={[
          {
            name: "Hold a vehicle",
            says: acceptance({ envelope, window }),
            waitsFor,
            onRefused: () => boxes.current?.querySelector<HTMLElement>("input:not(:checked)")?.focus(),
          },
          { name: "Not now", look: "quiet", says: SAYS.notNow(id) },
        ]}
      />
      <p class="card-note">
        {waitsFor ?? `Holds a vehicle for ${COURIER_HOLD_MS / MINUTE_MS} min. Nothing is charged yet.`}
      </p>
    </>
  )
}

function addressOf({ street, unit }: NonNullable<Shown["envelope"]["dropoff"]>): string {
  return unit === undefined ? street : `${street}, ${unit}`
}

/** When a vehicle that leaves in the window is at the door; null when the way is not known. */
function doorText({ start }: PickupWindow, afterMs: number | null, times: Shown["times"]): string | null {
  if (afterMs === null) return null
  const fromMs = Date.parse(start) + afterMs
  return times.range(fromMs, fromMs + PICKUP_WINDOW_MS)
}

interface WindowsProps extends Shown {
  readonly windows: readonly PickupWindow[]
  readonly chosen: PickupWindow
  readonly onChoose: (start: string) => void
  readonly onTake: () => void
}

function Windows(props: WindowsProps): JSX.Element {
  const { envelope, data, times, windows, chosen, onChoose, onTake } = props
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const rangeOf = ({ start, end }: PickupWindow): string => times.range(Date.parse(start), Date.parse(end))
  return (
    <>
      <Head title={`Pickup at ${nameOf(envelope)}`} isTest={isOfTest({ data })} />
      <fieldset class="card-windows">
        <legend class="visually-hidden">When it leaves the store</legend>
        {windows.map((window, at) => {
          const door = doorText(window, data?.doorAfterMs ?? null, times)
          return (
            <label key={window.start}>
              <input
                ref={window === chosen ? first : null}
                type="radio"
                name="window"
                checked={window === chosen}
                onChange={() => onChoose(window.start)}
              />
              <span class="grow">
                <span class="strong">{rangeOf(window)}</span>
                {door === null ? null : <span class="small quiet">at your door {door}</span>}
              </span>
              {at === 0 ? (
                <Pill tone="ok" icon="check">
                  Best
                </Pill>
              ) : null}
            </label>
          )
        })}
      </fieldset>
      <div class="card-actions">
        <button type="button" class="button primary" onClick={onTake}>
          Take {rangeOf(chosen)}
        </button>
      </div>
      {chosen.slot_id === undefined ? null : (
        <p class="card-note">The store has a slot of its own for it. The agent selects it at the checkout.</p>
      )}
    </>
  )
}
