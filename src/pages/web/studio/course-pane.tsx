/** The pane of the course: the last run of the open file, or why there is none. */

import type { JSX } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Empty, Skeleton } from "../design/feedback.tsx"
import { Course } from "./course.tsx"
import { Difference } from "./difference.tsx"
import { ServiceRunning } from "./runs-on.tsx"
import { Seeds } from "./seeds.tsx"
import type { OpenedRun } from "./opened-run.ts"
import type { StudioActions, StudioState } from "./studio-state.ts"

interface CoursePaneProps {
  readonly state: StudioState
  readonly actions: StudioActions
  readonly variant: number
  readonly onVariant: (variant: number) => void
  readonly goTo: { readonly t: number } | null
  readonly onLine: (line: number) => void
}

export function CoursePane({
  state,
  actions,
  variant,
  onVariant,
  goTo,
  onLine,
}: CoursePaneProps): JSX.Element {
  const { last, text, runsOn } = state
  const run = shownRun(state, variant)
  if (last === null || run === null)
    return (
      <>
        <ServiceRunning state={state} actions={actions} />
        <NoRun state={state} actions={actions} />
      </>
    )
  const before = last.before.find(({ shown }) => shown.variant === run.shown.variant) ?? null
  return (
    <>
      <ServiceRunning state={state} actions={actions} />
      {last.runs.length > 1 && (
        <Variants names={last.runs.map(({ shown }) => shown.title)} at={variant} onChoose={onVariant} />
      )}
      {(run.shown.service === null) !== (runsOn === "memory") && (
        <p class="stale">
          This run was made {run.shown.service === null ? "in memory" : `against ${run.shown.service.host}`}.
        </p>
      )}
      {last.text !== text && (
        <p class="stale">The text has changed since this run; save it to run it again.</p>
      )}
      <Course
        key={last.path}
        run={run}
        inspector={last.inspector}
        runNumber={variant + 1}
        goTo={goTo}
        onLine={onLine}
      />
      {run.shown.service === null ? (
        <>
          <div class="pane-foot">
            <Difference before={before} now={run} texts={{ before: last.textBefore, now: last.text }} />
          </div>
          <Seeds state={state} actions={actions} seed={run.shown.seed} />
        </>
      ) : (
        <div class="pane-foot">
          <span class="quiet">
            A service draws its own chances: seeds and differences are of runs in memory.
          </span>
        </div>
      )}
    </>
  )
}

/** The run of the chosen row of the matrix; null when there is none. */
export function shownRun({ last }: StudioState, variant: number): OpenedRun | null {
  return last?.runs[variant] ?? null
}

/** The chosen row of a matrix; another file begins with its first. */
export function useVariant({ file }: StudioState): readonly [number, (variant: number) => void] {
  const [variant, setVariant] = useState(0)
  useEffect(() => setVariant(0), [file?.path])
  return [variant, setVariant]
}

function Variants({
  names,
  at,
  onChoose,
}: {
  readonly names: readonly string[]
  readonly at: number
  readonly onChoose: (at: number) => void
}): JSX.Element {
  return (
    <label class="variants">
      Row of the matrix{" "}
      <select value={String(at)} onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}>
        {names.map((name, number) => (
          <option key={number} value={String(number)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function NoRun({ state, actions }: Pick<CoursePaneProps, "actions" | "state">): JSX.Element {
  const { file, isOpening, last, problems, isRunning, results } = state
  const lines = useMemo(() => (problems.length > 0 ? problems : (last?.problems ?? [])), [problems, last])
  if (file === null && isOpening)
    return (
      <div class="opening">
        <Skeleton lines={4} />
      </div>
    )
  if (file === null)
    return <Empty title="Nothing is open">Choose a scenario in the list, and its course stands here.</Empty>
  const [first] = lines
  if (first !== undefined && last !== null)
    return (
      <Empty title={`Not run: line ${first.line} is wrong`}>
        {first.message}. Nothing before it could run alone; correct it and save.
      </Empty>
    )
  return (
    <Empty
      title={results.has(file.path) ? "Run together with the others" : "Not run yet"}
      action={
        <Button icon="play" isBusy={isRunning} onPress={() => void actions.saveAndRun()}>
          {isRunning ? "Running" : file.isTypeScript ? "Run this program" : "Run this scenario"}
        </Button>
      }
    >
      {file.isTypeScript
        ? "This scenario is a program of your own: it runs on this machine, with your rights, when you press the button."
        : "Run it to see actors over time, what was sent, and which expectations held."}
    </Empty>
  )
}
