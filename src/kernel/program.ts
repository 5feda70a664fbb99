/** The program a host runs: machines and decision functions by name and version. Nothing else of ours enters a turn. */

import type { RefusalCode } from "../model/errors.ts"
import type { Json, JsonObject } from "../model/json.ts"
import type { Machine } from "./step.ts"

/** What a decision function says: its choice, or the code of the rule that forbids it. */
export type Decided = JsonObject | { readonly refusal: RefusalCode }

/**
 * A named pure choice over facts. `asked` is the event or start input that it decides for. The types of both are those of the
 * machine's contract, which the kernel does not know.
 */
export type Decision = (facts: never, asked: never, atMs: number) => Decided

export interface Program {
  /** `id@version` → machine. */
  readonly machines: Readonly<Record<string, Machine>>
  /** `name@version` → decision function. */
  readonly decisions: Readonly<Record<string, Decision>>
}

/** True when a decision forbids. */
export function forbids(decided: Json | undefined): decided is { readonly refusal: RefusalCode } {
  return typeof decided === "object" && decided !== null && "refusal" in decided
}
