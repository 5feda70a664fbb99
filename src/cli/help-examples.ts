/** Examples below the help of commands. */

import type { Command } from "commander"

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  run: [
    "npx curbline run scenarios/reservations",
    "npx curbline run scenarios --grep stall --seed 1..3",
    "npx curbline run scenarios --failed --report out.html",
  ],
  check: ["npx curbline check scenarios"],
  explain: ["npx curbline explain scenarios/reservations/the-bot-never-shows-up.yaml"],
  replay: ["npx curbline replay out.ndjson", "npx curbline replay out.ndjson --until 417"],
  fork: ["npx curbline fork out.ndjson --at 41 --with scenarios/what-ifs/the-open-link-answers.yaml"],
  "scenario from": ["npx curbline scenario from out.ndjson --group reservation/res_3f --out visit.yaml"],
  words: ["npx curbline words", "npx curbline words do", "npx curbline words bot.report"],
  init: ["npx curbline init my-scenarios", "npx curbline run my-scenarios"],
  studio: [
    "npx curbline studio scenarios",
    "npx curbline studio scenarios/reservations --port 4020",
    "npx curbline studio scenarios --against http://127.0.0.1:4011",
  ],
  fleet: [
    "npx curbline fleet scenarios/fleets/lunch-rush.yaml --report out.html",
    "npx curbline fleet scenarios/fleets/lunch-rush.yaml --seeds 1..20 --workers all",
  ],
  swarm: [
    "npx curbline swarm",
    "npx curbline swarm --minutes 10 --workers all",
    "npx curbline swarm --seed 4711",
    "npx curbline swarm --corpus test/swarm/corpus.json",
    "npx curbline swarm --host sql --minutes 5",
  ],
  inspect: ["npx curbline run scenarios --record out.ndjson", "npx curbline inspect out.ndjson"],
  chart: ["npx curbline chart reservation", "npx curbline chart reservation --svg"],
  completion: ["source <(npx curbline completion bash)"],
}

export function addExamples(curbline: Command): void {
  const nested = curbline.commands.flatMap((command) =>
    command.commands.map((one) => [`${command.name()} ${one.name()}`, one] as const),
  )
  const plain = curbline.commands.map((command) => [command.name(), command] as const)
  for (const [name, command] of [...plain, ...nested]) {
    const lines = EXAMPLES[name]
    if (lines === undefined) continue
    command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`)
  }
}
