/** A delivery under way, and one at the door. */

import type { JSX } from "preact"
import { Icon } from "../design/icon.tsx"
import { Pill } from "../design/pill.tsx"
import { mapPicture } from "../../html/map/place-map.ts"
import type { MapPlace } from "../../html/map/place-map.ts"
import type { Place } from "../../../model/place.ts"
import type { CardData, TrackingStep } from "../../../model/requests/courier-card.ts"
import { CHANGES, STEP_WORDS, WORDS } from "../../../model/requests/tracking-words.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { Actions, Head, Numbered, isOfTest } from "./frame.tsx"
import type { Shown } from "./frame.tsx"
import { toldMs } from "./state.ts"
import { arrivalText, nameOf, titleOf } from "./words.ts"

/** From then on the age of what is shown is in amber. */
const OLD_MS = MINUTE_MS

export function WayCard(shown: Shown): JSX.Element {
  const { envelope, data, nowMs, times } = shown
  const { state = "confirmed", estimated_delivery_window: planned } = envelope
  const arrival =
    data?.arrival ??
    (planned === undefined ? null : { fromMs: Date.parse(planned.start), toMs: Date.parse(planned.end) })
  return (
    <>
      <Head title={titleOf(envelope)} isTest={isOfTest(shown)}>
        <Pill tone="move" icon="truck">
          {WORDS[state]}
        </Pill>
      </Head>
      {data?.map ? <WayMap map={data.map} vehicle={data.vehicle} store={nameOf(envelope)} /> : null}
      <h2 class="minutes">{arrival === null ? WORDS[state] : arrivalText(arrival, nowMs, times)}</h2>
      <p class="quiet">
        {arrival === null ? "" : `at your door ${times.range(arrival.fromMs, arrival.toMs)}, `}
        <Age {...shown} />
      </p>
      <Steps data={data} />
      <Change data={data} />
      <PageAction url={envelope.tracking_url} />
      <p class="card-note">This card tells when it is at the door.</p>
    </>
  )
}

function Age(shown: Shown): JSX.Element {
  const { nowMs, isAway } = shown
  const seconds = Math.max(0, Math.floor((nowMs - toldMs(shown)) / 1000))
  const text = seconds < 60 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ago`
  const isOld = isAway || seconds * 1000 >= OLD_MS
  return (
    <span class={isOld ? "wait strong" : "number"}>
      {isAway ? `no answer, told ${text}` : `told ${text}`}
    </span>
  )
}

/** px; the card has this width at most. */
const MAP_SIZE = { width: 384, height: 190 }

function WayMap({
  map: { store, door, vehicle, trail },
  vehicle: named,
  store: storeName,
}: {
  readonly map: NonNullable<CardData["map"]>
  readonly vehicle: CardData["vehicle"]
  readonly store: string
}): JSX.Element {
  const distance = vehicle === null ? null : distanceText(vehicle, door)
  const name = named?.label ?? "The vehicle"
  const places: readonly MapPlace[] = [
    { ...store, kind: "store", name: storeName },
    { ...door, kind: "door", name: "Your door" },
    ...(vehicle === null
      ? []
      : [{ ...vehicle, kind: "vehicle" as const, name: `${name}, ${distance ?? ""}` }]),
  ]
  const label =
    distance === null
      ? `The way from the store to your door: ${distanceText(store, door)}.`
      : `The way of your order: ${name} is ${distance} from your door.`
  const picture = mapPicture({ label, places, trail, size: MAP_SIZE })
  return (
    <figure class="place-map">
      <div dangerouslySetInnerHTML={{ __html: picture }} />
    </figure>
  )
}

const DEGREE_M = 111_320

/** In a straight line, such as `1.4 km`. */
function distanceText(one: Place, other: Place): string {
  const across = Math.cos((one.latitude * Math.PI) / 180) * (other.longitude - one.longitude)
  const metres = Math.hypot(other.latitude - one.latitude, across) * DEGREE_M
  return metres < 950 ? `${Math.max(10, Math.round(metres / 50) * 50)} m` : `${(metres / 1000).toFixed(1)} km`
}

function Steps({ data }: { readonly data: CardData | null }): JSX.Element | null {
  if (data === null) return null
  const now = data.steps.findLastIndex(({ atMs }) => atMs !== null)
  const stateOf = (at: number): "done" | "now" | "next" => (at < now ? "done" : at === now ? "now" : "next")
  return (
    <ol class="card-way">
      {data.steps.map(({ step }, at) => (
        <li key={step} class={stateOf(at)} aria-current={at === now ? "step" : undefined}>
          {stepName(step)}
          {at < now ? <span class="visually-hidden">, done</span> : null}
        </li>
      ))}
    </ol>
  )
}

function stepName(step: TrackingStep): string {
  return STEP_WORDS[step]
}

function Change({ data }: { readonly data: CardData | null }): JSX.Element | null {
  if (data === null || data.change === null) return null
  const { byMinutes, why } = data.change
  const minutes = Math.abs(byMinutes)
  return (
    <p class="change">
      <Icon name="clock" />
      <span>
        <strong>
          {minutes} min {byMinutes > 0 ? "later" : "earlier"} than first told.
        </strong>{" "}
        {why === null ? "" : CHANGES[why]}
      </span>
    </p>
  )
}

function PageAction({ url }: { readonly url: string | undefined }): JSX.Element | null {
  return url === undefined ? null : (
    <Actions actions={[{ name: "Whole page", look: "secondary", opens: url }]} />
  )
}

/** The compartment is opened on the tracking page alone: it asks for the last digits of the phone number. */
export function DoorCard(shown: Shown): JSX.Element {
  const { envelope, data, times } = shown
  const sinceMs = data?.steps.find(({ step }) => step === "at_the_door")?.atMs ?? null
  const vehicle = data?.vehicle ?? null
  const look = vehicle === null ? "" : `${vehicle.label}, small and ${vehicle.look}, `
  return (
    <>
      <Head title={titleOf(envelope)} isTest={isOfTest(shown)}>
        <Pill tone="wait" icon="timer">
          {sinceMs === null ? "Waits" : `Since ${times.time(sinceMs)}`}
        </Pill>
      </Head>
      <h2 class="minutes">{WORDS.arrived_at_customer}</h2>
      <p class="quiet">{look}at the curb</p>
      <Steps data={data} />
      <Numbered
        steps={[
          { name: "Stand beside it, then open it on its page." },
          { name: "Take everything out and close the lid." },
        ]}
      />
      {envelope.tracking_url === undefined ? null : (
        <Actions
          isTall
          actions={[{ name: "Open the compartment", icon: "key", opens: envelope.tracking_url }]}
        />
      )}
      <p class="card-note">The page opens outside of the chat and says how. It alone opens the vehicle.</p>
    </>
  )
}
