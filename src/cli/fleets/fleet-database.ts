/**
 * Fleets on many machines: `curbline fleet work`, and the messages of `curbline fleet FILE --database URL` while it
 * waits.
 */

import { startGathering } from "./parallel/gather.ts"
import type { Gathering } from "./parallel/gather.ts"
import { FleetDatabaseFault, placeOf } from "./parallel/shared-database.ts"
import { startThreads } from "./parallel/threads.ts"
import { OtherProgram, work } from "./parallel/work.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { programName } from "../../live/configuration/build.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { watchShell } from "../kit/npm-shell.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err } from "../kit/terminal.ts"
import { threadsOf } from "../kit/threads.ts"

export interface WorkFlags {
  readonly database: string
  readonly threads?: string
}

/** Takes replications until Ctrl-C, SIGTERM, or until only jobs of another program version are left. */
export async function fleetWorkCommand(flags: WorkFlags): Promise<ExitStatus> {
  const url = databaseUrl(flags.database)
  const atOnce = threadsOf("--threads", flags.threads ?? "all")
  const program = programName()
  const stopping = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.removeAllListeners(signal)
    process.once(signal, () => stopping.abort())
  }
  watchShell(process.env, () => stopping.abort())
  const threads = startThreads(atOnce)
  err(`${counted(atOnce, "thread")} for replications at ${placeOf(url)}, program ${program}; Ctrl-C ends it`)
  try {
    await work({
      url,
      program,
      atOnce,
      replicate: threads.replicate,
      stopped: stopping.signal,
      tell: err,
      onDone: ({ seed, turns, digest }) =>
        err(`seed ${seed}: ${turns.toLocaleString("en-US")} turns, digest ${digest}`),
    })
    return EXIT.interrupted
  } catch (cause) {
    throw asUsage(cause)
  } finally {
    await threads.close()
  }
}

/** Sends replications to a shared database and gathers them from there. After Ctrl-C the workers go on. */
export async function gatherFrom(written: string, tell: (line: string) => void): Promise<Gathering> {
  const url = databaseUrl(written)
  process.prependOnceListener("SIGINT", () => {
    tell("what is not made yet stays in the queue: the same command gathers it, as long as results are kept")
  })
  return startGathering({ url, program: programName(), tell }).catch((cause: unknown) => {
    throw asUsage(cause)
  })
}

/** The text is not repeated in messages: it may contain a password. */
export function databaseUrl(written: string): string {
  if (/^postgres(ql)?:\/\//.test(written) && URL.canParse(written)) return written
  throw new UsageError("--database takes a URL that begins with postgres:// or postgresql://")
}

function asUsage(cause: unknown): unknown {
  return cause instanceof FleetDatabaseFault || cause instanceof OtherProgram
    ? new UsageError(cause.message)
    : cause
}
