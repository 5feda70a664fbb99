/** Building blocks of every management command: the verbs of a noun, common flags, and parsing of flags. */

import { Option } from "commander"
import type { Command } from "commander"
import { ENVIRONMENTS } from "../model/caller.ts"
import type { ExitStatus } from "./exit-codes.ts"
import type { ManagementFlags, Task } from "./manage.ts"
import type * as manageModule from "./manage.ts"

export type Act = (run: () => Promise<ExitStatus>) => Promise<void>
export type Manage = typeof manageModule
/** Flags as commander hands them over. */
export type Flags = ManagementFlags & Readonly<Record<string, string | boolean | undefined>>

export interface Nouns {
  readonly curbline: Command
  readonly act: Act
}

export type TaskOf = (flags: Flags, manage: Manage, words: readonly string[]) => Task

interface Verb {
  readonly name: string
  readonly description: string
  readonly taskOf: TaskOf
}

/** One sub-command with the common flags. The caller adds further flags to the returned command. */
export function verb(noun: Command, act: Act, { name, description, taskOf }: Verb): Command {
  return noun
    .command(name)
    .description(description)
    .option(
      "--data <dir>",
      "folder of the embedded database (CURBLINE_DATA, else .curbline), also beside its running service",
    )
    .option("--url <url>", "a host of the service, with an operator token in CURBLINE_OPERATOR_TOKEN")
    .addOption(new Option("--environment <name>", "which of the two").choices([...ENVIRONMENTS]))
    .option("--json", "print JSON")
    .action((...given: unknown[]) => {
      // Commander passes the words, then the flags, then the command itself.
      const flags = given.at(-2) as Flags
      const words = given.slice(0, -2) as readonly string[]
      return act(async () => {
        const manage = await import("./manage.ts")
        return manage.manageCommand(flags, taskOf(flags, manage, words))
      })
    })
}

export function textIn(flag: string | boolean | undefined): string | undefined {
  return typeof flag === "string" ? flag : undefined
}

/** An empty text clears a value. */
export function cleared(flag: string | boolean | undefined): string | boolean | null | undefined {
  return flag === "" ? null : flag
}
