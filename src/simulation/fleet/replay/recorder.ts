/** What a replay asks of the recorder of its world. */

import type { CourseChunk } from "../../../model/replay/course.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { FleetWorld } from "../world/fleet-world.ts"

export interface CourseRecorder {
  /** What happened since the last call, up to an instant. The arrays are the caller's, who may transfer their buffers. */
  readonly take: (untilMs: EpochMs) => CourseChunk
}

/** A recorder that tells the time alone. */
export function clockRecorder(world: Pick<FleetWorld, "startMs">): CourseRecorder {
  return { take: (untilMs) => ({ ...emptyChunk(), untilMs: untilMs - world.startMs }) }
}

function emptyChunk(): Omit<CourseChunk, "untilMs"> {
  const [signed, unsigned, states] = [new Int32Array(), new Uint32Array(), new Uint8Array()]
  return {
    actors: [],
    states: [],
    levelNames: [],
    legs: {
      actor: unsigned,
      state: states,
      fromMs: unsigned,
      untilMs: unsigned,
      fromLatitude: signed,
      fromLongitude: signed,
      toLatitude: signed,
      toLongitude: signed,
    },
    changes: { actor: unsigned, state: states, atMs: unsigned, order: signed },
    levels: { level: new Uint16Array(), atMs: unsigned, value: signed },
    breaks: { kind: states, atMs: unsigned, actor: signed, site: new Uint16Array() },
  }
}
