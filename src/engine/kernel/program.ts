/**
 * The program that a host runs: machines and decision functions by name and version. Besides the kernel a turn runs no
 * other code of ours.
 */

import type { RefusalCode } from "../../model/values/errors.ts"
import type { Json, JsonObject } from "../../model/values/json.ts"
import type { Machine } from "./step.ts"

/** The result of a decision function: its choice, or the code of the rule that forbids the request. */
export type Decided = JsonObject | { readonly refusal: RefusalCode }

/**
 * A pure function over facts. `asked` is the event or start input that it decides about. Both types are those of the
 * machine's contract, which the kernel does not know.
 */
export type Decision = (facts: never, asked: never, atMs: number) => Decided

export interface Program {
  /** `id@version` → machine. */
  readonly machines: Readonly<Record<string, Machine>>
  /** `name@version` → decision function. */
  readonly decisions: Readonly<Record<string, Decision>>
}

/** True when a decision is a refusal. */
export function forbids(decided: Json | undefined): decided is { readonly refusal: RefusalCode } {
  return typeof decided === "object" && decided !== null && "refusal" in decided
}
