/**
 * The contract of every machine of the registry. Machines import their contracts as types only, so that loading a
 * machine loads XState and nothing else.
 */

import type { ContextFrom, StateValueFrom } from "xstate"
import type {
  DecisionFunction as DecisionFunctionOf,
  MachineContract,
  PublishedExtras,
  ReplyOf,
  StartOf,
  TurnOf,
} from "../src/model/machine-contract.ts"
import { botContract } from "./bot-contract.ts"
import { compartmentContract } from "./compartment-contract.ts"
import { courierOrderContract } from "./courier-order-contract.ts"
import { courierPaymentContract } from "./courier-payment-contract.ts"
import { deliveryContract } from "./delivery-contract.ts"
import type { MachineId, machines } from "./index.ts"
import { openLink1Contract, openLinkContract } from "./open-link-contract.ts"
import { reservationContract } from "./reservation-contract.ts"
import { runnerCallContract } from "./runner-call-contract.ts"
import { runnerTaskContract } from "./runner-task-contract.ts"
import { vehicleContract } from "./vehicle-contract.ts"
import { webhookDelivery1Contract, webhookDeliveryContract } from "./webhook-delivery-contract.ts"
import { webhookEndpointContract } from "./webhook-endpoint-contract.ts"

/** `id@version` → contract. */
export const contracts = {
  "bot@1": botContract,
  "compartment@1": compartmentContract,
  "courier-order@1": courierOrderContract,
  "courier-payment@1": courierPaymentContract,
  "delivery@1": deliveryContract,
  "open-link@1": openLink1Contract,
  "open-link@2": openLinkContract,
  "reservation@1": reservationContract,
  "runner-call@1": runnerCallContract,
  "runner-task@1": runnerTaskContract,
  "vehicle@1": vehicleContract,
  "webhook-delivery@1": webhookDelivery1Contract,
  "webhook-delivery@2": webhookDeliveryContract,
  "webhook-endpoint@1": webhookEndpointContract,
} as const satisfies Readonly<Record<MachineId, MachineContract>>

/** The contract of `id@version`; null for a machine that is not registered. */
export function contractOf(id: string): MachineContract | null {
  const byId: Readonly<Record<string, MachineContract>> = contracts
  return Object.hasOwn(byId, id) ? (byId[id] ?? null) : null
}

type Contracts = typeof contracts
type AnyContract = Contracts[MachineId]
type KeyOf<T> = T extends unknown ? keyof T & string : never

/** A machine's name without its version. */
export type MachineName = MachineId extends infer Id
  ? Id extends `${infer Name}@${number}`
    ? Name
    : never
  : never

/** All versions of a machine. */
type IdOf<Name extends MachineName> = Extract<MachineId, `${Name}@${number}`>

/** The turn that a service requests of an actor of the machine. */
export type Turn<Name extends MachineName> = TurnOf<Contracts[IdOf<Name>]>

/** How a service starts a machine. */
export type Start<Id extends MachineId> = StartOf<Contracts[Id]>

export type Reply<Name extends MachineName> = ReplyOf<Contracts[IdOf<Name>]>

export type Context<Name extends MachineName> = ContextFrom<(typeof machines)[IdOf<Name>]>

type StateValue<Name extends MachineName> = StateValueFrom<(typeof machines)[IdOf<Name>]>

/** The name of the innermost active state. */
export type State<Name extends MachineName> = Innermost<StateValue<Name>>

/** The name of the outermost active state. */
export type OuterState<Name extends MachineName> =
  StateValue<Name> extends infer Value ? (Value extends string ? Value : KeyOf<Value>) : never

/**
 * XState's type of a state value also contains the bare names of states with inner states. A machine never rests in
 * such a state, so these names are removed.
 */
type Innermost<Value> =
  | Exclude<Extract<Value, string>, KeyOf<Exclude<Value, string>>>
  | (Exclude<Value, string> extends infer Inner
      ? Inner extends object
        ? Innermost<NonNullable<Inner[keyof Inner]>>
        : never
      : never)

export type DecisionName = KeyOf<AnyContract["decisions"]>

export type Facts<Name extends DecisionName> = Parameters<DecisionFunction<Name>>[0]

export type DecisionFunction<Name extends DecisionName> = DecisionFunctionOf<AnyContract, Name>

export type Decided<Name extends DecisionName> = ReturnType<DecisionFunction<Name>>

export type PublishedEvent = KeyOf<AnyContract["publishes"]>

export type Extras<Event extends PublishedEvent> = PublishedExtras<AnyContract, Event>
