/** The studio: scenarios, fleet models or the swarm; list, file and course beside each other, one of them at a time on a narrow window. */

import type { JSX, RefObject } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { Banner, Empty, Toasts, toast } from "../design/feedback.tsx"
import { areaInAddress, writeAddress } from "./area.ts"
import type { Area } from "./area.ts"
import { PaneTabs, TopBar } from "./bars.tsx"
import type { Pane } from "./bars.tsx"
import type { Client } from "./client.ts"
import type { FileResult } from "./contract.ts"
import { CoursePane, shownRun, useVariant } from "./course-pane.tsx"
import { useDiskChanges } from "./disk-changes.ts"
import { FilePane } from "./file-pane.tsx"
import { FleetAnswerPane } from "./fleets/fleet-answer.tsx"
import { FleetList } from "./fleets/fleet-list.tsx"
import { FleetPane } from "./fleets/fleet-pane.tsx"
import { TableDialog } from "./fleets/table-dialog.tsx"
import { useFleet } from "./fleets/fleet-state.ts"
import type { FleetActions, FleetState } from "./fleets/fleet-state.ts"
import { List } from "./list.tsx"
import { NewFile } from "./new/new-file.tsx"
import { RunsOnBar } from "./runs-on.tsx"
import { useStudio } from "./studio-actions.ts"
import type { StudioActions, StudioState } from "./studio-state.ts"
import { SwarmPane } from "./swarm/swarm-pane.tsx"
import { useSwarm } from "./swarm/swarm-state.ts"

interface AppProps {
  readonly client: Client
  readonly nonce: string
}

export function App({ client, nonce }: AppProps): JSX.Element {
  const [area, setArea] = useState(areaInAddress)
  const [pane, setPane] = useState<Pane>("list")
  const [state, actions] = useStudio(client)
  const [fleet, fleetActions] = useFleet(client)
  const [swarm, swarmActions] = useSwarm(client, () => void actions.refresh())
  const search = useRef<HTMLInputElement>(null)
  useKeys({ search, actions, isActive: area === "Scenarios" })
  useDiskChanges(client, () => {
    void actions.takeDiskChanges()
    void fleetActions.listAgain()
  })
  const goTo = (next: Area): void => {
    setArea(next)
    setPane("list")
    if (next === "Scenarios") writeAddress("file", state.file?.path)
    else if (next === "Fleets") writeAddress("fleet", fleet.open?.path)
    else writeAddress("swarm")
  }
  const openFile = (path: string): void => {
    goTo("Scenarios")
    void actions.open(path)
    setPane("file")
  }
  return (
    <div class="studio" data-pane={pane}>
      <header>
        <RunsOnBar state={state} area={area} />
        <TopBar state={state} actions={actions} area={area} onArea={goTo} />
      </header>
      {area !== "Swarm" && (
        <PaneTabs area={area} pane={pane} verdict={verdictIn(area, state)} onChoose={setPane} />
      )}
      {state.fault !== null && <Banner tone="bad">{state.fault}</Banner>}
      {area === "Scenarios" && (
        <Scenarios {...{ client, nonce, state, actions, search, setPane }} onOpen={openFile} />
      )}
      {area === "Fleets" && <Fleets {...{ client, setPane }} state={fleet} actions={fleetActions} />}
      {area === "Swarm" && <SwarmPane state={swarm} actions={swarmActions} onOpen={openFile} />}
      <Toasts />
    </div>
  )
}

interface ScenariosProps extends AppProps {
  readonly state: StudioState
  readonly actions: StudioActions
  readonly search: RefObject<HTMLInputElement | null>
  readonly setPane: (pane: Pane) => void
  readonly onOpen: (path: string) => void
}

function Scenarios({ client, nonce, state, actions, search, setPane, onOpen }: ScenariosProps): JSX.Element {
  const [variant, setVariant] = useVariant(state)
  const [goTo, setGoTo] = useState<{ readonly t: number } | null>(null)
  const [shownLine, setShownLine] = useState<{ readonly line: number } | null>(null)
  const [isNew, setNew] = useState(false)
  const { file, last, listing, text } = state
  const create = createdBy(actions, () => {
    setNew(false)
    setPane("course")
  })
  return (
    <>
      <main class="panes">
        <div class="pane list" data-of="list">
          <List
            {...state}
            chosen={file?.path ?? null}
            search={search}
            onOpen={onOpen}
            onNew={() => setNew(true)}
          />
        </div>
        <div class="pane text" data-of="file">
          <FilePane
            client={client}
            state={state}
            actions={actions}
            run={last?.text === text ? shownRun(state, variant) : null}
            nonce={nonce}
            shownLine={shownLine}
            onGoTo={(t) => {
              setGoTo({ t })
              setPane("course")
            }}
            onCreate={create}
          />
        </div>
        <div class="pane course" data-of="course">
          <CoursePane
            {...{ state, actions, variant, goTo }}
            onVariant={setVariant}
            onLine={(line) => {
              setShownLine({ line })
              setPane("file")
            }}
          />
        </div>
      </main>
      {isNew && (
        <NewFile
          client={client}
          area="scenarios"
          folders={foldersWith(file?.path, listing?.files ?? [])}
          onClose={() => setNew(false)}
          onCreate={create}
        />
      )}
    </>
  )
}

interface FleetsProps extends Pick<AppProps, "client"> {
  readonly state: FleetState
  readonly actions: FleetActions
  readonly setPane: (pane: Pane) => void
}

function Fleets({ client, state, actions, setPane }: FleetsProps): JSX.Element {
  const [isNew, setNew] = useState(false)
  const [table, setTable] = useState<File | null>(null)
  const { fleets, open } = state
  const create = createdBy(actions, () => {
    setNew(false)
    setPane("course")
  })
  return (
    <>
      <main
        class="panes"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          // Without it the browser leaves the page for the file.
          event.preventDefault()
          if (open === null) toast("Open the model first, then drop the table.")
          else setTable(event.dataTransfer?.files[0] ?? null)
        }}
      >
        <div class="pane list" data-of="list">
          <FleetList
            state={state}
            onOpen={(path) => {
              void actions.open(path)
              setPane("file")
            }}
            onNew={() => setNew(true)}
          />
        </div>
        <div class="pane text" data-of="file">
          {open === null ? (
            <Empty title="No model is open">
              Choose a model in the list; its numbers stand here as sliders.
            </Empty>
          ) : (
            <FleetPane state={state} actions={actions} onTable={setTable} />
          )}
        </div>
        <div class="pane course" data-of="course">
          <FleetAnswerPane state={state} />
        </div>
      </main>
      {table !== null && open !== null && (
        <TableDialog
          {...{ client, open }}
          file={table}
          onClose={() => setTable(null)}
          onAdded={() => {
            setTable(null)
            void actions.loadAgain()
          }}
        />
      )}
      {isNew && (
        <NewFile
          client={client}
          area="fleets"
          folders={foldersWith(open?.path, fleets ?? [])}
          onClose={() => setNew(false)}
          onCreate={create}
        />
      )}
    </>
  )
}

/** Of the open scenario. */
function verdictIn(area: Area, { file, last, results }: StudioState): FileResult["verdict"] | null {
  if (area !== "Scenarios" || file === null || last === null) return null
  return results.get(file.path)?.verdict ?? null
}

/** Writes a new file, and calls back unless it was refused; the refusal's message, or null. */
function createdBy(
  { create }: Pick<FleetActions, "create">,
  onCreated: () => void,
): (path: string, text: string) => Promise<string | null> {
  return async (path, text) => {
    const refusal = await create(path, text)
    if (refusal === null) onCreated()
    return refusal
  }
}

/** The folder of the open file first. */
function foldersWith(
  open: string | undefined,
  files: readonly { readonly path: string }[],
): readonly string[] {
  const folderOf = (path: string): string => path.split("/").slice(0, -1).join("/")
  const all = files.map(({ path }) => folderOf(path)).toSorted()
  return [...new Set([folderOf(open ?? ""), ...all, ""])]
}

/** `/` goes to the search and `a` runs all, unless something is written, or another area is shown. */
function useKeys({
  search,
  actions,
  isActive,
}: {
  readonly search: { readonly current: HTMLInputElement | null }
  readonly actions: StudioActions
  readonly isActive: boolean
}): void {
  // Before the page is painted: who sees it can use the keys.
  useLayoutEffect(() => {
    if (!isActive) return undefined
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
  }, [actions, isActive])
}
