/** The text of a scenario that was written from a journal: one line of YAML for each step. */

import { stringify } from "yaml"

export interface WrittenScenario {
  readonly text: string
  /** What the file cannot repeat, a sentence each. */
  readonly notes: readonly string[]
}

export interface WrittenParts {
  readonly title: string
  /** Why the scenario is there, a sentence; null for a usual one. */
  readonly because: string | null
  readonly clock: string
  readonly isSandbox: boolean
  readonly given: object
  readonly steps: readonly object[]
  readonly notes: readonly string[]
}

export function scenarioFile({
  title,
  because,
  clock,
  isSandbox,
  given,
  steps,
  notes,
}: WrittenParts): WrittenScenario {
  const head = {
    scenario: title,
    because: because?.replace(/\s+/g, " ").trim() || USUAL_BECAUSE,
    tags: ["recorded"],
    clock,
    ...(isSandbox ? { environment: "sandbox" } : {}),
    given,
  }
  const lines = [
    "# yaml-language-server: $schema=./scenario.schema.json",
    `# Written from a journal by "npx curbline scenario from"; change it as any other scenario.`,
    ...notes.map((note) => `# Not repeated: ${note}`),
    ...Object.entries(head).map(([key, value]) => `${key}: ${flow(value)}`),
    "steps:",
    ...steps.map((step) => `  - ${flow(step).replace(/^\{ (expect: .*) \}$/, "$1")}`),
  ]
  return { text: `${lines.join("\n")}\n`, notes }
}

const USUAL_BECAUSE = "It repeats a recorded course; ids, people and URLs are invented."

/** One line of YAML. */
function flow(value: unknown): string {
  const text = stringify(value, { collectionStyle: "flow", lineWidth: 0, version: "1.2" })
  // The values are words, numbers and times; none has brackets of its own.
  return text.trimEnd().replaceAll("[ ", "[").replaceAll(" ]", "]")
}

/** The index of the step that a line of the text holds. */
export function stepAtLine(text: string, line: number): number {
  const lines = text.split("\n")
  return line - 2 - lines.indexOf("steps:")
}
