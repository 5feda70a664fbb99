/** Errors that keep the service from starting. */

import { Cause, Data, Option, Runtime } from "effect"
import { DemoFileFault } from "../demo/demo-file.ts"
import { DatabaseFault } from "../../engine/store/database.ts"
import { UnsuitableServer } from "../../engine/store/postgres/server-checks.ts"
import { WrongSecret } from "../../areas/webhooks/store/sealed-secrets.ts"

/** The service could not start for a reason that the operator can fix. The message is one line. */
export class StartFault extends Data.TaggedError("StartFault")<{
  readonly problem: string
  readonly cause?: unknown
  /** True when a setting is wrong: the same start fails again. */
  readonly isOfSettings?: boolean
}> {
  override get message(): string {
    return this.problem
  }
}

/** A known reason in one sentence; any other cause is returned unchanged, with its stack. */
export function startFaultOf(cause: unknown): unknown {
  const known = failureIn(cause)
  if (known instanceof DatabaseFault || known instanceof WrongSecret || known instanceof DemoFileFault) {
    const isOfSettings = known instanceof WrongSecret || Object(known.cause) instanceof UnsuitableServer
    return new StartFault({ problem: known.message, cause, isOfSettings })
  }
  const { syscall, port, address } = cause as NodeJS.ErrnoException & { port?: number; address?: string }
  if (syscall !== "listen") return cause
  const place = `port ${port ?? "?"} of ${address ?? "?"}`
  const problem =
    (cause as NodeJS.ErrnoException).code === "EADDRINUSE"
      ? `${place} is taken; choose another with --production-port or --sandbox-port`
      : `${place} cannot be listened on: ${sentenceOf(cause)}`
  return new StartFault({ problem, cause })
}

/** The failure inside the cause of a failed Effect. */
function failureIn(cause: unknown): unknown {
  return Runtime.isFiberFailure(cause)
    ? Option.getOrElse(Cause.failureOption(cause[Runtime.FiberFailureCauseId]), () => cause)
    : cause
}

export function sentenceOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
