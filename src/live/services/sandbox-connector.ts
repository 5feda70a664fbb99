/**
 * The connector of the sandbox host: the same services as production's, under their own address, keys, stores and settings. Both
 * have the same tags, so these are in a context of their own.
 */

import { Context, Effect, Layer } from "effect"
import { layerSandboxCheckout, layerSandboxCourier } from "../../areas/agents/sandbox-courier.ts"
import { TestErrands } from "../../areas/agents/test-errands.ts"
import { TestNumbers } from "../../areas/agents/test-numbers.ts"
import type { CourierCheckout } from "../../areas/courier/checkout.ts"
import type { Courier } from "../../areas/courier/courier.ts"
import { layerRateCounter } from "../../http/access/store/access-rows.ts"
import { layerSandboxLinking } from "./linking.ts"
import type { LinkingServices } from "./linking.ts"

type ConnectorServices = Courier | CourierCheckout | LinkingServices

export class SandboxConnector extends Context.Tag("SandboxConnector")<
  SandboxConnector,
  { readonly services: Context.Context<ConnectorServices> }
>() {}

/** With the services by which organizations list their test numbers and move the errands. */
export function layerSandboxConnector(options: { readonly baseUrl: string; readonly secret: string }) {
  const linking = layerSandboxLinking(options)
  const courier = Layer.merge(
    layerSandboxCourier.pipe(Layer.provide(layerRateCounter)),
    layerSandboxCheckout,
  ).pipe(Layer.provideMerge(linking))
  const connector = Layer.effect(
    SandboxConnector,
    Effect.map(Effect.context<ConnectorServices>(), (services) => ({ services })),
  )
  // Fresh: the layers of production's connector are the same values, and would be shared.
  return Layer.fresh(
    Layer.mergeAll(connector, TestErrands.layer, TestNumbers.layer).pipe(Layer.provide(courier)),
  )
}
