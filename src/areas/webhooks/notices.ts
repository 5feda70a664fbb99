/** Notices: messages to an organization that wait in an outbox until they are sent. */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { choice, epochMs, serial, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import type { Routine } from "../../engine/services/routine.ts"

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

export class Notices extends Context.Tag("Notices")<
  Notices,
  {
    readonly add: (notice: Notice) => Routine<void, never, Transaction>
    /** Of one organization in one environment, oldest first. */
    readonly list: (scope: {
      readonly organizationId: string
      readonly environment: Environment
    }) => Routine<readonly Notice[]>
  }
>() {}
