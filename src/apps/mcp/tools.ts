/**
 * The connector's six tools, as plain data and one function each. They use no SDK classes, so that another protocol
 * revision can serve the same tools. Their schemas are the model's. Source: courier connector contract §4; our choices
 * X4, M8, M11 to M13.
 */

import { Effect, SchemaAST } from "effect"
import type { Schema } from "effect"
import type { CourierEnvelope, CourierTool } from "../../model/courier.ts"
import { CourierEnvelope as EnvelopeSchema } from "../../model/courier.ts"
import {
  CancelDeliveryArguments,
  CheckDeliveryArguments,
  ConfirmDeliveryArguments,
  GetDeliveryStatusArguments,
  ReserveDeliveryArguments,
  UpdateDeliveryArguments,
} from "../../model/requests/courier-requests.ts"
import { decodeRequest } from "../../model/values/schema.ts"
import type { AnySchema } from "../../model/values/schema.ts"
import { Courier } from "../../areas/courier/courier.ts"
import { Tracking } from "../../areas/tracking/tracking.ts"
import { RESULT_FIELDS } from "../../areas/courier/envelopes.ts"
import { SHOWN_BY_CARD } from "./card.ts"
import { unknownFields } from "../../http/warnings.ts"
import { jsonSchemaOf, outlineOf, toldOnce } from "../../model/values/inlined-schema.ts"
import type { ObjectSchema } from "../../model/values/inlined-schema.ts"
import { argumentProblem, internalError, toolResult } from "./tool-result.ts"
import type { ToolResult } from "./tool-result.ts"

/** A tool in the client's list. */
export interface ToolListing {
  readonly name: CourierTool
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly annotations: Readonly<Record<string, boolean>>
  /** Absent for a tool whose answer shows no card. */
  readonly _meta?: typeof SHOWN_BY_CARD
}

export interface Tool {
  readonly listing: ToolListing
  readonly schema: AnySchema
  /** Takes any arguments and always has an answer. */
  readonly call: (
    userId: string,
    sent: unknown,
    host: Shows,
  ) => Effect.Effect<ToolResult, never, Courier | Tracking>
}

interface Shows {
  readonly showsCards: boolean
}

interface Definition<A, I> {
  readonly name: CourierTool
  readonly title: string
  readonly description: string
  readonly schema: Schema.Schema<A, I>
  readonly annotations?: Readonly<Record<string, boolean>>
  readonly ask: (courier: Courier["Type"], userId: string, request: A) => Effect.Effect<CourierEnvelope>
}

const ENVELOPE = jsonSchemaOf(EnvelopeSchema)

/** An open object: two fields are always present, the others if they are known. */
function outputOf(tool: CourierTool): ObjectSchema {
  const fields = ["next_step", "user_message", "error", ...RESULT_FIELDS[tool]]
  return toldOnce(outlineOf(ENVELOPE, fields), ["description", "enum", "format"], told)
}

/** A sentence says all of it, and the list of tools has no bytes to spare. */
const WITHOUT_CARD: ReadonlySet<CourierTool> = new Set(["cancel_delivery", "update_delivery"])

const SAID_ONCE = ["description", "maxItems", "maxLength", "minLength", "pattern"]

/** What the tools before have said of their arguments and answers. */
const told = new Set<string>()

/** Annotations of a command: repeating it with the same key has no further effect, and it acts on the outside world. */
const COMMAND = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true }

function define<A, I>(definition: Definition<A, I>): Tool {
  const { schema, ask, annotations = COMMAND, ...listing } = definition
  return {
    listing: {
      ...listing,
      inputSchema: toldOnce(jsonSchemaOf(schema), SAID_ONCE, told),
      outputSchema: outputOf(listing.name),
      annotations,
      ...(WITHOUT_CARD.has(listing.name) ? {} : { _meta: SHOWN_BY_CARD }),
    },
    schema,
    call: Effect.fnUntraced(
      function* (userId, sent, { showsCards }) {
        const courier = yield* Courier
        const request = yield* decodeRequest(schema, sent ?? {})
        const warnings = unknownFields(SchemaAST.encodedAST(schema.ast), sent)
        const envelope = yield* ask(courier, userId, request)
        const card = showsCards ? yield* cardFor(userId, envelope) : null
        return toolResult(warnings.length === 0 ? envelope : { ...envelope, warnings }, card)
      },
      Effect.catchTag("Refused", ({ problems = [] }) =>
        Effect.succeed(argumentProblem(listing.name, problems)),
      ),
      Effect.catchAllCause((cause) =>
        Effect.as(Effect.logError("a tool failed", cause), toolResult(internalError(listing.name))),
      ),
    ),
  }
}

/** Null for an answer without an errand. A fault here does not take the answer, whose changes are made. */
const cardFor = Effect.fnUntraced(
  function* (userId: string, { delivery_id: id, state }: CourierEnvelope) {
    if (id === undefined || state === undefined) return null
    return yield* (yield* Tracking).card(userId, id)
  },
  Effect.catchAllCause((cause) => Effect.as(Effect.logError("the data of a card failed", cause), null)),
)

export const TOOLS: readonly Tool[] = [
  define({
    name: "check_delivery",
    title: "Check delivery",
    description:
      "Creates a delivery and answers whether it can be served: price, pickup windows, terms and consent, or why not. Call it before checkout.",
    schema: CheckDeliveryArguments,
    ask: (courier, userId, request) => courier.check(userId, request),
  }),
  define({
    name: "reserve_delivery",
    title: "Reserve delivery",
    description:
      "Holds a vehicle for 15 minutes at checkout. Call it only after the user accepted price, terms and consent of check_delivery.",
    schema: ReserveDeliveryArguments,
    ask: (courier, userId, request) => courier.reserve(userId, request),
  }),
  define({
    name: "confirm_delivery",
    title: "Confirm delivery",
    description:
      "Reports the placed store order, takes the authorized fee and books the delivery. Call it as soon as the store has the order.",
    schema: ConfirmDeliveryArguments,
    ask: (courier, userId, request) => courier.confirm(userId, request),
  }),
  define({
    name: "update_delivery",
    title: "Update delivery",
    description: "Reports a payment, or any change after the reserve.",
    schema: UpdateDeliveryArguments,
    ask: (courier, userId, request) => courier.update(userId, request),
  }),
  define({
    name: "get_delivery_status",
    title: "Delivery status",
    description:
      "How the delivery stands and what to do next. Ask no more often than poll_after_seconds says.",
    schema: GetDeliveryStatusArguments,
    annotations: { readOnlyHint: true, openWorldHint: true },
    ask: (courier, userId, request) => courier.status(userId, request),
  }),
  define({
    name: "cancel_delivery",
    title: "Cancel delivery",
    description: "Cancels until the vehicle collects the order. It does not cancel the store order.",
    schema: CancelDeliveryArguments,
    annotations: { ...COMMAND, destructiveHint: true },
    ask: (courier, userId, request) => courier.cancel(userId, request),
  }),
]
