/** The selected actor's context at the playhead, with the changes of its last step. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { changesOf, jsonText } from "../../inspection/difference.ts"
import { shownValue } from "../../inspection/shown-value.ts"
import { NONE } from "../../inspection/run-index.ts"
import type { JsonObject } from "../../../model/values/json.ts"
import { contextAfter, useRead } from "./entries.ts"
import type { Scene } from "./scene.ts"

interface Contexts {
  readonly before: JsonObject | null
  readonly after: JsonObject | null
  /** The step that these belong to, so that the context of one moment is never shown with the state of another. */
  readonly step: number
}

export function Context({ run, view }: Scene): JSX.Element {
  const [find, setFind] = useState("")
  const step = view.actor === NONE ? NONE : run.positions.stepAt(view.actor, view.row)
  const contexts = useRead<Contexts>(async () => {
    const before = step === NONE ? NONE : run.positions.stepBefore(step)
    return { step, before: await contextAfter(run, before), after: await contextAfter(run, step) }
  }, [run, step])
  const isRead = contexts !== null && contexts.step === step
  return (
    <section aria-labelledby="context-title" id="context" data-step={isRead ? step : ""}>
      <div class="bar">
        <h3 id="context-title">Values</h3>
        <input
          type="search"
          class="grow"
          placeholder="find a key or value"
          aria-label="Find in the context"
          value={find}
          onInput={(event) => setFind(event.currentTarget.value)}
        />
      </div>
      {isRead && <Fields contexts={contexts} find={find.trim().toLowerCase()} zone={run.packed.head.zone} />}
    </section>
  )
}

/** `graceMs` of `policy.graceMs`, `backoffMs` of `backoffMs[1]`: the name that determines the kind of value. */
function lastKey(path: string): string {
  return (path.split(".").at(-1) ?? path).replace(/\[\d+\]$/, "")
}

interface FieldsProps {
  readonly contexts: Contexts
  readonly find: string
  /** The time zone in which instants are shown. */
  readonly zone: string
}

function Fields({ contexts, find, zone }: FieldsProps): JSX.Element {
  const { before, after } = contexts
  if (after === null) return <p class="quiet">The record holds no context here.</p>
  const keys = [...new Set([...Object.keys(after), ...Object.keys(before ?? {})])]
  const changed = new Map(
    keys.map((key) => [key, before === null ? [] : changesOf(before[key], after[key], key)] as const),
  )
  const isChanged = (key: string): boolean => (changed.get(key) ?? []).length > 0
  const inOrder = [...keys.filter(isChanged), ...keys.filter((key) => !isChanged(key))]
  const rows = inOrder.filter((key) =>
    `${key} ${jsonText(after[key])} ${shownValue(key, after[key], zone)}`.toLowerCase().includes(find),
  )
  if (keys.length === 0) return <p class="quiet">This machine keeps none.</p>
  return (
    <table>
      <caption>
        {keys.filter(isChanged).length} of {keys.length} changed by the last step
      </caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((key) => {
          const changes = changed.get(key) ?? []
          return (
            <tr key={key} class={changes.length > 0 ? "is-changed" : ""} data-key={key}>
              <th scope="row" class="mono">
                {changes.length > 0 ? "● " : ""}
                {key}
              </th>
              <td class="mono" title={jsonText(after[key])}>
                {changes.length === 0
                  ? shownValue(key, after[key], zone)
                  : changes.map(({ path, ...change }) => (
                      <div key={path}>
                        {path === key ? "" : `${path}: `}
                        <del>{shownValue(lastKey(path), change.before, zone)}</del> →{" "}
                        <ins>{shownValue(lastKey(path), change.after, zone)}</ins>
                      </div>
                    ))}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
