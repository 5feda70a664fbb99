/** "Make it fail…": what may go wrong with a delivery or reservation of the sandbox, and what it did, step by step. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { HANDOFF_STATUSES } from "../../../../../model/handoff.ts"
import { Button } from "../../../design/button.tsx"
import { Dialog, Menu } from "../../../design/overlay.tsx"
import type { MenuItem } from "../../../design/overlay.tsx"
import { Pill } from "../../../design/pill.tsx"
import { Table } from "../../../design/table.tsx"
import { api, dataOf } from "../../api.ts"
import type { Schemas } from "../../api.ts"
import type { ApiFault } from "../../../faults.ts"
import { endOf } from "../../../followed-run.ts"
import { nextStep } from "../../../next-steps.ts"
import { useCommand, useResource } from "../../../resource.ts"
import { clockTime, clockTimeIn, inZone } from "../../times.ts"

type Scenario = Schemas["Scenario"]
type Run = Schemas["ScenarioRun"]
type Step = Schemas["ScenarioStep"]

export interface MakeItFailOptions {
  readonly kind: Scenario["applies_to"]
  readonly id: string
  readonly status: string
  /** Null where there is none. */
  readonly handoff: string | null
  readonly title: string
  readonly zone: string | null
  readonly isDisabled: boolean
  /** Further entries of the menu. */
  readonly more?: readonly MenuItem[]
  readonly onPlayed: () => Promise<void>
}

export interface MakeItFail {
  readonly isBusy: boolean
  readonly fault: ApiFault | null
  readonly menu: JSX.Element
  /** What a run has done; also after the end of its delivery or reservation. */
  readonly result: JSX.Element | null
}

export function useMakeItFail(options: MakeItFailOptions): MakeItFail {
  const { kind, id, title, zone, isDisabled, more = [], onPlayed } = options
  const { data } = useResource(() => dataOf(api.GET("/portal/api/sandbox/scenarios")))
  const [run, setRun] = useState<Run | null>(null)
  const [isShown, setShown] = useState(false)
  const play = useCommand(async (scenario: string) => {
    const about = kind === "delivery" ? { delivery_id: id } : { reservation_id: id }
    const started = await dataOf(api.POST("/portal/api/sandbox/scenarios", { body: { scenario, ...about } }))
    setRun(started.run)
    setShown(true)
    await endOf({
      started: started.run,
      isRunning: ({ status }) => status === "running",
      poll: async ({ id: runId }) => {
        const params = { path: { id: runId } }
        return (await dataOf(api.GET("/portal/api/sandbox/scenarios/runs/{id}", { params }))).run
      },
      onPoll: async (known) => {
        setRun(known)
        await onPlayed()
      },
    })
  })
  const scenarios = (data?.scenarios ?? []).filter((one) => mayStart(one, options))
  const items = [
    ...scenarios.map(({ name, title: words, description }) => ({
      name: words,
      about: description,
      onChoose: () => play.send(name),
    })),
    ...more,
  ]
  return {
    isBusy: play.isBusy,
    fault: play.fault,
    menu: (
      <Menu
        name={play.isBusy ? "Going wrong…" : "Make it fail…"}
        isDisabled={isDisabled || play.isBusy || items.length === 0}
        title={title}
        items={items}
      />
    ),
    result:
      run === null || !isShown ? null : <WhatItDid run={run} zone={zone} onClose={() => setShown(false)} />,
  }
}

function mayStart(
  { applies_to: kind, starts_from: from, latest_handoff_status: last }: Scenario,
  at: MakeItFailOptions,
) {
  if (kind !== at.kind || !from.includes(at.status)) return false
  const place = (status: string | null): number => HANDOFF_STATUSES.findIndex((one) => one === status)
  return last === null || (at.handoff !== null && place(at.handoff) <= place(last))
}

const VERDICTS: Readonly<Record<Run["status"], string>> = {
  running: "It is still running; the clock moves where time must pass.",
  finished: "Every step was played.",
  failed: "A step was refused, or something was not as expected.",
  stopped: "It stopped at the limit of one move of the clock.",
}

interface WhatItDidProps {
  readonly run: Run
  readonly zone: string | null
  readonly onClose: () => void
}

function WhatItDid({ run, zone, onClose }: WhatItDidProps): JSX.Element {
  const { count } = run.happened
  const now = run.steps.findIndex(({ status }) => status === "pending")
  const happened = count === 0 ? "" : ` ${count} ${count === 1 ? "turn" : "turns"} happened on the way.`
  return (
    <Dialog title={run.title} onClose={onClose}>
      <p class="quiet small" role="status">
        {VERDICTS[run.status]}
        {run.status === "running" ? "" : `${happened} It is ${clockTimeIn(run.now, zone)} now.`}
      </p>
      <Table
        label="Steps"
        rows={run.steps.map((step, number) => ({ ...step, number, isNow: number === now }))}
        keyOf={({ number }) => String(number)}
        columns={[
          { name: inZone("At", zone), cell: ({ at }) => (at === null ? "" : clockTime(at, zone)) },
          { name: "Step", cell: ({ description }) => description },
          { name: "Outcome", isEnd: true, cell: (step) => <Outcome step={step} isNow={step.isNow} /> },
        ]}
      />
      <div class="actions">
        <Button look="primary" onPress={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}

const OUTCOMES: Readonly<
  Record<Step["status"], { readonly word: string; readonly tone: "bad" | "idle" | "move" | "ok" }>
> = {
  done: { word: "Done", tone: "ok" },
  as_expected: { word: "As expected", tone: "ok" },
  not_as_expected: { word: "Not as expected", tone: "bad" },
  skipped: { word: "Done before", tone: "idle" },
  refused: { word: "Refused", tone: "bad" },
  not_run: { word: "Not run", tone: "idle" },
  pending: { word: "To come", tone: "idle" },
}

const NOW = { word: "Now", tone: "move" } as const

interface OutcomeProps {
  readonly step: Step
  /** The first that is pending. */
  readonly isNow: boolean
}

function Outcome({ step: { status, code }, isNow }: OutcomeProps): JSX.Element {
  const { word, tone } = isNow ? NOW : OUTCOMES[status]
  const icon =
    tone === "ok" ? "check" : tone === "bad" ? "circle-x" : tone === "move" ? "clock" : "circle-alert"
  const next = nextStep(code)
  return (
    <>
      <Pill tone={tone} icon={icon}>
        {code === null ? word : `${word}: ${code}`}
      </Pill>
      {next === null ? null : <p class="tiny quiet">{next}</p>}
    </>
  )
}
