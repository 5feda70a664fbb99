/** A small square in the hue of a kind of actor, beside words that say which kind it is. */

import type { JSX } from "preact"
import { hueOf, machineKind } from "../../inspection/kinds.ts"
import type { IndexedActor } from "../../inspection/run-index.ts"

export function KindSquare({ actor }: { readonly actor: IndexedActor | undefined }): JSX.Element {
  return <span class={`kind-square ${hueClass(actor)}`} aria-hidden="true" />
}

/** The class that sets `--hue`. */
export function hueClass(actor: IndexedActor | undefined): string {
  return `hue-${actor === undefined ? "other" : hueOf(machineKind(actor))}`
}
