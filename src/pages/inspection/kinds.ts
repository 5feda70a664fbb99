/** Kinds of actors, for lanes, colours and words. */

import { partOf } from "../../model/address.ts"
import type { IndexedActor } from "./run-index.ts"
import { upTo } from "../../model/values/text-ends.ts"

/** Hues of the design, by the machine. A kind has the same hue on every page. */
const HUES = {
  reservation: "reservation",
  bot: "bot",
  "runner-task": "runner",
  "runner-call": "runner",
  "open-link": "open-link",
  compartment: "open-link",
  delivery: "delivery",
  vehicle: "vehicle",
  "webhook-delivery": "webhook",
  "webhook-endpoint": "webhook",
  "courier-order": "courier",
  "courier-payment": "courier",
} as const

export type Hue = (typeof HUES)[keyof typeof HUES] | "other"

/** `runner-task`, `open-link` for the part `open-link-2`: the machine without its version, or the part in a record of states. */
export function machineKind({ address, machine }: IndexedActor): string {
  return machine === null ? partOf(address).replace(/-\d+$/, "") : upTo(machine, "@")
}

export function hueOf(kind: string): Hue {
  return Object.hasOwn(HUES, kind) ? HUES[kind as keyof typeof HUES] : "other"
}

/** `runner task` */
export function kindWords(kind: string): string {
  return kind.replaceAll("-", " ")
}
