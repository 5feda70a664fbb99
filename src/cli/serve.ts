/** `curbline serve`: the service, and what to try next as commands that work when pasted. */

import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { Config, ConfigProvider, Effect, Option, Redacted } from "effect"
import { startService } from "../main.ts"
import type { RunningService } from "../main.ts"
import { EXIT } from "./exit-codes.ts"
import type { ExitStatus } from "./exit-codes.ts"
import { forgetRunning, noteRunning, runningService } from "./running-service.ts"
import { UsageError } from "./scenario-files.ts"
import { err, out } from "./terminal.ts"

export interface ServeFlags {
  readonly host: string
  readonly productionPort: string
  readonly sandboxPort: string
  readonly data: string
  readonly allowLocalTargets?: boolean
}

/** A secret that may be absent; an empty one counts as absent. */
function given(name: string): Config.Config<Option.Option<Redacted.Redacted>> {
  return Config.map(
    Config.option(Config.redacted(name)),
    Option.filter((value) => Redacted.value(value) !== ""),
  )
}

/** What the environment says; read once, at start. */
const environment = Config.all({
  /** PostgreSQL 15 or later. Without it the embedded database in the data folder is used. */
  databaseUrl: given("DATABASE_URL"),
  /** At least 32 characters. Digests and signed links derive their keys from it; nodes of one database share it. */
  secret: given("CURBLINE_SECRET"),
  nodeEnv: Config.withDefault(Config.string("NODE_ENV"), "development"),
})

/** Runs until SIGINT or SIGTERM, then stops in order. */
export async function serveCommand(flags: ServeFlags): Promise<ExitStatus> {
  const { databaseUrl, secret, nodeEnv } = Effect.runSync(
    Effect.withConfigProvider(Effect.orDie(environment), ConfigProvider.fromEnv()),
  )
  if (flags.allowLocalTargets === true && nodeEnv === "production") {
    throw new UsageError(
      "--allow-local-targets is for development; it is refused when NODE_ENV is production",
    )
  }
  if (Option.isSome(databaseUrl) && Option.isNone(secret)) {
    throw new UsageError(
      "with DATABASE_URL, set CURBLINE_SECRET too (32 characters or more, the same on every node)",
    )
  }
  if (Option.isSome(secret) && Redacted.value(secret.value).length < 32) {
    throw new UsageError("CURBLINE_SECRET must have 32 characters or more")
  }
  const running = Option.isSome(databaseUrl) ? null : runningService(flags.data)
  if (running !== null) {
    throw new UsageError(
      `process ${running.pid} already serves from ${flags.data}; stop it or name another --data`,
    )
  }
  const isFirstStart = !existsSync(join(flags.data, "database"))
  if (isFirstStart && Option.isNone(databaseUrl)) err(`making a database in ${flags.data}`)
  const service = await startService({
    host: flags.host,
    ports: { production: portOf(flags.productionPort), sandbox: portOf(flags.sandboxPort) },
    dataDir: flags.data,
    databaseUrl: Option.getOrNull(Option.map(databaseUrl, Redacted.value)),
    secret: Option.getOrNull(Option.map(secret, Redacted.value)),
    allowsLocalTargets: flags.allowLocalTargets === true,
  })
  noteRunning(flags.data)
  out(greeting(service, flags))
  await new Promise<void>((end) => {
    process.once("SIGTERM", end)
    process.removeAllListeners("SIGINT")
    process.once("SIGINT", end)
  })
  err("stopping: finishing requests and calls")
  await service.stop()
  forgetRunning(flags.data)
  return EXIT.passed
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw new UsageError(`a port is a number from 1 to 65535, not "${text}"`)
}

function greeting({ baseUrls }: RunningService, { data }: ServeFlags): string {
  const demo = resolve(data, "demo.json")
  const lines = [`production ${baseUrls.production}`, `sandbox    ${baseUrls.sandbox}`]
  if (!existsSync(demo)) return lines.join("\n")
  const key = `$(node -p 'require("${demo}").sandbox.api_key')`
  return [
    ...lines,
    "",
    `Keys and ids are in ${demo}. What can be booked in the sandbox:`,
    "",
    `curl -s ${baseUrls.sandbox}/rs/v1/retailers -H "Authorization: Bearer ${key}"`,
    "",
    "A reservation in half an hour:",
    "",
    `curl -s ${baseUrls.sandbox}/rs/v1/reservations -H "Authorization: Bearer ${key}" -d "$(node -p 'JSON.stringify({` +
      `zone_id:"zone_sandbox_test",retailer_id:"retailer_sandbox_test",order_number:"1001",end_user_name:"Ada",` +
      `end_user_phone:"+15125550100",open_link_url:"https://example.com/open",` +
      `arrival_window_start:new Date(Date.now()+18e5),arrival_window_end:new Date(Date.now()+36e5)})')"`,
    "",
    `The API's document: ${baseUrls.sandbox}/openapi/rs.json`,
  ].join("\n")
}
