/** Commands about the hold on outbound calls, with which a restored database starts. */

import type { ManagementRequest } from "../http/management.ts"
import { verb } from "../../cli/command-verbs.ts"
import type { Nouns } from "../../cli/command-verbs.ts"

/** Both environments share the hold, so no command takes an environment. */
export function addCallCommands({ curbline, act }: Nouns): void {
  const calls = curbline
    .command("calls")
    .description("the hold on webhooks, open links, payments, mails and texts")
  const verbs = [
    { name: "status", method: "GET", description: "whether calls are held, since when, and how many wait" },
    { name: "release", method: "POST", description: "release held calls; safe to repeat" },
  ] as const
  for (const { name, method, description } of verbs) {
    verb(calls, act, {
      name,
      description,
      taskOf: (_, { pathOf }) => ({
        type: "show",
        noun: "calls",
        isShared: true,
        request: {
          method,
          path: name === "status" ? pathOf("calls") : pathOf("calls", name),
        } satisfies ManagementRequest,
      }),
    })
  }
}
