/**
 * The connector's six tools, as plain data and one function each: nothing here knows a class of an SDK, so that another
 * revision of the protocol serves the same tools. Their schemas are the model's.
 * Source: courier connector contract §4; our choices X4, M8, M11 to M13.
 */

import { Effect } from "effect"
import type { Schema } from "effect"
import type { CourierEnvelope, CourierTool } from "../model/courier.ts"
import { CourierEnvelope as EnvelopeSchema } from "../model/courier.ts"
import {
  CancelDeliveryArguments,
  CheckDeliveryArguments,
  ConfirmDeliveryArguments,
  GetDeliveryStatusArguments,
  ReserveDeliveryArguments,
  UpdateDeliveryArguments,
} from "../model/courier-requests.ts"
import { decodeRequest } from "../model/schema.ts"
import { Courier } from "../services/courier/courier.ts"
import { jsonSchemaOf } from "./json-schema.ts"
import type { ObjectSchema } from "./json-schema.ts"
import { argumentProblem, internalError, toolResult } from "./tool-result.ts"
import type { ToolResult } from "./tool-result.ts"

/** What a client is told of a tool. */
export interface ToolListing {
  readonly name: CourierTool
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly annotations: Readonly<Record<string, boolean>>
}

export interface Tool {
  readonly listing: ToolListing
  /** Whatever arguments came; it always has an answer. */
  readonly call: (userId: string, sent: unknown) => Effect.Effect<ToolResult, never, Courier>
}

interface Definition<A, I> {
  readonly name: CourierTool
  readonly title: string
  readonly description: string
  readonly schema: Schema.Schema<A, I>
  readonly annotations?: Readonly<Record<string, boolean>>
  readonly ask: (courier: Courier["Type"], userId: string, asked: A) => Effect.Effect<CourierEnvelope>
}

/** One loose object for all of them: two fields always, the others as far as they are known. */
const OUTPUT_SCHEMA = jsonSchemaOf(EnvelopeSchema)

/** A command; with the same key it has no further effect, and it reaches stores and streets outside. */
const COMMAND = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true }

function define<A, I>(definition: Definition<A, I>): Tool {
  const { schema, ask, annotations = COMMAND, ...told } = definition
  return {
    listing: {
      ...told,
      inputSchema: jsonSchemaOf(schema),
      outputSchema: OUTPUT_SCHEMA,
      annotations,
    },
    call: Effect.fnUntraced(
      function* (userId, sent) {
        const courier = yield* Courier
        const asked = yield* decodeRequest(schema, sent ?? {})
        return toolResult(yield* ask(courier, userId, asked))
      },
      Effect.catchTag("Refused", ({ problems = [] }) => Effect.succeed(argumentProblem(told.name, problems))),
      Effect.catchAllCause((cause) =>
        Effect.as(Effect.logError("a tool failed", cause), toolResult(internalError(told.name))),
      ),
    ),
  }
}

export const TOOLS: readonly Tool[] = [
  define({
    name: "check_delivery",
    title: "Check delivery",
    description:
      "Creates a delivery and answers whether this order can be served: price, pickup windows, terms and consent, or why not. Call it before checkout starts.",
    schema: CheckDeliveryArguments,
    ask: (courier, userId, asked) => courier.check(userId, asked),
  }),
  define({
    name: "reserve_delivery",
    title: "Reserve delivery",
    description:
      "Holds a vehicle for 15 minutes at checkout. Call it only after the user has accepted the price, the delivery terms and the text-message consent of check_delivery.",
    schema: ReserveDeliveryArguments,
    ask: (courier, userId, asked) => courier.reserve(userId, asked),
  }),
  define({
    name: "confirm_delivery",
    title: "Confirm delivery",
    description:
      "Reports the store order that was placed, takes the authorized fee and books the delivery. Call it at once after the store has confirmed the order.",
    schema: ConfirmDeliveryArguments,
    ask: (courier, userId, asked) => courier.confirm(userId, asked),
  }),
  define({
    name: "update_delivery",
    title: "Update delivery",
    description:
      "Reports a payment, or any change after the reserve. update_type says which, and the field that belongs to it brings it.",
    schema: UpdateDeliveryArguments,
    ask: (courier, userId, asked) => courier.update(userId, asked),
  }),
  define({
    name: "get_delivery_status",
    title: "Delivery status",
    description:
      "Reads how the delivery stands and what to do next. Ask no more often than poll_after_seconds says.",
    schema: GetDeliveryStatusArguments,
    annotations: { readOnlyHint: true, openWorldHint: true },
    ask: (courier, userId, asked) => courier.status(userId, asked),
  }),
  define({
    name: "cancel_delivery",
    title: "Cancel delivery",
    description:
      "Cancels before the vehicle collects the order and releases the vehicle. The store order is not cancelled by it.",
    schema: CancelDeliveryArguments,
    annotations: { ...COMMAND, destructiveHint: true },
    ask: (courier, userId, asked) => courier.cancel(userId, asked),
  }),
]
