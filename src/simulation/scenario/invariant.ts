/** One invariant of the catalogue: its sentence and how it is checked. */

import type { TurnInput } from "../../engine/kernel/journal.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import type { SimulatedService } from "../simulated-service.ts"

/** The inputs of one check. A check keeps its own state between calls. */
export interface InvariantCheck {
  readonly onTurn?: (result: TurnResult, input: TurnInput) => string | null
  readonly onReceived?: (request: ReceivedRequest) => string | null
  readonly onEnd?: () => string | null
}

export interface Invariant {
  /** The name is the sentence. */
  readonly sentence: string
  /** The sentence by which scenarios of older versions name it. */
  readonly formerSentence?: string
  readonly check: (service: SimulatedService) => InvariantCheck
}
