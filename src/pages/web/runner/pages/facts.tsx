/** What a runner must know of a task in its present step. */

import type { ComponentChildren, JSX } from "preact"
import type { PhoneTask } from "../../../../model/requests/runner-app.ts"
import { Pill } from "../../design/pill.tsx"
import { isEnded } from "../standing.ts"
import type { Standing } from "../standing.ts"
import { clockTime } from "../times.ts"
import { nextStep } from "../../next-steps.ts"
import { STEP_OF, botName, botWords, counterWords, limitWords, stateWords } from "../words.ts"

interface FactsProps {
  readonly task: PhoneTask
  readonly standing: Standing
  /** When the facts were read, if there is no network. */
  readonly asOf: string | null
  readonly onMeasure: () => void
}

/** From here on the order is in hand. */
const IN_HAND = 2

export function Facts({ task, standing, asOf, onMeasure }: FactsProps): JSX.Element {
  const isCarried = STEP_OF[standing.status ?? "QUEUED"] >= IN_HAND
  const isOpen = !isEnded(standing)
  const estimate = task.handoff?.ready_estimate ?? null
  return (
    <>
      {isCarried ? null : <Counter task={task} />}
      <dl class="known">
        {isCarried && isOpen ? <Now task={task} standing={standing} /> : null}
        {standing.status === "HELD" ? (
          <Fact name="Order">
            <b>Not ready yet</b>
            {estimate === null ? null : <span>expected {clockTime(estimate)}</span>}
          </Fact>
        ) : null}
        <Bot task={task} asOf={asOf} />
        {isCarried ? null : <Limit task={task} standing={standing} onMeasure={onMeasure} />}
        <Fact name="Window">
          <b>
            {clockTime(task.arrival_window_start)} to {clockTime(task.arrival_window_end)}
          </b>
        </Fact>
        {asOf !== null && isCarried && isOpen ? (
          <Fact name="Then">
            <span>The bot opens only with network.</span>
          </Fact>
        ) : null}
      </dl>
    </>
  )
}

function Fact({
  name,
  end,
  children,
}: {
  readonly name: string
  readonly end?: ComponentChildren
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {end === undefined || end === null ? null : <dd class="end">{end}</dd>}
    </div>
  )
}

function Counter({ task }: { readonly task: PhoneTask }): JSX.Element {
  const { retailer_name: store, pickup_requirements: requirements } = task
  return (
    <section class="say">
      <h2>Say at the counter{store === null ? "" : ` of ${store}`}</h2>
      <p>{counterWords(task)}</p>
      {requirements ? <p class="small">{requirements}</p> : null}
    </section>
  )
}

function Now({ task, standing }: Pick<FactsProps, "standing" | "task">): JSX.Element {
  const { order_number: order, retailer_name: store, stall_label: stall } = task
  const isCarrying = standing.status === "RETRIEVED"
  return (
    <Fact name="Now">
      <b>
        {isCarrying
          ? `Carry order ${order} to stall ${stall || "–"}`
          : stateWords(task, standing.status).text}
      </b>
      <span>{nextStep(task.open_exceptions.at(-1) ?? null) ?? (store === null ? "" : `from ${store}`)}</span>
    </Fact>
  )
}

function Bot({ task, asOf }: Pick<FactsProps, "asOf" | "task">): JSX.Element {
  const { tone, icon, text } = botWords(task)
  const eta = task.bot?.status === "INBOUND" ? task.bot.eta : null
  const arrives = eta === null ? "" : `arrives ${clockTime(eta)}`
  return (
    <Fact
      name="Bot"
      end={
        <Pill tone={asOf === null ? tone : "idle"} icon={icon} isLarge>
          {text}
        </Pill>
      }
    >
      <b>{botName(task)}</b>
      <span>{asOf === null ? arrives : `as of ${clockTime(asOf)}`}</span>
    </Fact>
  )
}

function Limit({ task, standing, onMeasure }: Omit<FactsProps, "asOf">): JSX.Element | null {
  const [first, ...more] = limitWords(task)
  if (first === undefined) return null
  const mayMeasure = standing.moves.some(({ move }) => move === "payload")
  return (
    <Fact
      name="Limit"
      end={
        mayMeasure ? (
          <button type="button" onClick={onMeasure}>
            Measure
          </button>
        ) : null
      }
    >
      <b>{first}</b>
      {more.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </Fact>
  )
}
