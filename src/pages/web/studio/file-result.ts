/** What the list shows of the runs of a file. */

import type { FileResult, RunAnswer } from "./contract.ts"

export function fileResultOf(path: string, { runs, problems }: RunAnswer): FileResult {
  const [problem] = problems
  const wallMs = runs.reduce((sum, one) => sum + one.wallMs, 0)
  if (problem !== undefined)
    return { path, verdict: "unreadable", wallMs, message: `line ${problem.line}: ${problem.message}` }
  const bad = runs.find(({ verdict }) => verdict === "failed" || verdict === "fault")
  if (bad !== undefined)
    return { path, verdict: bad.verdict, wallMs, message: bad.failures[0]?.message ?? null }
  const reason = runs.every(({ verdict }) => verdict === "not run") ? runs[0]?.service?.leftOut[0] : undefined
  if (reason === undefined) return { path, verdict: "passed", wallMs, message: null }
  return { path, verdict: "not run", wallMs, message: `${reason.what}: ${reason.why}` }
}
