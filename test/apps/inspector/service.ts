/** The inspector on hosts over the live service on an embedded database, with operators who may sign in. */

import { Cause, Effect, Logger } from "effect"
import { Layer } from "effect"
import type { FastifyInstance } from "fastify"
import { recordContext } from "../../../src/live/configuration/build.ts"
import type { Run } from "../../../src/http/bridge.ts"
import { inspectorPlugin } from "../../../src/apps/inspector/http/plugin.ts"
import type { InspectorSurface } from "../../../src/apps/inspector/http/plugin.ts"
import { keptScenario } from "../../../src/live/records/kept-scenario.ts"
import { layerLiveInspector } from "../../../src/live/records/inspection.ts"
import type { Environment } from "../../../src/model/caller.ts"
import { dueName, hueOf, waitsFor } from "../../../src/pages/bundling/group-words.ts"
import { groupPageOf } from "../../../src/pages/bundling/live-page.ts"
import { servedPages } from "../../../src/pages/bundling/served-pages.ts"
import { OperatorTokens, OperatorRows } from "../../../src/http/access/operator-tokens.ts"
import { OperatorAccountRows } from "../../../src/apps/operators/rows.ts"
import { OperatorActionRows, layerOperatorActions } from "../../../src/apps/operators/actions.ts"
import { OperatorSessionRows, OperatorSessions } from "../../../src/apps/operators/operator-sessions.ts"
import { RunnerPhoneRows } from "../../../src/areas/runner-phones/rows.ts"
import { layerAttemptCounter } from "../../../src/engine/store/window-counter.ts"
import { layerTables } from "../../../src/engine/store/sql-tables.ts"
import type { LiveHarness } from "../../conformance/live.ts"
import { bareApp } from "../../http/bare-app.ts"

const rows = Layer.mergeAll(
  OperatorAccountRows.layer,
  OperatorActionRows.layer,
  OperatorRows.layer,
  OperatorSessionRows.layer,
  RunnerPhoneRows.layer,
)
const inspector = Layer.merge(
  layerLiveInspector(recordContext()),
  Layer.merge(OperatorSessions.layer, layerOperatorActions).pipe(
    Layer.provide(layerAttemptCounter),
    Layer.provide(rows.pipe(Layer.provide(layerTables))),
  ),
)
const groupPage = groupPageOf(servedPages(() => Promise.resolve()))

/** The log lines of the service, with their causes. */
export const logged: string[] = []
const log = Logger.replace(
  Logger.defaultLogger,
  Logger.make(({ message, cause }) => void logged.push(`${String(message)} ${Cause.pretty(cause)}`)),
)

export function asked<A, E>(
  h: LiveHarness,
  effect: Effect.Effect<A, E, Layer.Layer.Success<typeof inspector>>,
): Promise<A> {
  return h.run(effect.pipe(Effect.provide(inspector), Effect.provide(log)))
}

export interface HostOptions {
  readonly environment: Environment
  readonly baseUrl: string
}

/** A host that has the inspector and next to nothing else. */
export async function inspectedHost(h: LiveHarness, options: HostOptions): Promise<FastifyInstance> {
  const app = await bareApp({ environment: options.environment })
  const run: Run<InspectorSurface> = (effect) => asked(h, effect)
  await app.register(inspectorPlugin, {
    ...options,
    run,
    groupPage,
    groupWords: { waitsFor, dueName, hueOf },
    scenarioOf: keptScenario,
  })
  return app
}

const tokens = OperatorTokens.layer
const operators = Effect.serviceFunctions(OperatorTokens)

export interface OperatorToken {
  readonly tokenId: string
  readonly value: string
}

export async function madeToken(h: LiveHarness, environment: Environment): Promise<OperatorToken> {
  const request = { environment, label: `on call <${environment}>` }
  const { token, value } = await h.run(overRows(operators.make(request)))
  return { tokenId: token.tokenId, value }
}

export async function revoked(h: LiveHarness, environment: Environment, tokenId: string): Promise<void> {
  await h.run(overRows(operators.revoke(environment, tokenId)))
}

function overRows<A, E>(effect: Effect.Effect<A, E, OperatorTokens>) {
  return effect.pipe(
    Effect.provide(tokens),
    Effect.provide(OperatorRows.layer.pipe(Layer.provide(layerTables))),
  )
}
