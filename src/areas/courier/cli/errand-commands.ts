/** Commands about courier errands. */

import { Option } from "commander"
import { FAILURE_REASONS } from "../../../model/courier.ts"
import { verb } from "../../../cli/command-verbs.ts"
import type { Nouns } from "../../../cli/command-verbs.ts"

/** These commands need a running service, because errands are machines and may call the payment processor. */
export function addErrandCommands({ curbline, act }: Nouns): void {
  const errands = curbline
    .command("errands")
    .description("courier errands, which agents know as deliveries; the service must be running")
  verb(errands, act, {
    name: "show",
    description: "the state of an errand and of its fee",
    taskOf: (_, { pathOf }, [id = ""]) => ({
      type: "show",
      noun: "errand",
      isShared: true,
      request: { method: "GET", path: pathOf("connector", "errands", id) },
    }),
  }).argument("<delivery-id>", "such as dlv_ and 22 letters and digits")
  verb(errands, act, {
    name: "handover",
    description: "what people at the curb and at the door need to know; contains names",
    taskOf: (_, { pathOf }, [id = ""]) => ({
      type: "show",
      noun: "handover",
      isShared: true,
      request: { method: "GET", path: pathOf("connector", "errands", id, "handover") },
    }),
  }).argument("<delivery-id>", "as its agent knows it")
  verb(errands, act, {
    name: "fail",
    description: "end a booked errand that does not reach the door; --refund gives the fee back",
    taskOf: (flags, { given, pathOf }, [id = ""]) => ({
      type: "show",
      noun: "errand",
      isShared: true,
      request: {
        method: "POST",
        path: pathOf("connector", "errands", id, "failure"),
        body: given({ reason: flags["reason"], refund: flags["refund"] }),
      },
    }),
  })
    .argument("<delivery-id>", "as its agent knows it")
    .addOption(new Option("--reason <word>", "why").choices([...FAILURE_REASONS]).makeOptionMandatory())
    .option("--refund", "give the fee back")
  verb(errands, act, {
    name: "refund",
    description: "refund the fee of a failed errand; safe to repeat",
    taskOf: (_, { pathOf }, [id = ""]) => ({
      type: "show",
      noun: "errand",
      isShared: true,
      request: { method: "POST", path: pathOf("connector", "errands", id, "refund") },
    }),
  }).argument("<delivery-id>", "as its agent knows it")
}
