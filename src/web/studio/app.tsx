/** The studio: list, file and course beside each other; one of them at a time on a narrow window. */

import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Banner, Toasts } from "../design/feedback.tsx"
import { PaneTabs, TopBar } from "./bars.tsx"
import type { Pane } from "./bars.tsx"
import type { Client } from "./client.ts"
import { CoursePane, shownRun, useVariant } from "./course-pane.tsx"
import { FilePane } from "./file-pane.tsx"
import { FleetAnswerPane } from "./fleet-answer.tsx"
import { FleetPane } from "./fleet-pane.tsx"
import { useFleet } from "./fleet-state.ts"
import type { FleetActions } from "./fleet-state.ts"
import { List } from "./list.tsx"
import { NewScenario } from "./new-scenario.tsx"
import { RunsOnBar } from "./runs-on.tsx"
import { useStudio } from "./studio-state.ts"
import type { StudioActions, StudioState } from "./studio-state.ts"

interface Opening {
  readonly actions: StudioActions
  readonly fleetActions: FleetActions
}

/** Which pane a narrow window shows, the moment to go to, and the form of a new scenario. */
function usePanes({ actions, fleetActions }: Opening) {
  const [pane, setPane] = useState<Pane>("Scenarios")
  const [goTo, setGoTo] = useState<{ readonly t: number } | null>(null)
  const [isNew, setNew] = useState(false)
  return {
    pane,
    setPane,
    goTo,
    isNew,
    setNew,
    open: (path: string): void => {
      fleetActions.close()
      void actions.open(path)
      setPane("File")
    },
    openFleet: (path: string): void => {
      void fleetActions.open(path)
      setPane("File")
    },
    goToMoment: (t: number): void => {
      setGoTo({ t })
      setPane("Course")
    },
    create: async (path: string, written: string): Promise<string | null> => {
      const refusal = await actions.create(path, written)
      if (refusal !== null) return refusal
      setNew(false)
      setPane("Course")
      return null
    },
  }
}

export function App({ client, nonce }: { readonly client: Client; readonly nonce: string }): JSX.Element {
  const [state, actions] = useStudio(client)
  const [fleet, fleetActions] = useFleet(client)
  const [variant, setVariant] = useVariant(state)
  const { pane, goTo, isNew, ...panes } = usePanes({ actions, fleetActions })
  const search = useRef<HTMLInputElement>(null)
  useKeys({ search, actions })
  const { file, last, text, fault } = state
  return (
    <div class="studio" data-pane={pane}>
      <header>
        <RunsOnBar state={state} />
        <TopBar state={state} actions={actions} />
      </header>
      <PaneTabs pane={pane} onChoose={panes.setPane} />
      {fault !== null && <Banner tone="bad">{fault}</Banner>}
      <main class="panes">
        <div class="pane list" data-of="Scenarios">
          <List
            {...state}
            chosen={fleet.open === null ? (file?.path ?? null) : null}
            fleets={fleet.fleets}
            chosenFleet={fleet.open?.path ?? null}
            search={search}
            onOpen={panes.open}
            onOpenFleet={panes.openFleet}
            onNew={() => panes.setNew(true)}
          />
        </div>
        <div class="pane text" data-of="File">
          {fleet.open === null ? (
            <FilePane
              client={client}
              state={state}
              actions={actions}
              run={last?.text === text ? shownRun(state, variant) : null}
              nonce={nonce}
              onGoTo={panes.goToMoment}
            />
          ) : (
            <FleetPane state={fleet} actions={fleetActions} />
          )}
        </div>
        <div class="pane course" data-of="Course">
          {fleet.open === null ? (
            <CoursePane {...{ state, actions, variant, goTo }} onVariant={setVariant} />
          ) : (
            <FleetAnswerPane state={fleet} />
          )}
        </div>
      </main>
      {isNew && (
        <NewScenario
          client={client}
          folders={foldersOf(state)}
          onClose={() => panes.setNew(false)}
          onCreate={panes.create}
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
