/** The connector's `do` and `refuse` steps: each calls the same method of the same service as a tool call. */

import { Data, Effect } from "effect"
import type { Schema } from "effect"
import {
  CancelDeliveryArguments,
  CheckDeliveryArguments,
  ConfirmDeliveryArguments,
  GetDeliveryStatusArguments,
  ReserveDeliveryArguments,
  UpdateDeliveryArguments,
} from "../../../model/requests/courier-requests.ts"
import { CONSENT_VERSION, TERMS_VERSION } from "../../../model/courier.ts"
import type { CourierEnvelope, FailureReason, UpdateType } from "../../../model/courier.ts"
import type { Refused } from "../../../model/values/errors.ts"
import { decodeRequest } from "../../../model/values/schema.ts"
import { isoMs } from "../../../model/values/time.ts"
import { CourierCheckout } from "../../../areas/courier/checkout.ts"
import { CourierOperations } from "../../../areas/courier/courier-operations.ts"
import type { ErrandRecord } from "../../../areas/courier/courier-operations.ts"
import { Courier } from "../../../areas/courier/courier.ts"
import { DEMO_STORES } from "../../../areas/courier/directory/demo-stores.ts"
import { LinkedUsers } from "../../../areas/linking/linked-users.ts"
import { putStore, putUser } from "../../../areas/courier/memory/courier-rows.ts"
import type { OutsideWorld } from "../../outside-world.ts"
import type { SimulatedServices } from "../../simulated-service.ts"
import type { CommandStep, Doing as DoingOf } from "../command-step.ts"
import { COURIER_COMMANDS, SCENARIO_USERS } from "../language/courier-words.ts"
import type { COURIER_FAULTS, ToolRefusal } from "../language/courier-words.ts"
import { placeAt } from "../language/delivery-world.ts"
import { durationIfGiven, numberIfGiven, textIfGiven } from "../language/field-values.ts"
import type { FieldValue, FieldValues, TimeRef } from "../language/language.ts"
import type { RunContext } from "../run-context.ts"

/** A tool answered with an error. */
export class ErrandRefused extends Data.TaggedError("ErrandRefused")<{
  readonly code: ToolRefusal
  readonly said: string
  readonly retryAfterSeconds?: number | undefined
}> {
  override get message(): string {
    return this.said
  }
}

type Doing = DoingOf<ErrandRefused | Refused>

const USUAL = COURIER_COMMANDS["errand.check"].with
const USUAL_ORDER = COURIER_COMMANDS["errand.confirm"].with
const USUAL_TOKEN = COURIER_COMMANDS["errand.pay"].with.token.usual

export const PHONE_BY_USER: Readonly<Record<(typeof SCENARIO_USERS)[number], string>> = {
  ada: "+15125550142",
  grace: "+15125550143",
}

/** Linked users and the directory's stores before the first step. */
export function placeCourier({ service }: RunContext): void {
  for (const user of SCENARIO_USERS) letIn(service, user, true)
  for (const store of DEMO_STORES) putStore(service.host.store, store)
}

/** Breaks and repairs the systems that the connector depends on. */
export const INJECT_COURIER: Readonly<
  Record<keyof typeof COURIER_FAULTS, (world: OutsideWorld, fields: FieldValues) => void>
> = {
  "store_directory.fails": (world) => {
    world.isStoreDirectoryDown = true
  },
  "store_directory.works": (world) => {
    world.isStoreDirectoryDown = false
  },
  "payments.fail": (world) => {
    world.processor.isDown = true
  },
  "payments.lose_answers": (world) => {
    world.processor.losesAnswers = true
  },
  "payments.work": (world) => {
    world.processor.isDown = false
    world.processor.losesAnswers = false
  },
  "payments.take": (world, fields) => {
    world.processor.takesMs = durationIfGiven(fields, "time") ?? 0
  },
}

function letIn(
  { host }: RunContext["service"],
  user: (typeof SCENARIO_USERS)[number],
  isEnabled: boolean,
): void {
  putUser(host.store, userIdOf(user), { phone: PHONE_BY_USER[user], isEnabled })
}

export const DO_COURIER: Readonly<
  Record<keyof typeof COURIER_COMMANDS, (run: RunContext, step: CommandStep) => Doing>
> = {
  "errand.check": (run, step) => check(run, step),
  "errand.reserve": (run, step) =>
    ask(run, step, (courier, caller) =>
      Effect.flatMap(decode(ReserveDeliveryArguments, reserving(run, step)), (args) =>
        courier.reserve(caller, args),
      ),
    ),
  "errand.pay": (run, step) =>
    update(run, step, "payment", { payment: { shared_payment_token: step.with["token"] ?? USUAL_TOKEN } }),
  "errand.pay_at_checkout": (run, step) => payAtCheckout(run, step),
  "errand.confirm": (run, step) =>
    ask(run, step, (courier, caller) =>
      Effect.flatMap(
        decode(ConfirmDeliveryArguments, {
          ...common(run, step),
          order_number: step.with["order_number"] ?? USUAL_ORDER.order_number.usual,
          items: [{ name: step.with["item"] ?? USUAL_ORDER.item.usual, quantity: 1 }],
          confirmation_text: "Thank you for your order",
          ready_at: instantIn(run, step.with["ready_at"]),
          selected_slot: slotIn(run, step),
        }),
        (args) => courier.confirm(caller, args),
      ),
    ),
  "errand.ready_at": (run, step) =>
    update(run, step, "ready_time", { ready_at: instantIn(run, step.with["time"]) }),
  "errand.choose_slot": (run, step) => update(run, step, "slot", { selected_slot: slotIn(run, step) }),
  "errand.choose_window": (run, step) => {
    const { window = [] } = step.with
    return update(run, step, "slot", { pickup_window: spanIn(run, window) })
  },
  "errand.change_order": (run, step) => {
    const item = textIfGiven(step.with, "item")
    return update(run, step, "order", {
      order: {
        order_number: step.with["order_number"],
        items: item === undefined ? undefined : [{ name: item, quantity: 1 }],
      },
    })
  },
  "errand.tell_check_in": (run, step) =>
    update(run, step, "check_in", { check_in: { instructions: step.with["instructions"] } }),
  "errand.tell_requirements": (run, step) =>
    update(run, step, "pickup_requirements", { pickup_requirements_seen: step.with["requirements"] }),
  "errand.tell_dropoff": (run, step) =>
    update(run, step, "dropoff_notes", { dropoff_notes: step.with["notes"] }),
  "errand.tell_contact": (run, step) =>
    update(run, step, "contact", { contact: { email: step.with["email"] } }),
  "errand.report_issue": (run, step) =>
    update(run, step, "issue", {
      issue: { code: step.with["issue"] },
      ready_at: instantIn(run, step.with["ready_at"]),
    }),
  "phone.disable": ({ service }, step) => Effect.sync(() => letIn(service, namedUser(step, "of"), false)),
  "phone.enable": ({ service }, step) => Effect.sync(() => letIn(service, namedUser(step, "of"), true)),
  "errand.read": (run, step) =>
    ask(run, step, (courier, caller) =>
      Effect.flatMap(decode(GetDeliveryStatusArguments, { delivery_id: idOf(run, step) }), (args) =>
        courier.status(caller, args),
      ),
    ),
  "errand.cancel": (run, step) =>
    ask(run, step, (courier, caller) =>
      Effect.flatMap(
        decode(CancelDeliveryArguments, { ...common(run, step), reason: step.with["reason"] }),
        (args) => courier.cancel(caller, args),
      ),
    ),
  "errand.fail": (run, step) =>
    operate((operations) =>
      operations.fail(idOf(run, step), {
        reason: step.with["reason"] as FailureReason,
        refunds: step.with["refund"] === true,
      }),
    ),
  "errand.refund": (run, step) => operate((operations) => operations.refund(idOf(run, step))),
}

/** Actions of operations, which agents cannot do. */
function operate(
  asking: (operations: CourierOperations["Type"]) => Effect.Effect<ErrandRecord, Refused>,
): Doing {
  return Effect.map(Effect.flatMap(CourierOperations, asking), ({ state }) => state)
}

function check(run: RunContext, step: CommandStep): Doing {
  return Effect.gen(function* () {
    const courier = yield* Courier
    const store = DEMO_STORES.find(({ name }) => name === (step.with["store"] ?? USUAL.store.usual))
    const zip = textIfGiven(step.with, "zip")
    const { latitude, longitude } = placeAt({
      north: numberIfGiven(step.with, "north_m") ?? Number(USUAL.north_m.usual),
    })
    const slot = slotIn(run, step)
    const window = step.with["window"]
    const args = yield* decode(CheckDeliveryArguments, {
      retailer_name: step.with["store"] ?? USUAL.store.usual,
      store_address: {
        street: store?.street ?? "1 Unlisted Road",
        city: "Austin",
        state: "TX",
        zip: store?.zip ?? "78758",
        ...(store === undefined ? {} : { location: locationOf(store.place) }),
      },
      dropoff_address: {
        street: "1 Sample St",
        city: "Austin",
        state: "TX",
        zip: zip ?? "78758",
        ...(zip === undefined ? { location: { lat: latitude, lng: longitude } } : {}),
      },
      requested_timing: window === undefined ? { type: "asap" } : { type: "window", ...spanIn(run, window) },
      pickup_methods_offered: step.with["methods"] ?? [USUAL.methods.usual],
      retailer_slots: slot === undefined ? undefined : [slot],
      items: step.with["item"] === undefined ? undefined : [{ name: step.with["item"], quantity: 1 }],
      idempotency_key: keyOf(run, step),
    })
    const envelope = yield* courier.check(yield* callerOf(step), args)
    const name = step.as ?? "errand"
    if (envelope.delivery_id !== undefined) run.errandIds.set(name, envelope.delivery_id)
    return yield* taken(run, name, envelope)
  })
}

/** Pays in the user's browser, with the last link that the agent received. */
function payAtCheckout(run: RunContext, step: CommandStep): Doing {
  return Effect.gen(function* () {
    const checkout = yield* CourierCheckout
    const url = run.checkoutLinks.get(step.for ?? "")
    const token = url?.split("/").at(-1) ?? ""
    const { type } = yield* checkout.pay(token, textIfGiven(step.with, "token") ?? USUAL_TOKEN)
    if (type === "paid") return type
    const isUnanswered = type === "unavailable" || type === "unclear"
    const code = isUnanswered ? "internal_error" : "payment_failed"
    return yield* new ErrandRefused({ code, said: `the checkout page says ${type}` })
  })
}

type Asking = (
  courier: Courier["Type"],
  userId: string,
) => Effect.Effect<CourierEnvelope, Refused, SimulatedServices>

function ask(run: RunContext, step: CommandStep, asking: Asking): Doing {
  return Effect.gen(function* () {
    const courier = yield* Courier
    return yield* taken(run, step.for ?? "", yield* asking(courier, yield* callerOf(step)))
  })
}

function update(run: RunContext, step: CommandStep, type: UpdateType, fields: object): Doing {
  return ask(run, step, (courier, caller) =>
    Effect.flatMap(
      decode(UpdateDeliveryArguments, { ...common(run, step), update_type: type, ...fields }),
      (args) => courier.update(caller, args),
    ),
  )
}

/** Keeps an answer for the facts; an error becomes a refusal. */
function taken(run: RunContext, name: string, envelope: CourierEnvelope) {
  const { error, payment } = envelope
  if (payment?.checkout_url !== undefined) run.checkoutLinks.set(name, payment.checkout_url)
  if (error !== undefined) {
    const { code, message, retry_after_seconds: retryAfterSeconds } = error
    return Effect.fail(new ErrandRefused({ code, said: message, retryAfterSeconds }))
  }
  run.answers.set(name, envelope)
  return Effect.succeed(envelope)
}

function reserving(run: RunContext, step: CommandStep): object {
  const token = textIfGiven(step.with, "token")
  return {
    ...common(run, step),
    customer: { first_name: "Ada", last_name: "Example" },
    contact: { phone: step.with["phone"] },
    contact_consent: { granted: true, consent_version: CONSENT_VERSION },
    terms_acknowledged: { accepted: true, terms_version: TERMS_VERSION },
    pickup_requirements_seen: step.with["requirements"] ?? [],
    check_in_method: step.with["check_in_method"],
    intended_slot: slotIn(run, step),
    pickup_window: step.with["window"] === undefined ? undefined : spanIn(run, step.with["window"]),
    payment: token === undefined ? undefined : { shared_payment_token: token },
  }
}

function common(run: RunContext, step: CommandStep): object {
  return { delivery_id: idOf(run, step), idempotency_key: keyOf(run, step) }
}

/** A name whose own check was refused has no errand. */
function idOf(run: RunContext, { for: name }: CommandStep): string {
  return run.errandIds.get(name ?? "") ?? "dlv_0000000000000000000000"
}

/** Keys of one run count up, so that each call is a new one unless the scenario gives a key. */
function keyOf(run: RunContext, step: CommandStep): string {
  const given = textIfGiven(step.with, "idempotency_key")
  if (given !== undefined) return given
  run.toolCalls += 1
  return `call-${String(run.toolCalls).padStart(6, "0")}`
}

/** The caller, authenticated like at the endpoint: the token of a disabled number is refused. */
const callerOf = Effect.fnUntraced(function* (step: CommandStep) {
  const users = yield* LinkedUsers
  const userId = userIdOf(namedUser(step, "by"))
  if (yield* users.isEnabled(userId)) return userId
  return yield* new ErrandRefused({ code: "invalid_token", said: "the number is disabled" })
})

function namedUser({ with: fields }: CommandStep, field: string): (typeof SCENARIO_USERS)[number] {
  const name = textIfGiven(fields, field)
  return SCENARIO_USERS.find((user) => user === name) ?? SCENARIO_USERS[0]
}

function userIdOf(name: string): string {
  return `usr_${name}`
}

function slotIn(run: RunContext, step: CommandStep): object | undefined {
  const slot = step.with["slot"]
  const id = step.with["slot_id"]
  return slot === undefined ? undefined : { ...spanIn(run, slot), ...(id === undefined ? {} : { id }) }
}

function spanIn(run: RunContext, value: FieldValue): { readonly start: string; readonly end: string } {
  const [from, to] = value as readonly [TimeRef, TimeRef]
  return { start: isoMs(run.clock.resolve(from, run.nowMs)), end: isoMs(run.clock.resolve(to, run.nowMs)) }
}

function instantIn(run: RunContext, value: FieldValue | undefined): string | undefined {
  return value === undefined ? undefined : isoMs(run.clock.resolve(value as TimeRef, run.nowMs))
}

function locationOf({ latitude, longitude }: { latitude: number; longitude: number }) {
  return { lat: latitude, lng: longitude }
}

/** Decodes like the tool's schema: fields that are not given are absent. */
function decode<A, I>(schema: Schema.Schema<A, I>, args: object): Effect.Effect<A, Refused> {
  return decodeRequest(schema, JSON.parse(JSON.stringify(args)))
}
