/** `curbline agent`: the forty errands with the scripted agent or with a language model, a row for each. */

import { brotliCompressSync } from "node:zlib"
import { BROTLI } from "../../http/bodies/kept-body.ts"
import { KEPT_BODY_COMPRESSED_BYTES_MIN } from "../../model/values/limits.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import type { Errand } from "../../simulation/errands/errand.ts"
import { FORTY_ERRANDS } from "../../simulation/errands/forty/forty-errands.ts"
import { runErrand } from "../../simulation/errands/run-errand.ts"
import type { ErrandResult } from "../../simulation/errands/run-errand.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { out } from "../kit/terminal.ts"
import { tableOf } from "../kit/text-table.ts"
import { UsageError } from "../kit/usage-error.ts"
import { MODEL_KEY, modelAt, readTranscript, recorded, runWithModel } from "./model-agent.ts"
import type { Speaker } from "./model-agent.ts"

export interface AgentFlags {
  readonly grep?: string
  readonly json?: boolean
  readonly model?: string
  readonly url?: string
  readonly record?: string
  readonly replay?: string
}

export async function agentCommand(flags: AgentFlags): Promise<ExitStatus> {
  const { grep, json, replay } = flags
  const transcript = replay === undefined ? null : readTranscript(replay)
  const errands = chosenErrands(grep).filter(({ name }) => transcript?.names.has(name) ?? true)
  if (errands.length === 0) throw new UsageError(`${replay} has no such errand`)
  const speaker = transcript?.speaker ?? speakerOf(flags)
  const results: ErrandResult[] = []
  for (const errand of errands) {
    const options = { sentBytes }
    results.push(
      speaker === null ? runErrand(errand, options) : await runWithModel(errand, { speaker, options }),
    )
  }
  const rows = results.map((result) => rowOf(result))
  out(
    json === true ? JSON.stringify({ ...totalsOf(results), errands: rows }, null, 2) : textOf(results, rows),
  )
  return results.every(({ endedRight }) => endedRight) ? EXIT.passed : EXIT.failed
}

/** The model of the flags; null for the scripted agent. */
function speakerOf({ model, url, record }: AgentFlags): Speaker | null {
  if (model === undefined && url === undefined && record === undefined) return null
  if (model === undefined || url === undefined)
    throw new UsageError("a model needs both --model and --url, such as --url https://api.openai.com/v1")
  const key = process.env[MODEL_KEY]
  const speaker = modelAt({ model, url, key })
  return record === undefined ? speaker : recorded(speaker, { file: record, key })
}

/** As the endpoint sends it to a client that accepts Brotli. */
function sentBytes(answer: string): number {
  const { length } = Buffer.from(answer)
  return length < KEPT_BODY_COMPRESSED_BYTES_MIN ? length : brotliCompressSync(answer, BROTLI).length
}

/** Those with the text in their name or request, in any case. */
function chosenErrands(text = ""): readonly Errand[] {
  const wanted = text.toLowerCase()
  const chosen = FORTY_ERRANDS.filter(({ name, says }) => `${name}\n${says}`.toLowerCase().includes(wanted))
  if (chosen.length === 0) throw new UsageError(`no errand has "${text}" in its name or request`)
  return chosen
}

function rowOf({ errand, endedRight, found, deadEnd, traffic }: ErrandResult) {
  const { requests, toolCalls, polls, bytes, wireBytes } = traffic
  return {
    errand: errand.name,
    right: endedRight,
    requests,
    calls: toolCalls,
    polls,
    bytes,
    wire_bytes: wireBytes,
    dead_end: deadEnd,
    found: Object.keys(found).length === 0 ? null : found,
  }
}

function totalsOf(results: readonly ErrandResult[]) {
  const sum = (of: (result: ErrandResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0)
  return {
    errands_run: results.length,
    right: sum(({ endedRight }) => Number(endedRight)),
    dead_ends: sum(({ deadEnd }) => Number(deadEnd !== null)),
    calls: sum(({ traffic }) => traffic.toolCalls),
    bytes: sum(({ traffic }) => traffic.bytes),
    wire_bytes: sum(({ traffic }) => traffic.wireBytes),
  }
}

function textOf(results: readonly ErrandResult[], rows: readonly ReturnType<typeof rowOf>[]): string {
  const { errands_run: all, right, dead_ends: deadEnds, calls, bytes, wire_bytes: wire } = totalsOf(results)
  const fields = ["errand", "right", "calls", "polls", "bytes", "wire_bytes", "dead_end", "found"]
  const ends = deadEnds === 0 ? "no dead end" : `${deadEnds} at a dead end`
  const total = `${right} of ${all} right, ${ends}, ${counted(calls, "call")}, ${bytes} bytes, ${wire} on the wire`
  return `${tableOf(rows, fields)}\n\n${total}`
}
