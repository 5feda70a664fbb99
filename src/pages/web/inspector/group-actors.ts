/** All actors of the chosen actor's group: one part often waits for another. */

import { groupOf } from "../../../model/address.ts"
import type { Scene } from "./scene.ts"

export function actorsOfGroup({ run, view }: Pick<Scene, "run" | "view">): readonly number[] {
  return run.actorsByGroup.get(groupOf(run.index.actors[view.actor]?.address ?? "")) ?? []
}
