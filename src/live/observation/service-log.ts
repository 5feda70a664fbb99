/**
 * The service's log: one pino logger for requests and everything else, lines on stderr. An error is shown by name,
 * message and stack, never by its other fields, because drivers and parsers keep input data in them. `scrubbed` removes
 * secrets that a message may still quote.
 */

import { Cause, FiberRefs, HashMap, Logger, Option } from "effect"
import type { Layer, LogLevel } from "effect"
import { pino } from "pino"
import type { Logger as Pino } from "pino"
import { CurrentSpan } from "../../engine/services/tracing.ts"
import type { Configuration } from "../configuration/configuration.ts"

export interface ServiceLogOptions {
  readonly level: Configuration["logLevel"]
  readonly format: Configuration["logFormat"]
  /** Receives whole lines. */
  readonly write: (line: string) => void
}

export type ServiceLog = Pino

export function makeServiceLog({ level, format, write }: ServiceLogOptions): ServiceLog {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: errorShown, error: errorShown, cause: errorShown },
  }
  return pino(options, {
    write: (line) => write(scrubbed(format === "json" ? line : `${logfmt(line)}\n`)),
  })
}

interface RelayedLine {
  readonly level: "debug" | "error" | "info" | "warn"
  readonly time: string
  readonly msg: string
}

/** Writes the JSON lines of another thread's log to this log. */
export function relayTo(log: ServiceLog, name: string): (line: string) => void {
  const asItIs = (shown: unknown): unknown => shown
  const relay = log.child({ thread: name }, { serializers: { err: asItIs, error: asItIs, cause: asItIs } })
  return (line) => {
    // Drops its time, because this log adds its own.
    const { level, msg, ...fields } = JSON.parse(line) as RelayedLine
    relay[level]({ ...fields, time: undefined }, msg)
  }
}

/** Effect's log goes to the same logger; annotations become fields. */
export function layerServiceLog(log: ServiceLog): Layer.Layer<never> {
  const logger = Logger.make(({ annotations, cause, context, logLevel, message }) => {
    const span = FiberRefs.getOrDefault(context, CurrentSpan)
    const failures = Cause.isEmpty(cause) ? {} : { err: errorOf(cause) }
    const words = [message].flat().map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
    log[methodOf(logLevel)](
      {
        ...Object.fromEntries(HashMap.toEntries(annotations)),
        ...(span === null ? {} : { trace_id: span.traceId }),
        ...failures,
      },
      words.join(" "),
    )
  })
  return Logger.replace(Logger.defaultLogger, logger)
}

function methodOf({ ordinal }: LogLevel.LogLevel): "debug" | "info" | "warn" | "error" {
  if (ordinal < 20_000) return "debug"
  if (ordinal < 30_000) return "info"
  return ordinal < 40_000 ? "warn" : "error"
}

function errorOf(cause: Cause.Cause<unknown>): unknown {
  return Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
}

interface ShownError {
  readonly type: string
  readonly message: string
  readonly at: readonly string[]
  readonly cause?: ShownError
}

/** Causes that are shown beneath an error. */
const CAUSES_MAX = 5
const FRAMES_MAX = 20

function errorShown(error: unknown, depth = 0): ShownError {
  if (!(error instanceof Error)) return { type: typeof error, message: "not an error", at: [] }
  const { name, message, stack = "", cause } = error
  return {
    type: name,
    message: withoutParameters(message),
    at: stack
      .split("\n")
      .filter((line) => /^\s+at /.test(line))
      .slice(0, FRAMES_MAX)
      .map((line) => line.trim().slice("at ".length)),
    ...(cause === undefined || depth >= CAUSES_MAX ? {} : { cause: errorShown(cause, depth + 1) }),
  }
}

/** Drizzle's message of a failed query ends with the values of its parameters. */
function withoutParameters(message: string): string {
  return message.replace(/\nparams: [\s\S]*$/, "")
}

/** Patterns of secrets, and of phone numbers, whose last four digits are kept. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b((?:ck|ot)_(?:prod|sbx)|whsec|mc[acr]|[rs]k_(?:live|test))_[\w+/=-]+/g, "$1_removed"],
  [/\b(Bearer|Basic) +[\w.~+/=-]+/gi, "$1 removed"],
  [/([?&](?:sig|token|key)=)[^&\s"\\]+/gi, "$1removed"],
  [/\b(postgres(?:ql)?:\/\/)[^@\s"]+@/gi, "$1removed@"],
  [/\+\d{4,11}(\d{4})\b/g, "+removed$1"],
]

/** The last safeguard: removes secrets from a line. */
function scrubbed(line: string): string {
  return SHAPES.reduce((text, [shape, instead]) => text.replace(shape, instead), line)
}

/** `time=… level=info msg="…" key=value`; nested values stay JSON. */
function logfmt(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>
  return Object.entries({ time, level, msg, ...rest })
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `${key}=${typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)}`,
    )
    .join(" ")
}
