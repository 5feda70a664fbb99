/** The words of the commands about the hold on calls to the outside, which a restored database starts with. */

import type { ManagementRequest } from "../http/operations/management.ts"
import { verb } from "./command-verbs.ts"
import type { Nouns } from "./command-verbs.ts"

/** The hold is one for both environments: no command asks which is meant. */
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
