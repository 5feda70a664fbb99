/** "Run an errand": an agent in the browser orders at a made-up store of the sandbox, with its tool calls beside it. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { connectSnippets } from "../components/connect-snippets.ts"
import { Code } from "../design/code.tsx"
import { endOf } from "../followed-run.ts"
import { Action, CourseFault, asked, fieldsOf, useCourse } from "./action.tsx"
import { inWords } from "./course.ts"
import type { SentRequest } from "./course.ts"
import type { DemoKeys, StartData } from "./start-data.ts"
import { TestAgent } from "./test-agent.ts"
import type { ToolAnswer } from "./test-agent.ts"

/** For fiction, so that it is no one's. */
const PHONE = "+15125550188"
/** ms between two steps, long enough to read them. */
const STEP_MS = 1500
const HOUR_MS = 3_600_000
const CALLS = 3
const STEPS = CALLS + 8

interface ToolCall {
  readonly name: string
  readonly args: object
  readonly answer: ToolAnswer | null
}

interface Agents {
  readonly mcp_url: string
  readonly code: string
  readonly stores: readonly (Address & { readonly kind: string; readonly name: string })[]
}

interface Address {
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
}

interface TestErrand {
  readonly delivery_id: string
  readonly user_id: string
  readonly state: string
  readonly can_advance: boolean
}

export function ErrandAction({
  data,
  demo,
}: {
  readonly data: StartData
  readonly demo: DemoKeys
}): JSX.Element {
  const [calls, setCalls] = useState<readonly ToolCall[]>([])
  const [tracked, setTracked] = useState<string | null>(null)
  const [course, begin] = useCourse(async (show) => {
    setCalls([])
    setTracked(null)
    const { agents, userId, code } = await prepared(demo)
    await endLeft(demo, userId)
    const agent = new TestAgent({ phone: PHONE, code })
    let step = 0
    const call = async (name: string, given: object): Promise<ToolAnswer> => {
      const args = { ...given, idempotency_key: `start-${crypto.randomUUID()}` }
      setCalls((known) => [...known, { name, args, answer: null }])
      const answer = await agent.call(name, args)
      setCalls((known) => [...known.slice(0, -1), { name, args, answer }])
      if (answer.error !== undefined) throw new CourseFault(`${name}: ${answer.error.message}`)
      step += 1
      show({ words: inWords(answer.state ?? ""), step, steps: STEPS })
      return answer
    }
    const quoted = await quotedAtAnyHour(demo, async () => {
      step = 0
      return call("check_delivery", orderAt(agents))
    })
    const { delivery_id: id = "" } = quoted
    show({ id })
    await pause()
    await call("reserve_delivery", reserveOf(id, quoted))
    await pause()
    const booked = await call("confirm_delivery", confirmOf(id))
    if (booked.tracking_url !== undefined) setTracked(new URL(booked.tracking_url).pathname)
    for (let canAdvance = true; canAdvance;) {
      await pause()
      const { data: moved } = await asked(advanceOf(demo, id))
      const { errand } = moved as unknown as { readonly errand: TestErrand }
      step += 1
      canAdvance = errand.can_advance
      show({ words: inWords(errand.state), step, isOver: !canAdvance })
    }
  })
  const host = data.urls.sandbox
  return (
    <Action
      title="Run an errand"
      text="An agent links a test number, orders at a made-up store and pays with a test token; the vehicle goes on step by step. At night the demo's clock goes on to the morning first."
      button="Run an errand"
      icon="bot"
      course={course}
      onPress={begin}
      request={advanceOf(demo, course.id ?? "dlv_…")}
      base={host}
      links={tracked === null ? [] : [["Track", tracked]]}
      code={<Code text={textOf(calls, host)} label="the tool calls of: Run an errand" />}
    >
      <OwnAgent host={host} portal={data.portal} />
    </Action>
  )
}

/** How an agent of the reader connects. */
function OwnAgent({ host, portal }: { readonly host: string; readonly portal: string }): JSX.Element {
  return (
    <>
      <p class="small quiet">
        Your own agent: <code>npx curbline connect {host}</code>. The portal has numbers and more under{" "}
        <a href={`${portal}/agents`}>Agents</a>.
      </p>
      <details class="small">
        <summary>Settings of VS Code, Cursor, Claude Code and the Inspector</summary>
        {connectSnippets(host)
          .slice(1)
          .map(({ name, text }) => (
            <Code key={name} text={text} label={`the settings of ${name}`} />
          ))}
      </details>
    </>
  )
}

const pause = (): Promise<void> => new Promise((resolve) => void window.setTimeout(resolve, STEP_MS))

function textOf(calls: readonly ToolCall[], host: string): string {
  if (calls.length === 0)
    return `tools/call check_delivery, reserve_delivery, confirm_delivery\nat ${host}/api/delivery-mcp/mcp`
  return calls
    .map(({ name, args, answer }) => [`tools/call ${name}`, fieldsOf(args), answerOf(answer)].join("\n"))
    .join("\n\n")
}

function answerOf(answer: ToolAnswer | null): string {
  if (answer === null) return "…"
  const { state, decline_reason: reason, next_step: next } = answer
  return fieldsOf({ state, ...(reason === undefined ? {} : { decline_reason: reason }), next_step: next })
}

function keyed(demo: DemoKeys): SentRequest["headers"] {
  return { Authorization: `Bearer ${demo.api_key}` }
}

/** The demo's test number and its vehicle. */
interface Prepared {
  readonly agents: Agents
  readonly userId: string
  /** Of the test number. */
  readonly code: string
}

async function prepared(demo: DemoKeys): Promise<Prepared> {
  const headers = keyed(demo)
  const post = async (path: string, body: object) =>
    (await asked({ method: "POST", path: `/sandbox/v1/agents/${path}`, headers, body })).data
  const { number } = (await post("numbers", { phone: PHONE })) as unknown as {
    readonly number: { readonly code: string; readonly user_id: string }
  }
  await post("vehicle", { is_online: true })
  const { data: read } = await asked({ method: "GET", path: "/sandbox/v1/agents", headers })
  const { agents } = read as unknown as { readonly agents: Agents }
  return { agents, userId: number.user_id, code: number.code }
}

/** Errands that a reader of this page left before their end would keep the only vehicle. */
async function endLeft(demo: DemoKeys, userId: string): Promise<void> {
  const headers = keyed(demo)
  const { data: read } = await asked({ method: "GET", path: "/sandbox/v1/errands", headers })
  const { errands } = read as unknown as { readonly errands: readonly TestErrand[] }
  for (const { delivery_id: id } of errands.filter((one) => one.can_advance && one.user_id === userId)) {
    const path = `/sandbox/v1/errands/${id}/fail`
    await asked({ method: "POST", path, headers, body: { failure: "vehicle_lost" } })
  }
}

/** When the service is closed, the demo's clock goes on to an hour before the next pickup. */
async function quotedAtAnyHour(demo: DemoKeys, check: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
  const first = await check()
  if (first.state === "quoted") return first
  const { next_pickup_window: next, decline_reason: reason = "" } = first
  if (next === undefined) throw new CourseFault(`The errand is declined: ${inWords(reason)}.`)
  const headers = keyed(demo)
  const to = new Date(Date.parse(next.start) - HOUR_MS).toISOString()
  const begun = await asked({ method: "POST", path: "/sandbox/v1/clock/advance", headers, body: { to } })
  type Move = { readonly move: { readonly id: string; readonly status: string } }
  await endOf<Move>({
    started: begun.data as unknown as Move,
    isRunning: ({ move }) => move.status === "running",
    poll: async ({ move }) => {
      const read = await asked({ method: "GET", path: `/sandbox/v1/clock/moves/${move.id}`, headers })
      return read.data as unknown as Move
    },
  })
  const second = await check()
  if (second.state === "quoted") return second
  throw new CourseFault(`The errand is declined: ${inWords(second.decline_reason ?? "")}.`)
}

function orderAt({ stores }: Agents): object {
  const store = stores.find(({ kind }) => kind === "check_in")
  if (store === undefined) throw new CourseFault("The sandbox has no store.")
  const { name, street, city, state, zip } = store
  return {
    retailer_name: name,
    store_address: { street, city, state, zip },
    dropoff_address: { street: "1 River Road", city, state, zip, location: { lat: 30.41, lng: -97.72 } },
    requested_timing: { type: "asap" },
    pickup_methods_offered: ["curbside"],
  }
}

function reserveOf(id: string, { consent, terms }: ToolAnswer): object {
  return {
    delivery_id: id,
    customer: { first_name: "Ada", last_name: "Example" },
    contact: {},
    contact_consent: { granted: true, consent_version: consent?.version },
    terms_acknowledged: { accepted: true, terms_version: terms?.version },
    pickup_requirements_seen: [],
    payment: { shared_payment_token: "spt_ok" },
  }
}

function confirmOf(id: string): object {
  return {
    delivery_id: id,
    order_number: `order-${Date.now() % 1_000_000}`,
    items: [{ name: "Tomato soup", quantity: 1 }],
    confirmation_text: "Thank you!",
  }
}

function advanceOf(demo: DemoKeys, id: string): SentRequest {
  return { method: "POST", path: `/sandbox/v1/errands/${id}/advance`, headers: keyed(demo) }
}
