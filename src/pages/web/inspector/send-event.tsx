/**
 * Only in the sandbox: sends an event to the selected actor, one for which its state at the end of the journal has a
 * transition.
 */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import type { ChartEdge } from "../../chart/chart-document.ts"
import { isRefusal } from "../../chart/refusal.ts"
import { shortAddress } from "../../inspection/row-text.ts"
import { NONE, at, rowCount } from "../../inspection/run-index.ts"
import { activePaths } from "../../inspection/state-value.ts"
import type { LiveGroup } from "../../../model/live-group.ts"
import type { EventField } from "../../../model/sendable-event.ts"
import { isoMs } from "../../../model/values/time.ts"
import { sentEvent } from "./sources/live-source.ts"
import type { OpenRun } from "./sources/record-source.ts"

interface SendEventProps {
  readonly run: OpenRun
  readonly actor: number
  readonly live: LiveGroup
  readonly onSent: () => void
}

export function SendEvent({ run, actor, live, onSent }: SendEventProps): JSX.Element | null {
  const [wanted, setWanted] = useState("")
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [said, setSaid] = useState("")
  const found = run.index.actors[actor]
  if (live.paths.events === null || found === undefined) return null
  const { address, machine } = found
  const sendable = live.sendable[machine ?? ""] ?? {}
  const accepted = acceptedBy(run, actor).filter((type) => Object.hasOwn(sendable, type))
  const type = accepted.includes(wanted) ? wanted : (accepted[0] ?? "")
  const fields = sendable[type] ?? []
  const send = async (): Promise<void> => {
    setSaid("sending…")
    const typed = fields.flatMap((field) => valueOf(field, values[field.name] ?? startOf(field)))
    setSaid(await sentEvent(live, { to: address, type, fields: Object.fromEntries(typed) }))
    onSent()
  }
  return (
    <form
      id="send"
      class="panel"
      aria-label="Send an event"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <div class="bar">
        <h2>Send an event</h2>
        <span class="mono">{shortAddress(address)}</span>
        {accepted.length === 0 && <span class="quiet">Its state accepts none by hand.</span>}
        {accepted.length > 0 && (
          <label>
            Event{" "}
            <select value={type} onChange={(event) => setWanted(event.currentTarget.value)}>
              {accepted.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
        )}
        {fields.map((field) => (
          <FieldInput
            key={`${type} ${field.name}`}
            field={field}
            value={values[field.name] ?? startOf(field)}
            onValue={(value) => setValues((last) => ({ ...last, [field.name]: value }))}
          />
        ))}
        {accepted.length > 0 && <button type="submit">Send</button>}
        <span role="status" id="sent">
          {said}
        </span>
      </div>
    </form>
  )
}

/**
 * Events that an active state handles without a refusal. The innermost state with the event decides, unless all of its
 * transitions are guarded. A guard may still refuse; the answer shows it then.
 */
function acceptedBy(run: OpenRun, actor: number): readonly string[] {
  const step = run.positions.stepAt(actor, rowCount(run.index) - 1)
  const chart = run.chartOf(run.index.actors[actor]?.machine ?? null)?.chart
  if (step === NONE || chart === undefined || at(run.index.stepDone, step) === 1) return []
  const active = ["", ...activePaths(run.index.values[at(run.index.stepValue, step)] ?? "null")]
  const pathBySource = new Map(
    chart.nodes.flatMap(({ id, path }) => (active.includes(path) ? [[id, path] as const] : [])),
  )
  const taken = chart.edges.filter(({ kind, source }) => kind === "event" && pathBySource.has(source))
  const isDecidedInside = ({ source, event }: ChartEdge): boolean => {
    const path = pathBySource.get(source) ?? ""
    return taken.some((other) => {
      const inner = pathBySource.get(other.source) ?? ""
      const isInside = inner !== path && (path === "" || inner.startsWith(`${path}.`))
      return isInside && other.event === event && other.guard === null
    })
  }
  const accepted = taken.filter((edge) => !isRefusal(edge) && !isDecidedInside(edge))
  return [...new Set(accepted.flatMap(({ event }) => (event === null ? [] : [event])))].toSorted()
}

interface FieldInputProps {
  readonly field: EventField
  readonly value: string
  readonly onValue: (value: string) => void
}

function FieldInput({ field, value, onValue }: FieldInputProps): JSX.Element {
  const { name, type, choices = [] } = field
  return (
    <label>
      {name}{" "}
      {type === "choice" ? (
        <select value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {choices.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      ) : type === "flag" ? (
        <input
          type="checkbox"
          checked={value === "true"}
          onChange={(event) => onValue(String(event.currentTarget.checked))}
        />
      ) : (
        <input value={value} onInput={(event) => onValue(event.currentTarget.value)} />
      )}
    </label>
  )
}

/** The initial value of an input. */
function startOf({ type, choices = [], isOptional, isNullable }: EventField): string {
  if (type === "choice") return choices[0] ?? ""
  if (type === "flag") return "false"
  if (type === "count") return "1"
  if (type === "weight") return "1"
  return type === "instant" && isOptional !== true && isNullable !== true ? isoMs(Date.now()) : ""
}

/** An empty input is left out if it is optional, otherwise sent as null; the service checks it. */
function valueOf(
  { name, type, isOptional }: EventField,
  text: string,
): readonly (readonly [string, unknown])[] {
  const typed = text.trim()
  if (typed === "") return isOptional === true ? [] : [[name, null]]
  if (type === "flag") return [[name, typed === "true"]]
  return [[name, type === "count" || type === "weight" ? Number(typed) : typed]]
}
