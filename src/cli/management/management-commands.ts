/**
 * The management commands, which the endpoints of the operations API declare. This file loads all of these endpoints,
 * so `main.ts` imports it only for a word that no other command has, and for help.
 */

import { Option } from "commander"
import type { Command } from "commander"
import type { CommandNoun } from "../../http/operator-command.ts"
import { ENVIRONMENTS } from "../../model/caller.ts"
import { ACCOUNT_ENDPOINTS, ENDPOINTS, PRODUCTION_ENDPOINTS } from "../../apps/operations/http/endpoints.ts"
import { inputsOf, taskOf } from "./command-inputs.ts"
import type { Offered } from "./command-inputs.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { addExamples } from "../kit/help-examples.ts"
import type { ManagementFlags } from "./manage.ts"
import { MANAGEMENT_EXAMPLES } from "./management-examples.ts"

type Act = (run: () => Promise<ExitStatus>) => Promise<void>

export function addManagementCommands(curbline: Command, act: Act): void {
  const others = new Set(curbline.commands)
  for (const endpoint of [...ENDPOINTS, ...ACCOUNT_ENDPOINTS, ...PRODUCTION_ENDPOINTS]) {
    for (const command of endpoint.commands ?? [])
      addVerb(groupOf(curbline, command.noun), { endpoint, command }, act)
  }
  addExamples(
    curbline.commands.filter((command) => !others.has(command)),
    MANAGEMENT_EXAMPLES,
  )
}

function groupOf(curbline: Command, { word, description }: CommandNoun): Command {
  const known = curbline.commands.find((command) => command.name() === word)
  return known ?? curbline.command(word).description(description)
}

function addVerb(group: Command, offered: Offered, act: Act): void {
  const { verb, description } = offered.command
  const inputs = inputsOf(offered)
  const command = group.command(verb).description(description)
  for (const { syntax, description: meaning, option } of inputs) {
    if (option === null) command.argument(syntax, meaning)
    else command.addOption(option)
  }
  command
    .option(
      "--data <dir>",
      "folder of the embedded database (CURBLINE_DATA, else .curbline), also beside its running service",
    )
    .option("--url <url>", "a host of the service, with an operator token in CURBLINE_OPERATOR_TOKEN")
    .addOption(new Option("--environment <name>", "which of the two").choices([...ENVIRONMENTS]))
    .option("--json", "print JSON")
    .action(() => {
      const flags: ManagementFlags & Readonly<Record<string, string | boolean | undefined>> = command.opts()
      return act(async () => {
        const { manageCommand } = await import("./manage.ts")
        return manageCommand(flags, taskOf(offered, inputs, { flags, args: command.args }))
      })
    })
}
