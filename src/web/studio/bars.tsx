/** The bar on top with what ran, and the choice of a pane on a narrow window. */

import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Mark } from "../design/mark.tsx"
import { Pill } from "../design/pill.tsx"
import type { StudioActions, StudioState } from "./studio-state.ts"

export const PANES = ["Scenarios", "File", "Course"] as const
export type Pane = (typeof PANES)[number]

interface Parts {
  readonly state: StudioState
  readonly actions: StudioActions
}

export function TopBar({ state: { listing, results, runningAll }, actions }: Parts): JSX.Element {
  const verdicts = [...results.values()].map(({ verdict }) => verdict)
  const passed = verdicts.filter((verdict) => verdict === "passed").length
  const notRun = verdicts.filter((verdict) => verdict === "not run").length
  const failed = verdicts.length - passed - notRun
  const title = failed === 0 ? "Studio" : `${failed} failed`
  useEffect(() => {
    document.title = `${title} · ${listing?.folder ?? "Curbline"}`
  }, [title, listing])
  return (
    <div class="topbar">
      <Mark />
      <h1>Studio</h1>
      <span class="quiet folder">{listing?.folder ?? ""}</span>
      <span class="grow" />
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
      {runningAll === null ? (
        <Button look="primary" icon="play" onPress={() => void actions.runAll()}>
          Run all <kbd aria-hidden="true">a</kbd>
        </Button>
      ) : (
        <>
          <span class="quiet number">
            {runningAll.done} of {runningAll.files}
          </span>
          <Button onPress={actions.stop}>Stop</Button>
        </>
      )}
    </div>
  )
}

export function PaneTabs({
  pane,
  onChoose,
}: {
  readonly pane: Pane
  readonly onChoose: (pane: Pane) => void
}): JSX.Element {
  return (
    <nav class="pane-tabs" aria-label="Parts of the studio">
      {PANES.map((name) => (
        <button key={name} type="button" aria-pressed={name === pane} onClick={() => onChoose(name)}>
          {name}
        </button>
      ))}
    </nav>
  )
}
