/** Real things to do with the demo's key: each with its request, its progress, and what came of it. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ButtonLink } from "../design/button.tsx"
import { Banner } from "../design/feedback.tsx"
import { demoNowMs, readDemoClock } from "../demo-clock.ts"
import { Action, ActionFrame, CourseFault, asked, useCourse } from "./action.tsx"
import { inWords, send } from "./course.ts"
import { ErrandAction } from "./errand.tsx"
import { base64url, challengeOf, freshVerifier } from "./pkce.ts"
import type { SentRequest } from "./course.ts"
import type { DemoKeys, StartData } from "./start-data.ts"

interface ActionsProps {
  readonly data: StartData
  readonly demo: DemoKeys
}

export function Actions({ data, demo }: ActionsProps): JSX.Element {
  const isSandbox = data.environment === "sandbox"
  const [aheadMs, setAheadMs] = useState(0)
  useEffect(() => {
    if (isSandbox) void readDemoClock(demo.api_key).then(setAheadMs)
  }, [isSandbox, demo.api_key])
  const minutes = Math.round(aheadMs / MINUTE_MS)
  return isSandbox ? (
    <>
      {minutes < 1 ? null : (
        <Banner tone="wait">
          The demo's clock is {minutes} min ahead of real time, so windows count from there.
        </Banner>
      )}
      <BookAction data={data} demo={demo} />
      <OrderAction data={data} demo={demo} />
      <ErrandAction data={data} demo={demo} />
      <PhoneAction data={data} demo={demo} />
      <LinkElsewhere data={data} />
    </>
  ) : (
    <>
      <OrderAction data={data} demo={demo} />
      <PhoneAction data={data} demo={demo} />
      <LinkAction data={data} demo={demo} />
    </>
  )
}

/** ms between two steps, long enough to read them. */
const STEP_MS = 1500
const MINUTE_MS = 60_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => void window.setTimeout(resolve, ms))

function bookingOf({ data, demo }: ActionsProps): SentRequest {
  const start = Math.ceil((demoNowMs() + 30 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS
  return {
    method: "POST",
    path: "/rs/v1/reservations",
    headers: { Authorization: `Bearer ${demo.api_key}` },
    body: {
      zone_id: demo.zone_id,
      retailer_id: demo.retailer_id,
      order_number: "1001",
      end_user_name: "Ada",
      end_user_phone: "+15125550100",
      arrival_window_start: new Date(start).toISOString(),
      arrival_window_end: new Date(start + 30 * MINUTE_MS).toISOString(),
      open_link_url: data.open_link_url,
    },
  }
}

const VISIT_STEPS = 9

function BookAction(props: ActionsProps): JSX.Element {
  const { data, demo } = props
  const [course, begin] = useCourse(async (show) => {
    await readDemoClock(demo.api_key)
    const { sent, data: made } = await asked(bookingOf(props))
    const { reservation } = made as {
      readonly reservation: { readonly reservation_id: string; readonly status: string }
    }
    const id = reservation.reservation_id
    show({ answer: sent, id, words: inWords(reservation.status), steps: VISIT_STEPS })
    for (let step = 1; step <= VISIT_STEPS; step += 1) {
      await pause(STEP_MS)
      const { data: moved } = await asked({
        method: "POST",
        path: `/rs/v1/reservations/${id}/advance`,
        headers: { Authorization: `Bearer ${demo.api_key}` },
      })
      const { step: name, reservation: now } = moved as {
        readonly step?: string | null
        readonly reservation?: { readonly status?: string }
      }
      const isOver = now?.status === "completed" || now?.status === "canceled"
      const isCanceled = now?.status === "canceled"
      show({ step, words: inWords(String(isOver ? now.status : (name ?? now?.status))), isOver, isCanceled })
      if (isOver) return
    }
  })
  return (
    <Action
      title="Book a reservation and walk it"
      text="A robot's arrival window at a stall, then nine steps to Completed."
      button="Book and walk"
      icon="play"
      isPrimary
      course={course}
      onPress={begin}
      request={bookingOf(props)}
      base={data.urls[data.environment]}
      links={course.id === null ? [] : [["Inspect", `/inspect/groups/reservation/${course.id}`]]}
    />
  )
}

function orderOf({ demo }: ActionsProps, id: string): SentRequest {
  return {
    method: "POST",
    path: "/dd/v1/deliveries/quote",
    headers: { Authorization: `Bearer ${demo.api_key}`, "x-retailer-id": demo.site_id },
    body: {
      external_delivery_id: id,
      customer: { phone: "+15125550100" },
      delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
      ready_by: new Date(demoNowMs() + 5 * MINUTE_MS).toISOString(),
      order_items: [{ name: "Milk", quantity: 1 }],
    },
  }
}

/** In production the played vehicles need some minutes; the page follows for this long. */
const FOLLOW_MS = 20 * MINUTE_MS
const DELIVERY_STEPS = 8
const OVER = ["COMPLETED", "CANCELLED"]

/** Deliveries of the sandbox that this page ordered and left before their end: they would keep the demo's only vehicle. */
const LEFT = "curbline-orders-left"

function ordersLeft(): readonly string[] {
  const kept = window.localStorage.getItem(LEFT)
  return kept === null || kept === "" ? [] : kept.split(" ")
}

function keepOrders(ids: readonly string[]): void {
  window.localStorage.setItem(LEFT, ids.join(" "))
}

/** Of the customer's page on this host; null without one. */
function trackingPathOf(made: Readonly<Record<string, unknown>>): string | null {
  const { tracking_url: url } = made
  return typeof url === "string" ? new URL(url).pathname : null
}

/** The picture of the customer's page, which the service writes; null while it has none. */
async function customersMap(path: string): Promise<string | null> {
  const answer = await fetch(path, { headers: { accept: "text/html" }, cache: "no-store" })
  if (!answer.ok) return null
  const page = new DOMParser().parseFromString(await answer.text(), "text/html")
  const shown = page.querySelectorAll("#map .place-map > :is(.map, .credit)")
  return shown.length === 0 ? null : [...shown].map(({ outerHTML }) => outerHTML).join("")
}

/** Where the delivery is followed. The path of the customer's page begins with its id. */
function linksOf({ has_inspector: hasInspector }: StartData, tracked: string | null) {
  if (tracked === null) return []
  const id = /^\/track\/([^.]+)\./.exec(tracked)?.[1]
  return [
    ["Track", tracked] as const,
    ...(hasInspector && id !== undefined ? [["Inspect", `/inspect/groups/delivery/${id}`] as const] : []),
  ]
}

/** Whatever the answer is: it may be over, or belong to an earlier database. */
async function cancelLeft(id: string, headers: SentRequest["headers"]): Promise<void> {
  const body = { status: "CANCELLED", reason: "left on the start page" }
  await send({ method: "PATCH", path: `/dd/v1/deliveries/${id}`, headers, body })
  keepOrders(ordersLeft().filter((one) => one !== id))
}

function OrderAction(props: ActionsProps): JSX.Element {
  const { data, demo } = props
  const [id, setId] = useState(() => `order-${Date.now() % 1_000_000}`)
  const [tracked, setTracked] = useState<string | null>(null)
  const [map, setMap] = useState<string | null>(null)
  const headers = { Authorization: `Bearer ${demo.api_key}`, "x-retailer-id": demo.site_id }
  const isSandbox = data.environment === "sandbox"
  const [course, begin] = useCourse(async (show) => {
    const fresh = `order-${Date.now() % 1_000_000}`
    setId(fresh)
    if (isSandbox) {
      await readDemoClock(demo.api_key)
      for (const left of ordersLeft()) await cancelLeft(left, headers)
    }
    const { sent } = await asked(orderOf(props, fresh))
    const path = `/dd/v1/deliveries/${fresh}`
    const body = { external_delivery_id: fresh }
    const { data: made } = await asked({ method: "POST", path: "/dd/v1/deliveries", headers, body })
    const track = trackingPathOf(made)
    setTracked(track)
    setMap(null)
    if (isSandbox) keepOrders([...ordersLeft(), fresh])
    show({ answer: sent, id: fresh, words: "Scheduled", steps: DELIVERY_STEPS })
    const seen = new Set<string>()
    const until = Date.now() + FOLLOW_MS
    while (Date.now() < until) {
      await pause(STEP_MS)
      const { data: now } = await asked(
        isSandbox ? { method: "POST", path: `${path}/advance`, headers } : { method: "GET", path, headers },
      )
      const status = String((now as { readonly status?: string }).status)
      seen.add(status)
      const isOver = OVER.includes(status)
      const isCanceled = status === "CANCELLED"
      show({ words: inWords(status), step: Math.min(seen.size, DELIVERY_STEPS), isOver, isCanceled })
      // After the end the customer's page has no map: the last one stays.
      const shown = track === null ? null : await customersMap(track)
      if (shown !== null) setMap(shown)
      if (isOver) return keepOrders(ordersLeft().filter((one) => one !== fresh))
    }
  })
  return (
    <Action
      title="Order a delivery and watch it drive"
      text="A quote, a delivery, then the synthetic vehicle goes on step by step."
      button="Order and watch"
      icon="play"
      isPrimary={!isSandbox}
      course={course}
      onPress={begin}
      request={orderOf(props, id)}
      base={data.urls[data.environment]}
      links={linksOf(data, tracked)}
      then='then POST /dd/v1/deliveries {"external_delivery_id": …}'
    >
      {map === null ? null : <div class="place-map" dangerouslySetInnerHTML={{ __html: map }} />}
    </Action>
  )
}

/** Pairs this browser as a runner's phone, as the board's code pairs a phone. */
function PhoneAction({ data, demo }: ActionsProps): JSX.Element {
  const pairing: SentRequest = {
    method: "POST",
    path: `/internal/v1/sites/${demo.site_id}/pairings`,
    headers: { Authorization: `Bearer ${demo.operator_token}` },
    body: { runner_name: "Maya R." },
  }
  const [course, begin] = useCourse(async (show) => {
    const { sent, data: made } = await asked(pairing)
    show({ answer: sent })
    window.location.assign((made as { readonly pairing: { readonly path: string } }).pairing.path)
  })
  return (
    <Action
      title="Open the runner's phone"
      text="Pairs this browser with the demo's site for a shift, and opens the page on which runners carry orders to bots. Book a reservation to have a task."
      button="Open the runner's phone"
      icon="smartphone"
      course={course}
      onPress={begin}
      request={pairing}
      base={data.urls[data.environment]}
      then="then the link of the answer, which works once"
    />
  )
}

function LinkElsewhere({ data }: { readonly data: StartData }): JSX.Element {
  return (
    <ActionFrame
      title="Link an agent"
      text="OAuth with a phone code, then couriers over MCP, on the production host."
    >
      <ButtonLink href={data.urls.production} icon="link">
        Go to the production host
      </ButtonLink>
    </ActionFrame>
  )
}

function LinkAction({ data, demo }: ActionsProps): JSX.Element {
  const [course, begin] = useCourse(async (show) => {
    const from = performance.now()
    const response = await fetch(registration.path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(registration.body),
    })
    const answer = (await response.json()) as {
      readonly client_id?: string
      readonly error_description?: string
    }
    if (answer.client_id === undefined)
      throw new CourseFault(answer.error_description ?? `answered ${response.status}`)
    const ms = Math.round(performance.now() - from)
    show({ answer: { status: response.status, ms, answer: { data: { client_id: answer.client_id } } } })
    window.location.assign(await phonePageOf(answer.client_id, demo))
  })
  const registration: SentRequest = {
    method: "POST",
    path: "/api/delivery-mcp/oauth/register",
    headers: {},
    body: { client_name: "Demo agent", redirect_uris: [demo.connector.redirect_uri] },
  }
  return (
    <Action
      title="Link an agent"
      text={`Registers a client and opens the phone page. Enter ${demo.connector.phone}; where nothing sends texts, the next page shows the code.`}
      button="Link an agent"
      icon="link"
      course={course}
      onPress={begin}
      request={registration}
      base={data.urls.production}
      then={`then the phone page; your own agent takes ${demo.connector.mcp_url}`}
    />
  )
}

/** The authorization page for a client, with a fresh PKCE challenge. */
async function phonePageOf(clientId: string, demo: DemoKeys): Promise<string> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: demo.connector.redirect_uri,
    code_challenge: await challengeOf(freshVerifier()),
    code_challenge_method: "S256",
    resource: demo.connector.issuer,
    scope: "courier:write",
    state: base64url(crypto.getRandomValues(new Uint8Array(12))),
  })
  return `/api/delivery-mcp/oauth/authorize?${query}`
}
