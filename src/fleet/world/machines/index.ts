/** The machines of the world around the service, by name. */

import type { Ignores } from "../../../../machines/ignores.ts"
import type { Machine } from "../../../kernel/step.ts"
import { runnerShift, runnerShiftIgnores } from "./runner-shift.ts"

export interface WorldMachine {
  readonly machine: Machine
  readonly ignores: Ignores
}

export const worldMachines: Readonly<Record<string, WorldMachine>> = {
  "runner-shift": { machine: runnerShift, ignores: runnerShiftIgnores },
}
