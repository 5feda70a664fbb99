/** `curbline config`: every setting of the service with its meaning, its default and the reason. */

import { SETTINGS } from "../../live/configuration/configuration.ts"
import type { Setting } from "../../live/configuration/setting.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { systemdUnit } from "./systemd-unit.ts"
import { out } from "../kit/terminal.ts"

export interface ConfigFlags {
  readonly table?: boolean
  readonly systemd?: boolean
}

/** As plain text, as the table of a README, or as a systemd unit that reads the settings from a file. */
export function configCommand({ table, systemd }: ConfigFlags): ExitStatus {
  if (systemd === true) out(systemdUnit())
  else out(table === true ? settingsTable() : Object.values(SETTINGS).map(paragraph).join("\n\n"))
  return EXIT.passed
}

/** A Markdown table without padding. */
function settingsTable(): string {
  const rows = Object.values(SETTINGS).map(({ name, flag, meaning, expects, usually, because }) => {
    const variable = `\`${name}\`${flag === null ? "" : ` or \`${flag}\``}`
    return [variable, `${meaning}.`, expects, usually, because ?? ""]
  })
  const head = ["Variable, flag", "What it is", "Must be", "If not set", "Because"]
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

function paragraph({ name, flag, meaning, expects, usually, because }: Setting<unknown>): string {
  return [
    flag === null ? name : `${name}, ${flag}`,
    `  ${meaning}.`,
    `  Must be ${expects}. If not set: ${usually}${because === null ? "" : `, because ${because}`}.`,
  ].join("\n")
}
