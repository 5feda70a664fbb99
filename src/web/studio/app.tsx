/** The studio: list, file and course beside each other; one of them at a time on a narrow window. */

import type { JSX } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Banner, Empty, Toasts } from "../design/feedback.tsx"
import { Mark } from "../design/mark.tsx"
import { Pill } from "../design/pill.tsx"
import type { Client } from "./client.ts"
import { Course } from "./course.tsx"
import { Difference } from "./difference.tsx"
import { FilePane } from "./file-pane.tsx"
import { List } from "./list.tsx"
import { NewScenario } from "./new-scenario.tsx"
import { useStudio } from "./studio-state.ts"
import type { StudioActions, StudioState } from "./studio-state.ts"

const PANES = ["Scenarios", "File", "Course"] as const
type Pane = (typeof PANES)[number]

export function App({ client, nonce }: { readonly client: Client; readonly nonce: string }): JSX.Element {
  const [state, actions] = useStudio(client)
  const [pane, setPane] = useState<Pane>("Scenarios")
  const [variant, setVariant] = useState(0)
  const [goTo, setGoTo] = useState<{ readonly t: number } | null>(null)
  const [isNew, setNew] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  useKeys({ search, actions })
  const { file, last, text, fault } = state
  useEffect(() => setVariant(0), [file?.path])
  const run = last?.runs[Math.min(variant, last.runs.length - 1)] ?? null
  const isOfText = last !== null && last.text === text
  const before = last?.before.find(({ shown }) => shown.variant === run?.shown.variant) ?? null
  const open = (path: string): void => {
    void actions.open(path)
    setPane("File")
  }
  return (
    <div class="studio" data-pane={pane}>
      <header>
        <div class="environment local">
          <span class="badge">LOCAL</span> virtual time, nothing leaves this machine
        </div>
        <TopBar state={state} actions={actions} />
      </header>
      <PaneTabs pane={pane} onChoose={setPane} />
      {fault !== null && (
        <Banner tone="bad">
          <p role="alert">{fault}</p>
        </Banner>
      )}
      <main class="panes">
        <div class="pane list" data-of="Scenarios">
          <List {...state} chosen={file?.path ?? null} search={search} onOpen={open} onNew={() => setNew(true)} />
        </div>
        <div class="pane text" data-of="File">
          <FilePane
            state={state}
            actions={actions}
            run={isOfText ? run : null}
            nonce={nonce}
            onGoTo={(t) => {
              setGoTo({ t })
              setPane("Course")
            }}
          />
        </div>
        <div class="pane course" data-of="Course">
          {last !== null && last.runs.length > 1 && (
            <Variants names={last.runs.map(({ shown }) => shown.title)} at={variant} onChoose={setVariant} />
          )}
          {run === null ? (
            <NoRun state={state} actions={actions} />
          ) : (
            <>
              {!isOfText && <p class="stale">The text has changed since this run; save it to run it again.</p>}
              <Course key={last?.path} run={run} inspector={last?.inspector ?? null} runNumber={variant + 1} goTo={goTo} />
              <div class="pane-foot">
                <Difference before={before} now={run} />
              </div>
            </>
          )}
        </div>
      </main>
      {isNew && (
        <NewScenario
          client={client}
          folders={foldersOf(state)}
          onClose={() => setNew(false)}
          onCreate={async (path, written) => {
            const refusal = await actions.create(path, written)
            if (refusal === null) {
              setNew(false)
              setPane("Course")
            }
            return refusal
          }}
        />
      )}
      <Toasts />
    </div>
  )
}

/** That of the open file first. */
function foldersOf({ listing, file }: StudioState): readonly string[] {
  const folderOf = (path: string): string => path.split("/").slice(0, -1).join("/")
  const all = (listing?.files ?? []).map(({ path }) => folderOf(path)).toSorted()
  return [...new Set([folderOf(file?.path ?? ""), ...all, ""])]
}

/** `/` goes to the search and `a` runs all, unless something is written. */
function useKeys({
  search,
  actions,
}: {
  readonly search: { readonly current: HTMLInputElement | null }
  readonly actions: StudioActions
}): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const target = event.target instanceof HTMLElement ? event.target : null
      const isWriting = target?.closest("input, textarea, select, [contenteditable], dialog") !== null
      if (event.ctrlKey || event.metaKey || event.altKey) {
        if (event.key !== "s" || event.altKey || event.defaultPrevented) return
        event.preventDefault()
        void actions.saveAndRun()
        return
      }
      if (isWriting) return
      if (event.key === "/") {
        event.preventDefault()
        search.current?.focus()
      }
      if (event.key === "a") void actions.runAll()
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  }, [actions])
}

interface Parts {
  readonly state: StudioState
  readonly actions: StudioActions
}

function TopBar({ state: { listing, results, runningAll }, actions }: Parts): JSX.Element {
  const verdicts = [...results.values()].map(({ verdict }) => verdict)
  const passed = verdicts.filter((verdict) => verdict === "passed").length
  const failed = verdicts.length - passed
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

function PaneTabs({ pane, onChoose }: { readonly pane: Pane; readonly onChoose: (pane: Pane) => void }): JSX.Element {
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

function NoRun({ state, actions }: Parts): JSX.Element {
  const { file, last, problems, isRunning } = state
  const lines = useMemo(() => (problems.length > 0 ? problems : (last?.problems ?? [])), [problems, last])
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
      title="Not run yet"
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
