/**
 * The call that an answer of the connector asks for: agents of a fleet read its `next_step` as text, as the agent of the
 * errands does, and make the call with the values of their plan.
 *
 * Differs from the street: they read neither `tools/list` nor the resource, and fill no schema.
 */

import { COURIER_TOOLS } from "../../../model/courier.ts"
import type { CourierEnvelope, CourierTool } from "../../../model/courier.ts"
import { readStep } from "../../errands/next-step.ts"

export interface Advice {
  /** Null when no call is needed. */
  readonly tool: CourierTool | null
  readonly waitMs: number
}

/** By the answer to the last call; null when its text does not say what to do. A customer takes no offer of another time. */
export function adviceOf(
  { next_step: text = "" }: Partial<CourierEnvelope>,
  last: CourierTool,
): Advice | null {
  const step = readStep(text, TOOLS, toolNamed(last))
  if (step === null) return null
  const tool = step.isOffer ? step.orElse : step.tool
  return { tool: COURIER_TOOLS.find((name) => name === tool?.name) ?? null, waitMs: step.waitMs }
}

const TOOLS = COURIER_TOOLS.map((name) => ({ name, inputSchema: {} }))

function toolNamed(name: CourierTool) {
  return TOOLS.find((tool) => tool.name === name) ?? null
}
