/** What a state of the course means on the page: the phase it belongs to, and what somebody in it does, in words. */

import type { ActorKind } from "../../../../model/replay/course.ts"

/** What a lane is coloured by; the legend has each once. */
export type Phase =
  | "at the counter"
  | "at the door"
  | "broken down"
  | "carries"
  | "charges"
  | "free"
  | "gone"
  | "loads"
  | "off"
  | "to the door"
  | "to the store"
  | "waits for the other"
  | "walks"

interface StateWords {
  readonly phase: Phase
  /** Behind the actor's name; `ORDER` is replaced. */
  readonly does: string
}

const RUNNER: Readonly<Record<string, StateWords>> = {
  "to store": { phase: "walks", does: "walks to the counter for ORDER" },
  "waiting for order": { phase: "waits for the other", does: "waits until ORDER is cooked" },
  "at counter": { phase: "at the counter", does: "picks up ORDER" },
  carrying: { phase: "carries", does: "carries ORDER" },
  "to bot": { phase: "walks", does: "walks to the robot of ORDER" },
  "at stall": { phase: "waits for the other", does: "waits at the stall with ORDER" },
  loading: { phase: "loads", does: "loads ORDER" },
  "walking back": { phase: "walks", does: "walks back" },
  idle: { phase: "free", does: "is free" },
  "off duty": { phase: "off", does: "is off duty" },
  "on break": { phase: "off", does: "is on a break" },
}

const VEHICLE: Readonly<Record<string, StateWords>> = {
  "to the store": { phase: "to the store", does: "drives to the store for ORDER" },
  "at the store": { phase: "waits for the other", does: "waits at the store for ORDER" },
  "waits for a second order": { phase: "waits for the other", does: "waits for a second order" },
  "waits for a street": {
    phase: "waits for the other",
    does: "waits, because every street that leads there is out",
  },
  loading: { phase: "loads", does: "is loaded with ORDER" },
  loaded: { phase: "loads", does: "has ORDER on board at the store" },
  "to the customer": { phase: "to the door", does: "drives ORDER to the door" },
  "at the customer": { phase: "at the door", does: "is at the door with ORDER" },
  back: { phase: "free", does: "drives back" },
  "off duty": { phase: "off", does: "is off duty" },
  offline: { phase: "off", does: "is offline" },
  charging: { phase: "charges", does: "charges" },
  "broken down": { phase: "broken down", does: "has broken down" },
  idle: { phase: "free", does: "is free" },
}

const ROBOT: Readonly<Record<string, StateWords>> = {
  expected: { phase: "free", does: "is expected" },
  "on its way": { phase: "free", does: "is on its way" },
  "at its stall": { phase: "waits for the other", does: "stands at its stall for ORDER" },
  secured: { phase: "waits for the other", does: "is closed at its stall" },
  "in line": { phase: "waits for the other", does: "waits in the street: its stall is taken" },
  settling: { phase: "waits for the other", does: "settles in its stall" },
  ready: { phase: "waits for the other", does: "stands open for ORDER" },
  leaving: { phase: "loads", does: "leaves with ORDER" },
  "gave up": { phase: "gone", does: "gave up" },
  over: { phase: "gone", does: "is gone" },
}

const ORDER: Readonly<Record<string, StateWords>> = {
  booked: { phase: "free", does: "is booked" },
  "with a runner": { phase: "carries", does: "is with its runner" },
  "not ready": { phase: "waits for the other", does: "was not ready at the counter" },
  "to cook": { phase: "free", does: "is not begun yet" },
  "waiting for a cook": { phase: "waits for the other", does: "waits for a cook" },
  cooking: { phase: "waits for the other", does: "is being cooked" },
  ready: { phase: "waits for the other", does: "is ready and waits to be fetched" },
  "on board": { phase: "to the door", does: "is on board" },
  delivered: { phase: "gone", does: "has arrived" },
  canceled: { phase: "gone", does: "was canceled" },
  declined: { phase: "gone", does: "was declined" },
  failed: { phase: "gone", does: "failed" },
  "left behind": { phase: "gone", does: "was left behind by its robot" },
}

const BY_KIND: Readonly<Record<ActorKind, Readonly<Record<string, StateWords>>>> = {
  order: ORDER,
  robot: ROBOT,
  runner: RUNNER,
  vehicle: VEHICLE,
}

/** A state that the table does not have is shown under its own name. */
export function wordsOf(kind: ActorKind, state: string): StateWords {
  const known = BY_KIND[kind][state]
  return known ?? { phase: "waits for the other", does: `is ${state}` }
}

/** Colour of a phase: a design token over the ground of the lane, with its share. */
export const PHASE_LOOKS: Readonly<Record<Phase, { readonly token: string; readonly share: number }>> = {
  walks: { token: "k-runner", share: 0.45 },
  "at the counter": { token: "k-runner", share: 0.22 },
  carries: { token: "k-runner", share: 0.78 },
  "waits for the other": { token: "wait", share: 0.72 },
  loads: { token: "k-runner", share: 1 },
  "to the store": { token: "k-vehicle", share: 0.42 },
  "to the door": { token: "k-vehicle", share: 1 },
  "at the door": { token: "k-delivery", share: 0.6 },
  charges: { token: "k-bot", share: 0.45 },
  "broken down": { token: "ink-2", share: 1 },
  free: { token: "line", share: 0 },
  off: { token: "line", share: 0 },
  gone: { token: "line", share: 0 },
}

/** In the order of the legend. */
export const LEGEND: readonly Phase[] = [
  "walks",
  "at the counter",
  "carries",
  "waits for the other",
  "loads",
  "to the store",
  "to the door",
  "at the door",
  "charges",
  "broken down",
]
