/** What all cards have: a head with one pill or clock, rows, a note, and actions that speak to the chat or open a page. */

import type { ComponentChildren, JSX } from "preact"
import { createContext } from "preact"
import { useContext, useState } from "preact/hooks"
import { countdownOf } from "../components/countdown.ts"
import { Icon } from "../design/icon.tsx"
import { Mark } from "../design/mark.tsx"
import type { Times } from "../../../model/values/zoned-times.ts"
import type { ChatHost } from "./host.ts"
import type { Known } from "./state.ts"

/** What every card knows. */
export interface Shown extends Known {
  /** The service's time. */
  readonly nowMs: number
  readonly times: Times
  readonly isAway: boolean
}

export const Chat = createContext<ChatHost | null>(null)

/** What a card is of, and at its end a pill or a clock. */
export function Head({
  title,
  isTest = false,
  children,
}: {
  readonly title: string
  /** True when nothing of it is real. */
  readonly isTest?: boolean
  readonly children?: ComponentChildren
}): JSX.Element {
  return (
    <header class="card-head">
      <Mark />
      <h1>{title}</h1>
      {isTest ? <span class="badge">SANDBOX</span> : null}
      {children}
    </header>
  )
}

/** A time that runs down. A screen reader reads whole minutes. */
export function Clock({
  leftMs,
  before = "",
  after = "",
  isUrgent = false,
}: {
  readonly leftMs: number
  readonly before?: string
  readonly after?: string
  readonly isUrgent?: boolean
}): JSX.Element {
  const { text, spoken } = countdownOf(Math.max(0, leftMs))
  return (
    <span class={`card-clock${isUrgent ? " urgent" : ""}`}>
      <Icon name={isUrgent ? "timer" : "clock"} />
      <span aria-hidden="true" class="number">
        {`${before}${text}${after}`}
      </span>
      <span class="visually-hidden">{`${before}${spoken}${after}`}</span>
    </span>
  )
}

export function Rows({
  rows,
}: {
  readonly rows: readonly (readonly [term: string, value: ComponentChildren])[]
}): JSX.Element {
  return (
    <dl class="card-rows">
      {rows.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export interface Action {
  readonly name: string
  readonly look?: "primary" | "quiet" | "secondary"
  /** What is said to the agent in the user's name. */
  readonly says?: string
  /** What is opened outside. */
  readonly opens?: string
  readonly icon?: Parameters<typeof Icon>[0]["name"]
  /** Why it cannot be pressed now. */
  readonly waitsFor?: string | null
  /** Called instead, when it cannot be pressed now. */
  readonly onRefused?: () => void
}

type Outcome =
  | { readonly type: "opened" }
  | { readonly type: "said" }
  | { readonly type: "unopened"; readonly url: string }
  | { readonly type: "unsaid"; readonly text: string }

/** The first one is the primary. What was said once is not said again. */
export function Actions({
  actions,
  isTall = false,
}: {
  readonly actions: readonly Action[]
  readonly isTall?: boolean
}): JSX.Element {
  const host = useContext(Chat)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const press = async ({ says, opens, waitsFor = null, onRefused }: Action): Promise<void> => {
    if (waitsFor !== null) return onRefused?.()
    if (opens !== undefined)
      setOutcome((await host?.open(opens)) === true ? { type: "opened" } : { type: "unopened", url: opens })
    if (says !== undefined)
      setOutcome((await host?.say(says)) === true ? { type: "said" } : { type: "unsaid", text: says })
  }
  const isSaid = outcome?.type === "said" || outcome?.type === "unsaid"
  const shown = isSaid ? actions.filter(({ says }) => says === undefined) : actions
  return (
    <>
      {shown.length === 0 ? null : (
        <div class={`card-actions${isTall ? " tall" : ""}`}>
          {shown.map((action) => (
            <ActionButton key={action.name} action={action} onPress={() => void press(action)} />
          ))}
        </div>
      )}
      <div role="status">{outcome === null ? null : <Told outcome={outcome} />}</div>
    </>
  )
}

function ActionButton({
  action: { name, look = "primary", icon, opens, waitsFor = null },
  onPress,
}: {
  readonly action: Action
  readonly onPress: () => void
}): JSX.Element {
  return (
    <button
      type="button"
      class={`button ${look}`}
      aria-disabled={waitsFor === null ? undefined : "true"}
      aria-description={waitsFor ?? undefined}
      onClick={onPress}
    >
      {icon === undefined ? null : <Icon name={icon} isLarge />}
      {name}
      {opens === undefined ? null : (
        <>
          <Icon name="arrow-up-right" />
          <span class="visually-hidden">, opens outside of the chat</span>
        </>
      )}
    </button>
  )
}

function Told({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  switch (outcome.type) {
    case "opened":
      return <p class="card-note">The page opens outside of the chat. This card follows.</p>
    case "said":
      return <p class="card-note">The agent knows. It goes on in the chat.</p>
    case "unopened":
      return (
        <p class="card-note">
          The chat does not open pages. Open this address: <span class="mono wrap">{outcome.url}</span>
        </p>
      )
    case "unsaid":
      return (
        <p class="card-note">
          The chat takes no messages from a card. Write this to the agent: <q>{outcome.text}</q>
        </p>
      )
  }
}

/** Numbered, in the user's own order. */
export function Numbered({
  steps,
}: {
  readonly steps: readonly {
    readonly name: string
    readonly isDone?: boolean
    readonly more?: ComponentChildren
  }[]
}): JSX.Element {
  const now = steps.findIndex(({ isDone }) => isDone !== true)
  return (
    <ol class="card-steps">
      {steps.map(({ name, isDone = false, more }, at) => (
        <li key={name} class={isDone ? "done" : at === now ? "now" : ""}>
          <span class="ball" aria-hidden="true">
            {isDone ? <Icon name="check" /> : at + 1}
          </span>
          <div>
            <p class="strong">
              {name}
              {isDone ? <span class="visually-hidden">, done</span> : null}
            </p>
            {more === undefined ? null : <p class="small quiet">{more}</p>}
          </div>
        </li>
      ))}
    </ol>
  )
}

/** A card without data is of production. */
export function isOfTest({ data }: Pick<Known, "data">): boolean {
  return data !== null && data.environment !== "production"
}
