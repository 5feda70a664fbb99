/** The bar on top with the areas and what ran, and the choice of a pane on a narrow window. */

import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Icon } from "../design/icon.tsx"
import { Mark } from "../design/mark.tsx"
import { Pill } from "../design/pill.tsx"
import { AREAS } from "./area.ts"
import type { Area } from "./area.ts"
import type { FileResult } from "./contract.ts"
import type { StudioActions, StudioState } from "./studio-state.ts"

/** The panes of an area from left to right; the swarm has one page. */
const PANES = {
  Scenarios: { list: "List", file: "File", course: "Course" },
  Fleets: { list: "List", file: "Model", course: "Answer" },
} as const
export type Pane = keyof (typeof PANES)["Scenarios"]

interface Parts {
  readonly state: StudioState
  readonly actions: StudioActions
  readonly area: Area
  readonly onArea: (area: Area) => void
}

export function TopBar({ state, actions, area, onArea }: Parts): JSX.Element {
  const { listing } = state
  return (
    <div class="topbar">
      <Mark />
      <h1>Studio</h1>
      <nav class="areas" aria-label="Areas of the studio">
        {AREAS.map((name) => (
          <button
            key={name}
            type="button"
            aria-current={name === area ? "page" : undefined}
            onClick={() => onArea(name)}
          >
            {name}
          </button>
        ))}
      </nav>
      <span class="quiet folder">{listing?.folder ?? ""}</span>
      <span class="grow" />
      <Results state={state} />
      {area === "Scenarios" && <RunAll state={state} actions={actions} />}
    </div>
  )
}

function Results({ state: { listing, results } }: Pick<Parts, "state">): JSX.Element {
  const verdicts = [...results.values()].map(({ verdict }) => verdict)
  const passed = verdicts.filter((verdict) => verdict === "passed").length
  const notRun = verdicts.filter((verdict) => verdict === "not run").length
  const failed = verdicts.length - passed - notRun
  const title = failed === 0 ? "Studio" : `${failed} failed`
  useEffect(() => {
    document.title = `${title} · ${listing?.folder ?? "Curbline"}`
  }, [title, listing])
  return (
    <span class="row" role="status">
      {failed > 0 && (
        <Pill tone="bad" icon="cross">
          {failed} failed
        </Pill>
      )}
      {passed > 0 && (
        <Pill tone="ok" icon="check">
          {passed} passed
        </Pill>
      )}
      {notRun > 0 && (
        <Pill tone="idle" icon="circle-dashed">
          {notRun} not run
        </Pill>
      )}
    </span>
  )
}

function RunAll({ state: { runningAll }, actions }: Pick<Parts, "actions" | "state">): JSX.Element {
  return (
    <>
      {runningAll !== null && (
        <span class="quiet number">
          {runningAll.done} of {runningAll.files}
        </span>
      )}
      {/* One element, so that it keeps the focus. */}
      {runningAll === null ? (
        <Button look="primary" icon="play" onPress={() => void actions.runAll()}>
          Run all <kbd aria-hidden="true">a</kbd>
        </Button>
      ) : (
        <Button onPress={actions.stopAll}>Stop</Button>
      )}
    </>
  )
}

interface PaneTabsProps {
  readonly area: Exclude<Area, "Swarm">
  readonly pane: Pane
  /** Of the open file; on a narrow window nothing else tells how its run ended. */
  readonly verdict: FileResult["verdict"] | null
  readonly onChoose: (pane: Pane) => void
}

export function PaneTabs({ area, pane, verdict, onChoose }: PaneTabsProps): JSX.Element {
  return (
    <nav class="pane-tabs" aria-label={`Parts of ${area}`}>
      {(Object.entries(PANES[area]) as [Pane, string][]).map(([name, shown]) => (
        <button key={name} type="button" aria-pressed={name === pane} onClick={() => onChoose(name)}>
          {shown}
          {name === "course" && verdict !== null && <VerdictSign verdict={verdict} />}
        </button>
      ))}
    </nav>
  )
}

function VerdictSign({ verdict }: { readonly verdict: FileResult["verdict"] }): JSX.Element | null {
  if (verdict === "not run") return null
  const hasPassed = verdict === "passed"
  return (
    <span class={hasPassed ? "good" : "bad"}>
      {" "}
      <Icon name={hasPassed ? "check" : "cross"} />
      <span class="visually-hidden">{hasPassed ? "passed" : "failed"}</span>
    </span>
  )
}
