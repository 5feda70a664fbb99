/** A machine of the registry, found by the name that a person types. */

import type { AnyStateMachine } from "xstate"
import type { Ignores } from "../../../machines/ignores.ts"
import { ignores, machines } from "../../../machines/index.ts"
import { chartOf } from "./chart-document.ts"
import type { ChartDocument } from "./chart-document.ts"

export interface RegisteredMachine {
  /** Name and version: `reservation@1`. */
  readonly id: string
  readonly machine: AnyStateMachine
  readonly ignores: Ignores
}

/** Every machine of the registry, in its order. */
export function registeredMachines(): readonly RegisteredMachine[] {
  return Object.entries(machines).map(([id, machine]) => ({
    id,
    machine,
    ignores: ignores[id as keyof typeof ignores],
  }))
}

/** Their charts, in the same order. */
export function registeredCharts(): readonly ChartDocument[] {
  return registeredMachines().map(({ id, machine }) => chartOf(id, machine))
}

/** `reservation@1` names one version, `reservation` the newest; null if there is no such machine. */
export function machineNamed(name: string): RegisteredMachine | null {
  return newestNamed(name, registeredMachines())
}

/** The rule of `machineNamed`, for any list of machines. */
export function newestNamed(
  name: string,
  registered: readonly RegisteredMachine[],
): RegisteredMachine | null {
  const named = registered.filter(({ id }) => id === name || id.slice(0, id.lastIndexOf("@")) === name)
  return named.toSorted((a, b) => versionOf(b) - versionOf(a))[0] ?? null
}

function versionOf({ id }: RegisteredMachine): number {
  return Number(id.slice(id.lastIndexOf("@") + 1))
}
