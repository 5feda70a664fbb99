/** One task: the stall, the time that is left, what to say, the bot, and the one next move at the thumb. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import type { PhoneTask } from "../../../../model/requests/runner-app.ts"
import type { RunnerMove } from "../../../../model/requests/runner-moves.ts"
import { Icon } from "../../design/icon.tsx"
import { isEnded, standingOf } from "../standing.ts"
import type { Standing } from "../standing.ts"
import { useNow } from "../times.ts"
import { MOVE_WORDS, STEPS, STEP_OF, botName } from "../words.ts"
import { Facts } from "./facts.tsx"
import { ProblemSheet } from "./problem.tsx"
import { Due } from "./tasks.tsx"
import type { ShownProps } from "./tasks.tsx"

export function TaskPage({ task, state, actions }: ShownProps & { readonly task: PhoneTask }): JSX.Element {
  const nowMs = useNow()
  const [sheet, setSheet] = useState<"measure" | "problem" | null>(null)
  const standing = standingOf(task, state.queue)
  const waits = state.tasks.filter(
    (one) =>
      one.holder === "you" &&
      one.reservation_id !== task.reservation_id &&
      !isEnded(standingOf(one, state.queue)),
  ).length
  return (
    <main class="runner task">
      <div class="top">
        <a class="back" href="#">
          <Icon name="chevron-left" /> Tasks
        </a>
        <span>{waits === 0 ? "" : `${waits} more ${waits === 1 ? "waits" : "wait"}`}</span>
      </div>
      <div class="head">
        <h1>
          <span>Stall</span>
          {task.stall_label || "–"}
        </h1>
        <Due task={task} nowMs={nowMs} />
      </div>
      <Steps standing={standing} />
      <Facts
        task={task}
        standing={standing}
        asOf={state.away === null ? null : state.asOf}
        onMeasure={() => setSheet("measure")}
      />
      <NextMove
        task={task}
        standing={standing}
        isResting={state.isResting}
        onPress={(move) => actions.press(task, move)}
        onProblem={() => setSheet("problem")}
      />
      {sheet === null ? null : (
        <ProblemSheet
          task={task}
          standing={standing}
          opens={sheet}
          onClose={() => setSheet(null)}
          onMove={(move, said) => {
            setSheet(null)
            void actions.move(task, move, said)
          }}
        />
      )}
    </main>
  )
}

function Steps({ standing: { status } }: { readonly standing: Standing }): JSX.Element {
  const now = STEP_OF[status ?? "QUEUED"]
  const stateAt = (at: number): string => (at < now ? "done" : at === now ? "now" : "")
  return (
    <ol class="handoff" aria-label="Steps of this task">
      {STEPS.map((name, at) => (
        <li key={name} class={stateAt(at)} aria-current={at === now ? "step" : undefined}>
          {at < now ? "✓ " : ""}
          {name}
        </li>
      ))}
    </ol>
  )
}

interface NextProps {
  readonly task: PhoneTask
  readonly standing: Standing
  readonly isResting: boolean
  readonly onPress: (move: RunnerMove) => void
  readonly onProblem: () => void
}

function NextMove({ task, standing, isResting, onPress, onProblem }: NextProps): JSX.Element {
  const { next_move: next, moves } = standing
  const has = (name: string): boolean => moves.some(({ move }) => move === name)
  const hasProblems = moves.some(({ move }) => move !== next && move !== "payload")
  return (
    <footer class="thumb">
      {next === null ? <p role="status">{waitWords(task, standing)}</p> : null}
      {next === "load" ? (
        <a class="next" href={`#photo/${task.reservation_id}`}>
          {isEnded(standing) ? "Add the photo" : "Take the photo"}
        </a>
      ) : null}
      {next === null || next === "load" ? null : (
        <button type="button" class="next" aria-disabled={isResting} onClick={() => onPress(next)}>
          {MOVE_WORDS[next]}
        </button>
      )}
      {(["open-link", "ready"] as const).filter(has).map((move) => (
        <button key={move} type="button" aria-disabled={isResting} onClick={() => onPress(move)}>
          {MOVE_WORDS[move]}
        </button>
      ))}
      {hasProblems && !isEnded(standing) ? (
        <button type="button" onClick={onProblem}>
          <Icon name="triangle-alert" /> Problem
        </button>
      ) : null}
    </footer>
  )
}

/** Why there is no next move. */
function waitWords(task: PhoneTask, standing: Standing): string {
  if (task.holder === "other") return `${task.runner_name ?? "Another runner"} has this task.`
  if (standing.status === "LOADED") return "Loaded. This task is done."
  const back =
    task.is_order_returning === true ? ` Take the order back to ${task.retailer_name ?? "the store"}.` : ""
  if (isEnded(standing)) return `The task has ended.${back}`
  return `Wait: ${botName(task)} is not ready to be loaded.`
}
