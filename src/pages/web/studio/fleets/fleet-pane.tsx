/** A fleet model as sliders: its main numbers by group, each with its value, and the buttons that run and write it. */

import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Banner } from "../../design/feedback.tsx"
import { NumberSliders } from "../../components/number-sliders.tsx"
import { Conflict } from "../conflict.tsx"
import type { FleetActions, FleetState } from "./fleet-state.ts"

interface Parts {
  readonly state: FleetState
  readonly actions: FleetActions
}

interface FleetPaneProps extends Parts {
  /** A table of orders was chosen for the model. */
  readonly onTable: (file: File) => void
}

export function FleetPane({ state, actions, onTable }: FleetPaneProps): JSX.Element | null {
  const { open, changed, conflict } = state
  if (open === null) return null
  return (
    <>
      <div class="pane-head">
        <h2 class="mono">{open.path.split("/").at(-1)}</h2>
        {changed.size > 0 && <span class="quiet">{countOf(changed.size)} changed</span>}
        <nav class="switch-view" aria-label="Show the model as">
          <a aria-current="page" href={`#fleet=${encodeURIComponent(open.path)}`}>
            Numbers
          </a>
          <a
            href={`/replay#file=${encodeURIComponent(open.path)}`}
            title="One run of the file as it is on disk, as it moves"
          >
            Replay
          </a>
        </nav>
      </div>
      <div class="sliders">
        <p class="quiet">{open.because}</p>
        {open.problems.length > 0 && <Problems state={state} />}
        {open.problems.length === 0 && open.numbers.length === 0 && (
          <p class="quiet">No number of this model can be moved.</p>
        )}
        {open.problems.length === 0 && <TableChoice onTable={onTable} />}
        <NumberSliders numbers={open.numbers} changed={changed} onMove={actions.move} />
      </div>
      {conflict !== null && (
        <div class="pane-alert">
          <Conflict
            message={conflict}
            onLoadAgain={() => void actions.loadAgain()}
            onSaveOver={() => void actions.saveOver()}
          />
        </div>
      )}
      <Foot state={state} actions={actions} />
    </>
  )
}

function TableChoice({ onTable }: Pick<FleetPaneProps, "onTable">): JSX.Element {
  return (
    <label class="table-choice">
      <span>
        Drop a table of orders here, or <span class="link">choose a file</span>
      </span>
      <input
        class="visually-hidden"
        type="file"
        accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl,.parquet"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file !== undefined) onTable(file)
          // The same file can be chosen again.
          currentTarget.value = ""
        }}
      />
    </label>
  )
}

function countOf(count: number): string {
  return count === 1 ? "1 number" : `${count} numbers`
}

function Problems({ state }: Pick<Parts, "state">): JSX.Element {
  const problems = state.open?.problems ?? []
  return (
    <Banner tone="bad">
      <p>
        {problems.length === 1 ? "A mistake keeps" : `${problems.length} mistakes keep`} this model from
        running:
      </p>
      <ul>
        {problems.map(({ line, column, message, expected }) => (
          <li key={`${line}:${column}`}>
            line {line}: {message}
            {expected !== null && `; expected ${expected}`}
          </li>
        ))}
      </ul>
    </Banner>
  )
}

function Foot({ state: { open, changed, running }, actions }: Parts): JSX.Element {
  const isBad = (open?.problems.length ?? 0) > 0
  return (
    <div class="pane-foot">
      {changed.size > 0 && (
        <>
          <Button isSmall look="quiet" onPress={actions.reset}>
            Reset
          </Button>
          <Button isSmall onPress={() => void actions.save()}>
            Write to the file
          </Button>
        </>
      )}
      <span class="grow" />
      {running !== null && (
        <>
          <progress aria-label="Replications done" max={Math.max(1, running.wanted)} value={running.done} />
          <span class="quiet number" role="status">
            {running.wanted === 0 ? "Starting…" : `${running.done} of ${running.wanted} replications`}
          </span>
        </>
      )}
      {/* One element, so that it keeps the focus. */}
      {running === null ? (
        <Button isSmall icon="play" look="primary" isDisabled={isBad} onPress={() => void actions.run()}>
          Run the model
        </Button>
      ) : (
        <Button isSmall onPress={actions.stop}>
          Stop
        </Button>
      )}
    </div>
  )
}
