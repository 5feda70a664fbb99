/** Courses over their declared tables. */

import { Effect, Layer } from "effect"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { CourseRows, courseRuns, courseSteps } from "./rows.ts"

export const layerCourseRows: Layer.Layer<CourseRows, never, Tables> = Layer.effect(
  CourseRows,
  Effect.map(Tables, (tables): CourseRows["Type"] => {
    const runs = tables.of(courseRuns)
    const steps = tables.of(courseSteps)
    return {
      run: (moveId) => runs.get({ moveId }),
      insertRun: runs.insert,
      changeRun: (moveId, change) => runs.update({ moveId }, change),
      insertStep: steps.insert,
      steps: (moveId) => steps.list({ moveId }, { order: ["number"] }),
      purgeRuns: purgeOf(courseRuns, runs),
      purgeSteps: purgeOf(courseSteps, steps),
    }
  }),
)
