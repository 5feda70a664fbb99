/** Reads the text of a file for the editor: its problems with their places, or its steps in words. */

import { openFragmentFile } from "../scenarios/fragment-files.ts"
import { languageNames } from "../scenarios/scenario-files.ts"
import { placeIn } from "../../simulation/scenario/language/language.ts"
import type { Problem } from "../../simulation/scenario/language/problems.ts"
import { readScenarios } from "../../simulation/scenario/language/read.ts"
import type { ScenarioNames, ScenarioReading } from "../../simulation/scenario/language/read.ts"
import { stepWords } from "../../simulation/scenario/words/explain.ts"
import type { FileCheck, FileProblem } from "../../pages/web/studio/contract.ts"

let names: ScenarioNames | null = null

/** The names of the machines are computed once for a thread. */
export function knownNames(): ScenarioNames {
  names ??= languageNames()
  return names
}

export function readText(file: string, text: string): ScenarioReading {
  return readScenarios(file, text, knownNames(), openFragmentFile)
}

export function checkOf(file: string, text: string): FileCheck {
  const { steps, problems } = readText(file, text)
  return {
    problems: problems.map((problem) => problemOf(problem, file)),
    steps: steps.map((step) => ({
      line: (placeIn(file, step.place) ?? step.place).line,
      words: stepWords(step),
    })),
  }
}

/** A problem in a fragment stands at the step that uses it, or at the top when none does. */
export function problemOf(problem: Problem, file: string): FileProblem {
  const { place, suggestion, expected, help } = problem
  const isOwn = place.file === file
  const shown = placeIn(file, place) ?? { line: 1, column: 1 }
  return {
    line: shown.line,
    column: shown.column,
    length: isOwn ? Math.max(1, problem.length) : 1,
    message: isOwn ? problem.message : `${place.file}:${place.line}:${place.column}: ${problem.message}`,
    suggestion: suggestion ?? null,
    expected: expected ?? null,
    help: help ?? null,
  }
}
