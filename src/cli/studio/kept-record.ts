/** A record that the page opens: its reservations, deliveries and errands, and one of them as a new scenario. */

import { randomBytes } from "node:crypto"
import type { FastifyInstance } from "fastify"
import { BECAUSE_LENGTH_MAX, STUDIO_RECORD_BYTES_MAX } from "../../model/values/limits.ts"
import { wallClockAt } from "../../model/values/local-time.ts"
import { statesText } from "../../pages/inspection/state-value.ts"
import type { CaseToKeep, KeptCase, OpenedRecord } from "../../pages/web/studio/contract.ts"
import { NoScenario, casesOf, scenarioOfRecord } from "../../simulation/from-journal/from-record.ts"
import type { RecordedCase } from "../../simulation/from-journal/from-record.ts"
import { FolderRefusal } from "./folder.ts"
import { addBytes } from "./sent-bytes.ts"

interface Kept {
  readonly id: string
  readonly file: string
  readonly text: string
}

/** The server keeps the record that was opened last, so that it is sent once. */
export function addKeptRecords(app: FastifyInstance): void {
  let kept: Kept | null = null
  const named = { type: "object", required: ["file"], properties: { file: { type: "string" } } }
  addBytes(app, { what: "record", max: STUDIO_RECORD_BYTES_MAX }, (scope, options) =>
    scope.post<{ Querystring: { file: string }; Body: Buffer }>(
      "/api/record",
      { schema: { querystring: named }, ...options },
      ({ query: { file }, body }): OpenedRecord => {
        const text = body.toString("utf8")
        const cases = writable(() => casesOf(text, file)).map(shownCase)
        kept = { id: randomBytes(16).toString("base64url"), file, text }
        return { id: kept.id, cases }
      },
    ),
  )
  const asked = {
    type: "object",
    required: ["id", "group", "because"],
    properties: {
      id: { type: "string" },
      group: { type: "string" },
      because: { type: "string", maxLength: BECAUSE_LENGTH_MAX },
    },
  }
  app.post<{ Body: CaseToKeep }>("/api/record/kept", { schema: { body: asked } }, ({ body }): KeptCase => {
    if (kept?.id !== body.id)
      throw new FolderRefusal(404, "the studio no longer has this record; open it again")
    const { text, file } = kept
    const because = body.because.trim() === "" ? null : body.because
    return writable(() => scenarioOfRecord(text, file, { group: body.group, because }))
  })
}

function writable<Made>(make: () => Made): Made {
  try {
    return make()
  } catch (cause) {
    if (cause instanceof NoScenario) throw new FolderRefusal(422, cause.message)
    throw cause
  }
}

function shownCase({ group, beganMs, timeZone, state }: RecordedCase): OpenedRecord["cases"][number] {
  const began = new Date(wallClockAt(beganMs, timeZone)).toISOString().slice(0, 19).replace("T", " ")
  return { group, began, state: statesText(JSON.stringify(state)) }
}
