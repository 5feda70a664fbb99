/** Contracts of machines: they name every event of the machine, and they hold for all that the kept journals say. */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Schema, Struct } from "effect"
import { describe, expect, test } from "vitest"
import { contractOf, contracts } from "../../machines/contracts.ts"
import { chartOf } from "../../src/pages/chart/chart-document.ts"
import { registeredMachines } from "../../src/pages/chart/registered-machine.ts"
import { inputsOf } from "../../src/model/event-fields.ts"
import type { EntryBody } from "../../src/engine/kernel/journal.ts"
import type { MachineContract } from "../../src/model/machine-contract.ts"

describe.each(registeredMachines())("the contract of $id", ({ id, machine }) => {
  const events = new Set(
    chartOf(id, machine).edges.flatMap(({ kind, event }) =>
      kind === "event" && event !== null ? [event] : [],
    ),
  )
  const contract = contractOf(id)

  test("names the events that the machine takes", () => {
    expect(Object.keys(contract?.events ?? {}).toSorted()).toEqual([...events].toSorted())
  })

  test("decides about its own events, and has no reason against others", () => {
    const about = Object.values(contract?.decisions ?? {}).flatMap((decision) => decision.about)
    const against = typeof contract?.notByHand === "string" ? [] : Object.keys(contract?.notByHand ?? {})
    expect([...about, ...against].filter((type) => type !== "@start" && !events.has(type))).toEqual([])
  })
})

test("an input offers what a field takes", () => {
  expect(inputsOf(contracts["bot@1"].events["bot.arrived"])).toEqual([
    { name: "occurredAtMs", type: "instant" },
    { name: "etaMs", type: "instant", isOptional: true, isNullable: true },
    { name: "isWalked", type: "flag", isOptional: true },
  ])
  expect(inputsOf(contracts["open-link@1"].events["call.succeeded"])).toEqual([
    { name: "attempt", type: "count" },
  ])
})

describe("what the kept journals say holds to the contracts", () => {
  const folder = join(import.meta.dirname, "../simulation/replay")
  const files = readdirSync(folder).filter((name) => name.endsWith(".ndjson"))

  test.each(files)("%s", (name) => {
    const lines = readFileSync(join(folder, name), "utf8").trim().split("\n")
    const entries = lines.flatMap((line) => (JSON.parse(line) as { readonly e?: EntryBody }).e ?? [])
    const broken = entries.flatMap(brokenIn)
    expect([...new Set(broken)]).toEqual([])
    expect(entries.length).toBeGreaterThan(0)
  })
})

/** By address. */
const machines = new Map<string, string>()

function brokenIn(entry: EntryBody): readonly string[] {
  const { machine, start, event, by, facts, decision, decided, steps, to, refused } = entry
  const contract = contractOf(machine)
  if (contract === null) return [`${machine} has no contract`]
  const about = start === undefined ? (event?.type ?? "") : "@start"
  const found = decision === null ? undefined : contract.decisions[decision]
  // A start by message brings what was decided elsewhere.
  const input = Struct.omit(start?.input ?? {}, "decided")
  return [
    ...(start === undefined ? [] : differences(`${machine} @start`, contract.input, input)),
    ...(event === undefined || by === "timer" ? [] : eventDifferences(machine, contract, event)),
    ...(decision === null ? [] : differences(`${decision} facts`, found?.facts, facts)),
    ...(decision === null ? [] : differences(`${decision} result`, found?.result, decided)),
    ...(decision === null || found?.about.includes(about) === true
      ? []
      : [`${decision} is not about ${about}`]),
    ...(refused === null ? steps.flatMap((step) => stepDifferences(step, to)) : []),
  ]
}

function stepDifferences({ a, on, asked }: EntryBody["steps"][number], to: string): readonly string[] {
  const given = on as { readonly type: string; readonly machine?: string }
  if (given.type === "@start") machines.set(a, given.machine ?? "")
  const machine = machines.get(a) ?? ""
  const contract = contractOf(machine)
  if (contract === null) return [`${a} was never started`]
  return [
    ...(given.type === "@start" || given.type.startsWith("xstate.after") || a === to
      ? []
      : eventDifferences(machine, contract, given)),
    ...asked.flatMap((one) => {
      if (one.type === "kernel.reply") return differences(`${machine} reply`, contract.reply, one.value)
      if (one.type !== "kernel.publish") return []
      return differences(`${machine} ${one.event}`, contract.publishes[one.event], one.extras)
    }),
  ]
}

function eventDifferences(machine: string, contract: MachineContract, event: { readonly type: string }) {
  const fields: { readonly type: string; readonly atMs?: number } = event
  const what = `${machine} ${event.type}`
  return differences(what, contract.events[event.type], Struct.omit(fields, "type", "atMs"))
}

function differences(
  what: string,
  schema: Schema.Schema.AnyNoContext | undefined,
  value: unknown,
): readonly string[] {
  if (schema === undefined) return [`${what} is not in the contract`]
  const isRight = Schema.is(Schema.typeSchema(schema), { onExcessProperty: "error" })(value)
  return isRight ? [] : [`${what}: ${JSON.stringify(value)}`]
}
