/** `curbline serve`: runs the service until a signal stops it. */

import { join } from "node:path"
import { setTimeout as after } from "node:timers/promises"
import { Effect, Either } from "effect"
import { END_MS_MAX, STOP_MS_MAX } from "../../live/configuration/bounds.ts"
import { SETTINGS, readConfiguration } from "../../live/configuration/configuration.ts"
import type { Configuration } from "../../live/configuration/configuration.ts"
import type { DemoPlace } from "../../live/demo/demo.ts"
import { stderrLines } from "../../live/observation/log-lines.ts"
import { makeServiceLog } from "../../live/observation/service-log.ts"
import type { ServiceLog } from "../../live/observation/service-log.ts"
import { StartFault } from "../../live/start/start-fault.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import { startService } from "../../live/main.ts"
import type { RunningService } from "../../live/main.ts"
import { DataFolderFault, FolderUnusable, prepareDataFolder } from "../../engine/store/data-folder.ts"
import { openControl } from "./control.ts"
import type { Control } from "./control.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { greetingOf } from "./greeting.ts"
import { explainingHolder } from "../kit/held-folder.ts"
import { onLocalFiles } from "../kit/local-files.ts"
import { watchShell } from "../kit/npm-shell.ts"
import { guardProcess } from "../kit/process-guards.ts"
import { unusableIn } from "../kit/known-failures.ts"
import { forgetRunning, noteRunning } from "../kit/running-service.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err, goOnWhenUnread, out } from "../kit/terminal.ts"

/** Flags as given; missing ones come from the environment or have defaults. */
export interface ServeFlags {
  readonly host?: string
  readonly productionPort?: string
  readonly sandboxPort?: string
  readonly data?: string
  readonly allowLocalTargets?: boolean
  readonly demo?: boolean
  readonly fleetSpeed?: string
}

/** Measured on two busy cores: 6 to 12 s. */
const FIRST_START_SECONDS = 10

/** Runs until SIGINT, SIGTERM or the end of the npm command that started it, then stops in order; a second signal ends it at once. */
export async function serveCommand(flags: ServeFlags): Promise<ExitStatus> {
  const configuration = configurationOf(flags)
  const { dataDir } = configuration
  const isEmbedded = configuration.databaseUrl === null
  goOnWhenUnread()
  const { write, flush } = stderrLines(configuration.logFormat)
  const log = makeServiceLog({ level: configuration.logLevel, format: configuration.logFormat, write })
  const signal = firstSignal()
  const unguard = guardProcess(log, flush)
  try {
    const isNew = isEmbedded && (await onLocalFiles(prepareDataFolder(join(dataDir, "database"))))
    if (isNew)
      err(`making the database in ${dataDir}, and demo data in it: about ${FIRST_START_SECONDS} s, once`)
    const service = await explainingHolder(
      startService({ configuration, log, demo: demoPlace(flags, isEmbedded) }),
      (pid) =>
        pid === null
          ? `another process holds the database in ${dataDir}; try again, or name another --data`
          : `process ${pid} already serves from ${dataDir}; stop it or name another --data`,
      dataDir,
    )
    return await servedUntil({ signal, service, configuration, log })
  } catch (cause) {
    if (!isOfStart(cause)) throw cause
    err(`error: ${cause.message}`)
    return isOfSettings(cause) ? EXIT.usage : EXIT.failed
  } finally {
    unguard()
    flush()
    endSoon()
  }
}

function isOfStart(cause: unknown): cause is StartFault | DataFolderFault | FolderUnusable {
  return cause instanceof StartFault || cause instanceof DataFolderFault || cause instanceof FolderUnusable
}

function isOfSettings(cause: StartFault | DataFolderFault | FolderUnusable): boolean {
  if (unusableIn(cause)?.isUsage === true || cause instanceof DataFolderFault) return true
  return cause instanceof StartFault && cause.isOfSettings === true
}

interface Serving {
  readonly signal: Promise<string>
  readonly service: RunningService
  readonly configuration: Configuration
  readonly log: ServiceLog
}

/**
 * Prints that the service is ready, and stops in order at the signal. If something fails before, the service is stopped
 * too.
 */
async function servedUntil({ signal, service, configuration, log }: Serving): Promise<ExitStatus> {
  const { databaseUrl, dataDir } = configuration
  const isEmbedded = databaseUrl === null
  let control: Control | null = null
  const stopped = async (): Promise<boolean> => {
    if (isEmbedded) forgotten(dataDir, log)
    await control?.close()
    const isInTime = await endsInTime(service.stop())
    if (!isInTime)
      log.error(`not stopped after ${STOP_MS_MAX / SECOND_MS} s: ending all the same, as a crash would`)
    return isInTime
  }
  try {
    if (isEmbedded) {
      control = await openControl(service)
      noteRunning(dataDir, { base_urls: service.localUrls, control: control.path })
    }
    out(greetingOf(service, configuration))
    log.info({ signal: await signal }, "stopping: finishing requests and calls")
  } catch (cause) {
    await stopped()
    throw cause
  }
  if (!(await stopped())) return EXIT.failed
  log.info("stopped")
  return EXIT.passed
}

/** A folder that was closed meanwhile must not keep the service from stopping in order; the note names a process that is gone. */
function forgotten(dataDir: string, log: ServiceLog): void {
  try {
    forgetRunning(dataDir)
  } catch (cause) {
    log.warn({ err: cause }, `service.json stays in ${dataDir}; the next start replaces it`)
  }
}

/** An open handle must not keep a stopped process alive; without one the process ends earlier. */
function endSoon(): void {
  setTimeout(() => process.exit(), END_MS_MAX).unref()
}

/** A stop that hangs must not keep the process alive: it no longer serves, and the effect is that of a crash. */
function endsInTime(stopped: Promise<void>): Promise<boolean> {
  const late = after(STOP_MS_MAX, false, { ref: false })
  return Promise.race([stopped.then(() => true), late])
}

/** On a database that others may use, demo data is created only on request. */
function demoPlace({ demo }: ServeFlags, isEmbedded: boolean): DemoPlace {
  if (demo === true) return "anywhere"
  return isEmbedded ? "in a new database" : "nowhere"
}

function configurationOf(flags: ServeFlags): Configuration {
  const { host, productionPort, sandboxPort, data, allowLocalTargets, fleetSpeed } = flags
  const read = readConfiguration({
    flags: {
      [SETTINGS.host.name]: host,
      [SETTINGS.productionPort.name]: productionPort,
      [SETTINGS.sandboxPort.name]: sandboxPort,
      [SETTINGS.dataDir.name]: data,
      [SETTINGS.allowsLocalTargets.name]: allowLocalTargets === true ? "true" : undefined,
      [SETTINGS.fleetSpeed.name]: fleetSpeed,
    },
    environment: process.env,
  })
  const configuration = Effect.runSync(Effect.either(read))
  if (Either.isRight(configuration)) return configuration.right
  throw new UsageError(configuration.left.message)
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const

/**
 * Listens from now on without a gap in which a signal would end the process. The first signal is returned, a second one
 * ends the process at once.
 */
function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    let isStopping = false
    const take = (signal: string): void => {
      if (isStopping) process.exit(EXIT.interrupted)
      isStopping = true
      resolve(signal)
    }
    for (const signal of SIGNALS) {
      // Replaces the command line's own handler for Ctrl-C, which ends at once.
      const others = process.listeners(signal)
      process.on(signal, take)
      for (const other of others) process.off(signal, other)
    }
    // Ctrl-C reaches this process as well: it then comes first, and no second time.
    watchShell(process.env, () => resolve("end of the npm command"))
  })
}
