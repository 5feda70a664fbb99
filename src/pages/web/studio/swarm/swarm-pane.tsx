/** The swarm: which seeds are tried, how far it is, and what broke, with the way to a scenario file. */

import type { JSX } from "preact"
import { durationText } from "../../../inspection/durations.ts"
import { Button } from "../../design/button.tsx"
import { Code } from "../../design/code.tsx"
import { Banner, Empty } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Pill } from "../../design/pill.tsx"
import type { SwarmFigures, SwarmFinding, SwarmPart } from "./swarm-contract.ts"
import { problemOf } from "./swarm-state.ts"
import type { FoundBroken, SwarmActions, SwarmState } from "./swarm-state.ts"

interface Parts {
  readonly state: SwarmState
  readonly actions: SwarmActions
}

export interface SwarmPaneProps extends Parts {
  /** Opens a file that was written, among the scenarios. */
  readonly onOpen: (path: string) => void
}

export function SwarmPane({ state, actions, onOpen }: SwarmPaneProps): JSX.Element {
  const { standing, fault, broken } = state
  return (
    <main class="swarm">
      <section class="pane" aria-label="Which seeds">
        <Asking state={state} actions={actions} />
      </section>
      <section class="pane swarm-found" aria-label="What the seeds showed">
        <div class="pane-head">
          <h2>{headline(state)}</h2>
          {standing === "ended" && broken.length === 0 && fault === null && (
            <Pill tone="ok" icon="check">
              nothing broke
            </Pill>
          )}
          {broken.length > 0 && (
            <Pill tone="bad" icon="cross">
              {broken.length} broken
            </Pill>
          )}
        </div>
        {fault !== null && <Banner tone="bad">{fault}</Banner>}
        <div class="swarm-results scroll" tabIndex={0} role="region" aria-label="Figures and findings">
          <Standing state={state} />
          {broken.map((found) => (
            <Found key={found.sentence} found={found} actions={actions} onOpen={onOpen} />
          ))}
        </div>
      </section>
    </main>
  )
}

function headline({ standing, ran, figures }: SwarmState): string {
  if (ran === null) return "Not run yet"
  const seeds = countOf(figures?.seeds ?? 0, "seed")
  if (standing === "running") return `Running: ${seeds}`
  return standing === "stopped" ? `Stopped after ${seeds}` : `${seeds} from ${ran.from} on`
}

function countOf(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : `${noun}s`}`
}

function Asking({ state, actions }: Parts): JSX.Element {
  const { form, workersMax, standing } = state
  const isRunning = standing === "running"
  const field = (name: "count" | "from" | "workers") => ({
    type: "number" as const,
    value: form[name],
    error: problemOf(name, state),
    onChange: (text: string) => actions.ask({ [name]: text }),
  })
  return (
    <form
      class="swarm-form"
      onSubmit={(event) => {
        event.preventDefault()
        void actions.start()
      }}
    >
      <p class="quiet">
        Each seed draws a world, what people and vehicles do in it, and faults. While it runs, every invariant
        of the service must hold; then the faults end, and everything must end.
      </p>
      <SelectField
        label="Try seeds for a number of"
        value={form.unit}
        options={[
          ["minutes", "minutes"],
          ["seeds", "seeds"],
        ]}
        onChange={(unit) => actions.ask(unit === "seeds" ? { unit, count: "500" } : { unit, count: "5" })}
      />
      <TextField label={form.unit === "seeds" ? "Seeds" : "Minutes"} {...field("count")} />
      <TextField label="First seed" {...field("from")} />
      <TextField
        label="Threads"
        hint={`This machine has up to ${workersMax ?? 1} for it.`}
        {...field("workers")}
      />
      <div class="row">
        {isRunning ? (
          <Button key="stop" onPress={actions.stop}>
            Stop
          </Button>
        ) : (
          <Button key="start" look="primary" icon="play" type="submit" isDisabled={workersMax === null}>
            Start the swarm
          </Button>
        )}
      </div>
    </form>
  )
}

function Standing({ state }: Pick<Parts, "state">): JSX.Element {
  const { figures, ran, standing, broken } = state
  if (ran === null)
    return (
      <Empty title="No seed was tried">
        Start the swarm; what it reaches and what it finds stands here. A finding can be written as a scenario
        of this folder.
      </Empty>
    )
  return (
    <>
      {standing === "running" && <HowFar state={state} />}
      {figures !== null && <Figures figures={figures} />}
      <p class="quiet" role="status">
        {broken.length === 0
          ? standing === "running"
            ? "Nothing broke so far."
            : "Nothing broke."
          : `${countOf(broken.length, "invariant")} broken.`}
      </p>
    </>
  )
}

function HowFar({ state: { ran, figures } }: Pick<Parts, "state">): JSX.Element | null {
  if (ran === null) return null
  const [max, value] =
    ran.unit === "seeds" ? [ran.count, figures?.seeds ?? 0] : [ran.count * 60_000, figures?.wallMs ?? 0]
  return <progress aria-label={`Of ${countOf(ran.count, ran.unit.slice(0, -1))}`} max={max} value={value} />
}

function Figures({ figures }: { readonly figures: SwarmFigures }): JSX.Element {
  const { seeds, perSecond, turns, wallMs, states, transitions } = figures
  const facts: readonly (readonly [name: string, value: string])[] = [
    ["Seeds", seeds.toLocaleString("en-US")],
    ["Seeds a second", perSecond.toFixed(1)],
    ["Time", durationText(Math.round(wallMs / 1000) * 1000)],
    ["Turns", turns.toLocaleString("en-US")],
    ["States reached", partText(states)],
    ["Transitions reached", partText(transitions)],
  ]
  return (
    <dl class="swarm-figures">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="number">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function partText({ reached, all }: SwarmPart): string {
  return `${reached} of ${all}`
}

interface FoundProps {
  readonly found: FoundBroken
  readonly actions: SwarmActions
  readonly onOpen: (path: string) => void
}

function Found({ found, actions, onOpen }: FoundProps): JSX.Element {
  const { sentence, seed, found: instead, finding, fault } = found
  return (
    <article class="finding" aria-label={`Broken: ${sentence}`}>
      <h3>
        <span class="bad" aria-hidden="true">
          ✕
        </span>{" "}
        {sentence}
      </h3>
      <p>Found: {instead}</p>
      <p class="quiet">This line repeats it:</p>
      <Code text={`npx curbline swarm --seed ${seed}`} label={`The line that repeats seed ${seed}`} />
      {finding !== null && <MadeSmall finding={finding} />}
      {fault !== null && <Banner tone="bad">{fault}</Banner>}
      <Writing found={found} actions={actions} onOpen={onOpen} />
    </article>
  )
}

function MadeSmall({ finding: { moves, faults, words } }: { readonly finding: SwarmFinding }): JSX.Element {
  return (
    <details>
      <summary>
        Made small: {countOf(moves.after, "move")} of {moves.before},{" "}
        {faults.length === 0 ? "no fault of the machines" : faults.join(", ")}
      </summary>
      <pre tabIndex={0}>{words}</pre>
    </details>
  )
}

function Writing({ found, actions, onOpen }: FoundProps): JSX.Element {
  const { sentence, isMaking, finding, path, written } = found
  if (written !== null)
    return (
      <div class="row">
        <span class="good">Written as {written}</span>
        <Button isSmall onPress={() => onOpen(written)}>
          Open it
        </Button>
      </div>
    )
  if (finding !== null && finding.text === null) return <p class="quiet">No scenario file: {finding.why}.</p>
  return (
    <div class="row writing">
      <TextField
        label="New file in this folder"
        value={path}
        onChange={(text) => actions.name(sentence, text)}
      />
      <Button key="write" isBusy={isMaking} onPress={() => void actions.write(sentence)}>
        {isMaking && finding === null ? "Making it small" : "Write as scenario"}
      </Button>
      {isMaking && (
        <Button key="stop" look="quiet" onPress={() => actions.stopMaking(sentence)}>
          Stop
        </Button>
      )}
    </div>
  )
}
