/** Reads the text of a file for the editor: its problems with their places, or its steps in words. */

import { languageNames } from "../scenario-files.ts"
import type { Problem } from "../../simulation/scenario/problems.ts"
import { readScenarios } from "../../simulation/scenario/read.ts"
import type { ScenarioNames, ScenarioReading } from "../../simulation/scenario/read.ts"
import { stepWords } from "../../simulation/scenario/explain.ts"
import type { FileCheck, FileProblem } from "../../web/studio/contract.ts"

let names: ScenarioNames | null = null

/** The names of the machines are computed once for a thread. */
export function knownNames(): ScenarioNames {
  names ??= languageNames()
  return names
}

export function readText(file: string, text: string): ScenarioReading {
  return readScenarios(file, text, knownNames())
}

export function checkOf(file: string, text: string): FileCheck {
  const { scenarios, problems } = readText(file, text)
  // The rows of a matrix have the same lines.
  const steps = scenarios[0]?.steps ?? []
  return {
    problems: problems.map(problemOf),
    steps: steps.map((step) => ({ line: step.place.line, words: stepWords(step) })),
  }
}

export function problemOf({ place, length, message, suggestion, expected, help }: Problem): FileProblem {
  return {
    line: place.line,
    column: place.column,
    length: Math.max(1, length),
    message,
    suggestion: suggestion ?? null,
    expected: expected ?? null,
    help: help ?? null,
  }
}
