/** Management commands without a running service: its endpoints in this process, over the database. */

import { Cause, Effect, Layer, Logger, ManagedRuntime, Option, Redacted, Runtime } from "effect"
import { layerApiClient } from "../../live/gateways/api-client.ts"
import { layerNominatim } from "../../live/gateways/nominatim.ts"
import { askManagement, isManagement } from "../../apps/operations/http/management.ts"
import { layerCallHoldControl } from "../../live/calls/call-hold.ts"
import type { DatabasePlace } from "../../live/configuration/configuration.ts"
import { layerConnectorManagement } from "../../live/services/linking.ts"
import { layerManagement, layerQuietHost } from "../../live/services/management.ts"
import { ENVIRONMENTS } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { layerBuiltInGeocoder } from "../../engine/services/geocoding/built-in-geocoder.ts"
import type { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import { checkSecret, claimDatabase } from "../../areas/webhooks/store/sealed-secrets.ts"
import type { WrongSecret } from "../../areas/webhooks/store/sealed-secrets.ts"
import { sealingKeyOf } from "../../live/configuration/sealing-key.ts"
import { layerPglite, layerPostgres } from "../../engine/store/database.ts"
import type { Database, DatabaseFault } from "../../engine/store/database.ts"
import { layerSecretBox } from "../../engine/store/secret-box.ts"
import { isHeld } from "../kit/held-folder.ts"
import { RequestRefused } from "./operations.ts"
import type { Data, Operations } from "./operations.ts"
import { UsageError } from "../kit/usage-error.ts"

/** The settings that a command shares with the service. */
interface Shared {
  /** Null when it is not configured. */
  readonly secret: string | null
  /** Settings of the geocoder. */
  readonly map: Pick<DatabasePlace, "geocoderKey" | "geocoderUrl">
}

export function onPostgres(url: string, shared: Shared): Promise<Operations> {
  return inProcess(layerPostgres(url), shared)
}

/** Null when another process holds the folder. */
export async function onPglite(folder: string, shared: Shared): Promise<Operations | null> {
  try {
    return await inProcess(layerPglite({ folder }), shared)
  } catch (cause) {
    if (isHeld(cause)) return null
    throw cause
  }
}

async function inProcess(
  database: Layer.Layer<Database, DatabaseFault>,
  { secret, map }: Shared,
): Promise<Operations> {
  const connector = layerConnectorManagement(secret ?? "")
  const layer = Layer.mergeAll(layerManagement, layerCallHoldControl, connector).pipe(
    Layer.provide(layerQuietHost),
    Layer.provide(geocoderOf(map)),
    Layer.provideMerge(database),
    Layer.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))),
  )
  const managed = ManagedRuntime.make(layer)
  await managed.runtime()
  const withSecret = (check: typeof checkSecret): Promise<void> =>
    secret === null
      ? Promise.resolve()
      : managed.runPromise(rightSecret(Effect.provide(check, layerSecretBox(sealingKeyOf(secret)))))
  await withSecret(checkSecret).catch(async (cause: unknown) => {
    await managed.dispose()
    throw cause
  })
  return {
    environments: ENVIRONMENTS,
    urlOf: () => null,
    ask: async (environment, request) => {
      // A decision is announced by mail, which needs the service's secret; a command does not have it.
      if (!isManagement(request)) {
        throw new UsageError(
          "only a running service answers this: start it, or name one of its hosts with --url",
        )
      }
      if (request.path.startsWith("/internal/v1/connector")) {
        if (secret === null)
          throw new UsageError("with DATABASE_URL, set CURBLINE_SECRET to the service's secret")
        // What it seals must be readable for the first node, which may start later.
        await withSecret(claimDatabase)
      }
      const asking = askManagement({ type: "operator", by: "ops", environment }, request)
      try {
        return (await managed.runPromise(asking)).data as Data
      } catch (cause) {
        throw refusalIn(cause) ?? cause
      }
    },
    close: () => managed.dispose(),
  }
}

/** With another secret, a command would seal rows that the service could not open. */
function rightSecret<R>(check: Effect.Effect<void, WrongSecret, R>): Effect.Effect<void, never, R> {
  return Effect.catchTag(check, "WrongSecret", ({ message }) =>
    Effect.die(new UsageError(`${message}; nothing was changed`)),
  )
}

function geocoderOf({ geocoderUrl, geocoderKey }: Shared["map"]): Layer.Layer<Geocoder> {
  if (geocoderUrl === null) return layerBuiltInGeocoder
  const key = geocoderKey === null ? null : Redacted.value(geocoderKey)
  return Layer.provide(layerNominatim({ url: Redacted.value(geocoderUrl), key }), layerApiClient)
}

function refusalIn(cause: unknown): RequestRefused | null {
  if (!Runtime.isFiberFailure(cause)) return null
  const failure = Option.getOrNull(Cause.failureOption(cause[Runtime.FiberFailureCauseId]))
  return failure instanceof Refused ? new RequestRefused(failure) : null
}
