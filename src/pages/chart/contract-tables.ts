/** A machine's contract as Markdown: its events, its start input, its replies, what it publishes, and its decisions. */

import { fieldNames, reasonAgainst } from "../../model/machine-contract.ts"
import type { MachineContract } from "../../model/machine-contract.ts"
import { code, table } from "./markdown-table.ts"

type AnySchema = MachineContract["input"]

/** One row for each event. */
export function eventTable(contract: MachineContract): string {
  const rows = Object.entries(contract.events).map(([type, fields]) => [
    code(type),
    namesOf(fields),
    reasonAgainst(contract, type) ?? "",
  ])
  return table(["Event", "Fields", "Not sent by hand, because"], rows)
}

/** One row for the start, the replies and each published event. */
export function exchangeTable({ input, reply, publishes }: MachineContract): string {
  const rows = [
    ["is started with", "", namesOf(input)],
    ...(fieldNames(reply).length === 0 ? [] : [["answers", "", namesOf(reply)]]),
    ...Object.entries(publishes).map(([event, extras]) => ["publishes", code(event), namesOf(extras)]),
  ]
  return table(["It", "Event", "Fields"], rows)
}

/** One row for each decision function. */
export function decisionTable({ decisions }: MachineContract): string {
  const rows = Object.entries(decisions).map(([name, { about, facts, result }]) => [
    code(name),
    about.map((type) => (type === "@start" ? "the start" : code(type))).join(", "),
    namesOf(facts),
    namesOf(result),
  ])
  return table(["Decision", "About", "Facts", "Result"], rows)
}

function namesOf(fields: AnySchema): string {
  return fieldNames(fields).map(code).join(", ")
}
