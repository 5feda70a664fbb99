/** Examples below the help of commands. */

import type { Command } from "commander"

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  run: [
    "npx curbline run scenarios/reservations",
    "npx curbline run scenarios --grep stall --seed 1..3",
    "npx curbline run scenarios --failed --report out.html",
  ],
  agent: [
    "npx curbline agent",
    "npx curbline agent --grep wine --json",
    "npx curbline agent --model gpt-5 --url https://api.openai.com/v1 --record said.ndjson",
    "npx curbline agent --replay said.ndjson",
  ],
  check: ["npx curbline check scenarios"],
  explain: ["npx curbline explain scenarios/reservations/the-bot-never-shows-up.yaml"],
  replay: ["npx curbline replay out.ndjson", "npx curbline replay out.ndjson --until 417"],
  serve: [
    "npx curbline serve",
    "npx curbline serve --data /var/lib/curbline --production-port 8010 --sandbox-port 8011",
    "npx curbline serve --allow-local-targets --fleet-speed 60",
  ],
  config: ["npx curbline config", "npx curbline config --systemd"],
  examples: ["npx curbline examples", "npx curbline examples --data /var/lib/curbline"],
  backup: ["npx curbline backup curbline.backup --data /var/lib/curbline"],
  restore: [
    "npx curbline restore curbline.backup --data /var/lib/curbline --secret-file /safe/secret",
    "npx curbline restore --resume-calls",
  ],
  "journal export": [
    "npx curbline journal export --out journal.ndjson",
    "npx curbline inspect journal.ndjson",
  ],
  listen: ["npx curbline listen --forward-to http://localhost:3000/hooks"],
  connect: [
    "npx curbline connect https://curbline.example",
    "npx curbline connect https://curbline.example --forget",
  ],
  mcp: ["npx curbline mcp scenarios", "npx curbline mcp --allow-writes"],
  trigger: ["npx curbline trigger", "npx curbline trigger reservation.exception --reason bot_no_show"],
  logs: ["npx curbline logs", "npx curbline logs --follow --status 4xx"],
  generate: [
    "npx curbline generate",
    "npx curbline generate --check",
    "npx curbline generate --expected",
    "npx curbline generate --types",
  ],
  "fleet fit": [
    "npx curbline fleet fit --journal out.ndjson --out model.yaml",
    'npx curbline fleet fit --database postgres://db/curbline --site "North store" --report fit.html',
    "npx curbline fleet fit --table orders.csv --bind time=created_at preparation.to=ready_at --out model.yaml",
  ],
  "fleet inspect-table": [
    "npx curbline fleet inspect-table orders.csv",
    "npx curbline fleet inspect-table trips.parquet --out demand.yaml",
  ],
  "fleet forecast": [
    'npx curbline fleet forecast --database postgres://db/curbline --site "North store" --ahead 3h',
    "npx curbline fleet forecast --journal out.ndjson --promise 'reservations.wait_p95 < 8m'",
  ],
  "fleet work": ["npx curbline fleet work --database postgres://db/curbline --threads 4"],
  "why-late": [
    "npx curbline why-late out.ndjson OBrs --model stadium.yaml --report lost.html",
    "npx curbline why-late journal.ndjson --promise 'reservations.wait_p90 < 12m'",
  ],
  fork: [
    "npx curbline fork out.ndjson --at 41 --with what-if.yaml --inspect",
    "npx curbline fork out.ndjson --at 41 --with scenarios/what-ifs/the-open-link-answers.yaml --report both.html",
  ],
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
    "npx curbline swarm --corpus test/simulation/swarm/corpus.json",
    "npx curbline swarm --host sql --minutes 5",
  ],
  inspect: ["npx curbline run scenarios --record out.ndjson", "npx curbline inspect out.ndjson"],
  chart: ["npx curbline chart reservation", "npx curbline chart reservation --svg"],
  completion: ["source <(npx curbline completion bash)"],
}

/** Below each command's help its own examples; a command of verbs without own ones has one of each verb. */
export function addExamples(
  commands: readonly Command[],
  examples: Readonly<Record<string, readonly string[]>> = EXAMPLES,
): void {
  for (const command of commands) {
    const ofVerb = (verb: Command): readonly string[] => examples[`${command.name()} ${verb.name()}`] ?? []
    for (const verb of command.commands) show(verb, ofVerb(verb))
    show(command, examples[command.name()] ?? command.commands.flatMap((verb) => ofVerb(verb).slice(0, 1)))
  }
}

function show(command: Command, lines: readonly string[]): void {
  if (lines.length === 0) return
  command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`)
}
