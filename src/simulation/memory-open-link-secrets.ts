/** Open-link secrets in memory. */

import { Effect, Layer } from "effect"
import { OpenLinkSecretRows } from "../services/reservations/open-link-secrets.ts"
import type { OpenLinkScope, OpenLinkSecret } from "../services/reservations/open-link-secrets.ts"
import type { MemoryStore } from "./memory-store.ts"

export function layerMemoryOpenLinkSecretRows(store: MemoryStore): Layer.Layer<OpenLinkSecretRows> {
  const secrets = store.table<OpenLinkSecret>("open-link-secrets")
  const keyOf = ({ environment, organizationId }: OpenLinkScope): string => `${environment}/${organizationId}`
  return Layer.succeed(OpenLinkSecretRows, {
    find: (scope) => Effect.sync(() => secrets.get(keyOf(scope))),
    put: (secret) => Effect.sync(() => secrets.put(keyOf(secret), secret)),
    remove: (scope) => Effect.sync(() => secrets.delete(keyOf(scope))),
  })
}
