import { describe, expect, test } from "vitest"
import type { AnyStateMachine } from "xstate"
import { createMachine } from "xstate"
import { chartOf } from "../../../src/pages/chart/chart-document.ts"
import { mermaidOf } from "../../../src/pages/chart/mermaid.ts"
import { registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import { tollGate } from "./toll-gate.ts"
import { transitionsIn } from "./transitions-in.ts"

/**
 * The lines of Mermaid's grammar that the chart uses, narrower than Mermaid reads them. Mermaid itself (341 MB installed)
 * is no dependency; 11.x and 12.3 parsed and laid out the diagrams of all machines when this was written.
 */
const ID = "[sf]_[A-Za-z0-9_]+"
const TEXT = '(?:[^#:;"<>{}%`*\\\\]|#\\d+;)+'
const BOX = new RegExp(`^state "${TEXT}" as ${ID}$`)
const BLOCK = new RegExp(`^state "${TEXT}" as (${ID}) \\{$`)
const STAYING = new RegExp(`^(?:${ID} : )?${TEXT} / ${TEXT}$`)
const NOTE = new RegExp(`^note right of ${ID}$`)
const FORK = new RegExp(`^state ${ID} <<fork>>$`)
const ARROW = new RegExp(`^${ID} --> ${ID} : ${TEXT}$`)
const START = new RegExp(`^\\[\\*\\] --> ${ID}$`)
const END = new RegExp(`^${ID} --> \\[\\*\\]$`)
const TINE = new RegExp(`^f_\\d+ --> ${ID}$`)

function linesOf(machine: AnyStateMachine): readonly string[] {
  return mermaidOf(chartOf("any@1", machine)).trimEnd().split("\n")
}

function kindOf(line: string): string {
  const text = line.trim()
  if (text === "}" || text === "--" || text === "end note") return text
  const kinds = { BOX, BLOCK, NOTE, FORK, TINE, START, END, ARROW, STAYING }
  return Object.entries(kinds).find(([, pattern]) => pattern.test(text))?.[0] ?? `unreadable: ${text}`
}

const drawn = [{ id: "toll-gate@1", machine: tollGate as AnyStateMachine }, ...registeredMachines()]

describe.each(drawn)("the Mermaid diagram of $id", ({ machine }) => {
  const [head, ...lines] = linesOf(machine)
  const kinds = lines.map(kindOf)
  const count = (kind: string) => kinds.filter((each) => each === kind).length

  test("has only lines that Mermaid reads", () => {
    expect(head).toBe("stateDiagram-v2")
    expect(kinds.filter((kind) => kind.startsWith("unreadable"))).toEqual([])
  })

  test("closes every block and note that it opens", () => {
    expect(count("}")).toBe(count("BLOCK"))
    expect(count("end note")).toBe(count("NOTE"))
  })

  test("draws every transition once", () => {
    expect(count("ARROW") + count("STAYING")).toBe(transitionsIn(machine.config))
  })

  test("draws every start and every end", () => {
    const { nodes } = chartOf("any@1", machine)
    expect(count("START")).toBe(nodes.filter((node) => node.type === "compound").length)
    expect(count("END")).toBe(nodes.filter((node) => node.type === "final").length)
  })

  test("writes an arrow inside a block only between that block's own states", () => {
    const nameOfDepth: string[] = []
    for (const line of lines) {
      const opened = BLOCK.exec(line.trim())?.[1]
      if (opened !== undefined) nameOfDepth.push(opened)
      if (line.trim() === "}") nameOfDepth.pop()
      const block = nameOfDepth.at(-1)
      if (block === undefined || !ARROW.test(line.trim())) continue
      for (const name of line.trim().split(" : ")[0]?.split(" --> ") ?? [])
        expect(name.startsWith(`${block}_`)).toBe(true)
    }
  })
})

describe("names in a Mermaid diagram", () => {
  test("stay apart and never read as keywords", () => {
    const machine = createMachine({
      id: "words",
      initial: "end",
      states: { end: { on: { go: "note" } }, note: {}, "a b": {}, "a.b": {}, "a-b": {}, 日本: {}, 中国: {} },
    })
    const boxes = linesOf(machine).flatMap((line) => / as (\S+)$/.exec(line)?.[1] ?? [])
    expect(boxes).toEqual(["s_end", "s_note", "s_a_b", "s_a_b_2", "s_a_b_3", "s__", "s___2"])
  })

  test("keep every character of a label as an entity", () => {
    const machine = createMachine({
      id: "labels",
      initial: "idle",
      states: { idle: { on: { 'a:b;"c"#<d>{e}%*': "idle" } } },
    })
    expect(linesOf(machine)).toContain(
      "  s_idle --> s_idle : a#58;b#59;#34;c#34;#35;#60;d#62;#123;e#125;#37;#42;",
    )
  })

  test("mark a state that is entered anew, and a fork into parallel regions", () => {
    const lines = linesOf(tollGate).map((line) => line.trim())
    expect(lines).toContain("s_closed --> s_closed : any other event (entered anew)")
    expect(lines).toContain("s_closed --> s_closed : coin.returned")
    expect(lines.filter((line) => line.startsWith("f_16 -->"))).toEqual([
      "f_16 --> s_open_lamp_on",
      "f_16 --> s_open_bar_shut",
    ])
  })
})
