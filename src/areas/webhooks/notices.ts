/** Notices: messages to an organization that wait in an outbox until they are sent. */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import { repository } from "../../engine/services/service.ts"
import { choice, epochMs, serial, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Tables } from "../../engine/services/tables/tables.ts"

export const notices = table("notices", {
  one: "a notice",
  many: "notices",
  columns: {
    noticeId: text(),
    number: serial().hidden(),
    organizationId: text(),
    environment: choice<Environment>(),
    kind: choice<"webhook_disabled">(),
    /** The endpoint that it is about. */
    subjectId: text(),
    createdAtMs: epochMs(),
  },
  key: ["noticeId"],
  indexes: [{ name: "notices_scope", by: ["environment", "organizationId", "number"] }],
})

export type Notice = RowOf<typeof notices>

export class Notices extends repository<Notices>()(
  "Notices",
  Effect.map(Tables, (tables) => {
    const rows = tables.of(notices)
    return {
      add: rows.insert,
      /** Of one organization in one environment, oldest first. */
      list: ({ organizationId, environment }: Pick<Notice, "environment" | "organizationId">) =>
        rows.list({ environment, organizationId }, { order: ["number"] }),
    }
  }),
) {}
