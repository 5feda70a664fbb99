/** The machines of the world around the service, by name. */

import type { Ignores } from "../../../../../machines/ignores.ts"
import type { Machine } from "../../../../engine/kernel/step.ts"
import { customer, customerIgnores } from "./customer.ts"
import { errandAgent, errandAgentIgnores } from "./errand-agent.ts"
import { kitchenOrder, kitchenOrderIgnores } from "./kitchen-order.ts"
import { partnerBot, partnerBotIgnores } from "./partner-bot.ts"
import { runnerRound, runnerRoundIgnores } from "./runner-round.ts"
import { runnerShift, runnerShiftIgnores } from "./runner-shift.ts"

export interface WorldMachine {
  readonly machine: Machine
  readonly ignores: Ignores
}

export const worldMachines: Readonly<Record<string, WorldMachine>> = {
  customer: { machine: customer, ignores: customerIgnores },
  "errand-agent": { machine: errandAgent, ignores: errandAgentIgnores },
  "kitchen-order": { machine: kitchenOrder, ignores: kitchenOrderIgnores },
  "partner-bot": { machine: partnerBot, ignores: partnerBotIgnores },
  "runner-round": { machine: runnerRound, ignores: runnerRoundIgnores },
  "runner-shift": { machine: runnerShift, ignores: runnerShiftIgnores },
}
