/** All open tasks of the site: the runner's own, free ones, and those of others, each by its due time. */

import type { JSX } from "preact"
import type { PhoneRecord, PhoneTask } from "../../../../model/requests/runner-app.ts"
import { countdownOf } from "../../components/countdown.ts"
import { Icon } from "../../design/icon.tsx"
import { Mark } from "../../design/mark.tsx"
import { Pill } from "../../design/pill.tsx"
import { isEnded, standingOf } from "../standing.ts"
import type { Standing } from "../standing.ts"
import type { RunnerActions, RunnerState } from "../state.ts"
import { clockTime, useNow } from "../times.ts"
import { stateWords } from "../words.ts"
import { Shift } from "./shift.tsx"

export interface ShownProps {
  readonly state: RunnerState
  readonly actions: RunnerActions
  readonly me: PhoneRecord
}

interface Row {
  readonly task: PhoneTask
  readonly standing: Standing
}

export function TasksPage({ state, actions, me }: ShownProps): JSX.Element {
  const nowMs = useNow()
  const rows = state.tasks
    .map((task): Row => ({ task, standing: standingOf(task, state.queue) }))
    .filter(({ standing }) => !isEnded(standing))
  const isTaken = ({ standing }: Row): boolean => standing.waiting.some(({ move }) => move === "runner")
  const yours = rows.filter((row) => row.task.holder === "you" || isTaken(row))
  const free = rows.filter((row) => row.task.holder === "free" && !isTaken(row))
  const others = rows.filter(({ task }) => task.holder === "other")
  const [first] = yours
  return (
    <main class="runner">
      <div class="top">
        <span class="where">
          <Mark /> Tasks
        </span>
        <Shift me={me} held={yours.map(({ task }) => task)} onLeave={actions.leave} />
      </div>
      <h1>{sentenceOf(yours, free)}</h1>
      <Group name="Yours" rows={yours} nowMs={nowMs} />
      <Group
        name="Free"
        rows={free}
        nowMs={nowMs}
        isResting={state.isResting}
        onTake={(task) => actions.press(task, "runner")}
      />
      <Group name="With others" rows={others} nowMs={nowMs} />
      {state.asOf !== null && state.away !== null ? <p class="small">as of {clockTime(state.asOf)}</p> : null}
      {first === undefined ? null : (
        <footer class="thumb">
          <a class="next" href={`#task/${first.task.reservation_id}`}>
            Go on with {first.task.stall_label || first.task.order_number}
          </a>
        </footer>
      )}
    </main>
  )
}

function sentenceOf([urgent]: readonly Row[], free: readonly Row[]): string {
  if (urgent !== undefined) {
    const { task, standing } = urgent
    const words = stateWords(task, standing.status).text
    return `${task.stall_label || task.order_number} first: ${words.charAt(0).toLowerCase()}${words.slice(1)}`
  }
  if (free.length === 0) return "No tasks right now"
  return free.length === 1 ? "1 task is free" : `${free.length} tasks are free`
}

interface GroupProps {
  readonly name: string
  readonly rows: readonly Row[]
  readonly nowMs: number
  readonly isResting?: boolean
  readonly onTake?: (task: PhoneTask) => void
}

function Group({ name, rows, nowMs, isResting = false, onTake }: GroupProps): JSX.Element | null {
  if (rows.length === 0) return null
  return (
    <section class="tasks" aria-label={name}>
      <h2>
        {name} <span>{rows.length}</span>
      </h2>
      <ul>
        {rows.map(({ task, standing }) => (
          <li key={task.reservation_id}>
            <span class="stall">{task.stall_label || "–"}</span>
            <span class="what">
              <b>Order {task.order_number}</b>
              <span>{task.retailer_name ?? ""}</span>
            </span>
            <Due task={task} nowMs={nowMs} />
            <Go task={task} isResting={isResting} {...(onTake === undefined ? {} : { onTake })} />
            <State task={task} standing={standing} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Nothing for a free task without exception: its heading says it. */
function State({ task, standing }: Row): JSX.Element | null {
  const { tone, icon, text } = stateWords(task, standing.status)
  const isPlain = task.holder === "free" && task.open_exceptions.length === 0 && standing.waiting.length === 0
  if (isPlain) return null
  return (
    <span class="state">
      <Pill tone={tone} icon={icon}>
        {task.holder === "other" ? `${task.runner_name ?? "Another runner"} · ${text}` : text}
      </Pill>
    </span>
  )
}

interface GoProps extends Pick<Row, "task">, Pick<GroupProps, "onTake"> {
  readonly isResting: boolean
}

function Go({ task, isResting, onTake }: GoProps): JSX.Element {
  const stall = task.stall_label || task.order_number
  if (task.holder === "other") return <span />
  if (onTake === undefined) {
    return (
      <a class="go" href={`#task/${task.reservation_id}`} aria-label={`Open the task at ${stall}`}>
        <Icon name="chevron-right" />
      </a>
    )
  }
  return (
    <button
      type="button"
      aria-label={`Take the task at ${stall}`}
      aria-disabled={isResting}
      onClick={() => onTake(task)}
    >
      Take
    </button>
  )
}

export function Due({ task, nowMs }: { readonly task: PhoneTask; readonly nowMs: number }): JSX.Element {
  if (task.due_at === null) return <span class="due" />
  const { text, spoken, isLate } = countdownOf(Date.parse(task.due_at) - nowMs)
  return (
    <span class={isLate ? "due late" : "due"}>
      <b aria-hidden="true">{text}</b>
      <span>
        <span class="visually-hidden">
          {spoken} {isLate ? "late" : "left"},{" "}
        </span>
        <span aria-hidden="true">{isLate ? "late, " : "left, "}</span>
        {clockTime(task.due_at)}
      </span>
    </span>
  )
}
