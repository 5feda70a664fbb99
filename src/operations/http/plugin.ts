/** The operations API as a Fastify plugin: its endpoints and its document. */

import type { FastifyInstance } from "fastify"
import type { Environment } from "../../model/caller.ts"
import type { Analytics } from "../../areas/analytics/analytics.ts"
import type { CourierOperations } from "../../areas/courier/courier-operations.ts"
import type { Charges } from "../../areas/direct-delivery/charges.ts"
import type { OutboxView } from "../../areas/messages/outbox-view.ts"
import type { DeliveryOperations } from "../../areas/direct-delivery/delivery-operations.ts"
import type { Vehicles } from "../../areas/dispatch/vehicles.ts"
import type { WindowPolicy } from "../window-policy.ts"
import type { CallHoldControl } from "../call-hold.ts"
import type { AccessReview } from "../../portal/production-access.ts"
import { attended } from "../../http/admission.ts"
import type { Run } from "../../http/bridge.ts"
import { sentBody } from "../../http/endpoint.ts"
import { bodyConfig, warningsOf } from "../../http/warnings.ts"
import type { Query } from "../../http/endpoint.ts"
import { NOT_STORED } from "../../http/errors.ts"
import { admitOperator, operatorOf } from "../../http/gate.ts"
import { documentOf } from "../../http/openapi.ts"
import { accessRequests } from "./access-requests.ts"
import { calls } from "./call-hold.ts"
import { addChargesFile, charges, chargesFile } from "../../areas/direct-delivery/http/operator-charges.ts"
import type { OperatorEndpoint } from "../../http/operator-endpoint.ts"
import { connector } from "./connector.ts"
import type { ConnectorSurface } from "./connector.ts"
import { errands } from "../../areas/courier/http/operator-errands.ts"
import { management } from "./management.ts"
import type { ManagementSurface } from "./management.ts"
import { deliveries } from "../../areas/direct-delivery/http/operator-deliveries.ts"
import { messages } from "../../areas/messages/http/operator-messages.ts"
import { runnerTasks } from "./runner-tasks.ts"
import type { RunnerTasksSurface } from "./runner-tasks.ts"
import { sessions } from "../../areas/analytics/http/operator-sessions.ts"
import { vehicles } from "../../areas/dispatch/http/operator-vehicles.ts"
import { windowPolicy } from "./window-policy.ts"

/** All services that this API needs. */
export type OperationsSurface =
  | AccessReview
  | Analytics
  | Charges
  | DeliveryOperations
  | ManagementSurface
  | OutboxView
  | RunnerTasksSurface
  | Vehicles
  | WindowPolicy

/** Services that only the production host needs. */
export type ProductionSurface = CallHoldControl | ConnectorSurface | CourierOperations

export interface OperationsOptions {
  readonly run: Run<OperationsSurface>
  /** Absent without a courier connector, as in the sandbox: its endpoints and the hold on calls do not exist then. */
  readonly runConnector?: Run<ProductionSurface>
  readonly environment: Environment
  /** Public URL for the document; default: relative to the document. */
  readonly baseUrl?: string
}

const ENDPOINTS: readonly OperatorEndpoint<OperationsSurface>[] = [
  ...management,
  ...accessRequests,
  ...runnerTasks,
  ...vehicles,
  ...deliveries,
  ...charges,
  ...windowPolicy,
  ...sessions,
  ...messages,
]

const PRODUCTION_ENDPOINTS: readonly OperatorEndpoint<ProductionSurface>[] = [
  ...calls,
  ...connector,
  ...errands,
]

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function operationsPlugin(app: FastifyInstance, options: OperationsOptions): Promise<void> {
  const { run, runConnector, environment } = options
  const admitting = admitOperator(run, environment)
  for (const endpoint of ENDPOINTS) addEndpoint(app, endpoint, { run, admitting })
  addChargesFile(app, run, environment)
  if (runConnector !== undefined) {
    for (const endpoint of PRODUCTION_ENDPOINTS) addEndpoint(app, endpoint, { run: runConnector, admitting })
  }
  const document = documentOf({
    title: "Operations API",
    endpoints: runConnector === undefined ? ENDPOINTS : [...ENDPOINTS, ...PRODUCTION_ENDPOINTS],
    baseUrl: options.baseUrl,
    bearer: "operatorToken",
    errors: ["INVALID_OPERATOR_TOKEN", "INTERNAL_ERROR", "OVERLOADED", "UNAVAILABLE"],
    headers: ["X-Request-Id"],
    morePaths: chargesFile,
  })
  app.get("/openapi/internal.json", async () => document)
}

interface Served<R> {
  readonly run: Run<R>
  readonly admitting: ReturnType<typeof admitOperator>
}

function addEndpoint<R>(
  app: FastifyInstance,
  { method, path, body, bodyBytesMax, handle }: OperatorEndpoint<R>,
  { run, admitting }: Served<R>,
): void {
  app.route<{ Params: Readonly<Record<string, string>>; Querystring: Query; Body: Buffer | undefined }>({
    method,
    url: path.replace(/\{(\w+)\}/g, ":$1"),
    onRequest: admitting,
    config: bodyConfig(body),
    ...(bodyBytesMax === undefined ? {} : { bodyLimit: bodyBytesMax }),
    handler: async (request, reply) => {
      const { status, data } = await run(
        attended(
          request,
          handle({
            caller: operatorOf(request),
            id: request.params["id"] ?? "",
            parts: request.params,
            query: request.query,
            header: (name) => [request.headers[name]].flat()[0],
            body: sentBody(request.body, request.headers["content-type"]),
          }),
        ),
      )
      return reply
        .code(status)
        .headers(NOT_STORED)
        .send({ success: true, data, ...warningsOf(request) })
    },
  })
}
