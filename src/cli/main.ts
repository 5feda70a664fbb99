/** The `curbline` command: its words, flags and exit statuses. */

import { Argument, Command, CommanderError, Option } from "commander"
import { EngineFault } from "../engine/kernel/faults.ts"
import { RECORDINGS } from "../simulation/run-record.ts"
import { buildName } from "../live/configuration/build.ts"
import type { ChartFlags, GenerateFlags, ReplayFlags } from "./file-commands.ts"
import type { Shell } from "./completion.ts"
import { SHELLS } from "./completion.ts"
import { EXIT } from "./kit/exit-codes.ts"
import type { ExitStatus } from "./kit/exit-codes.ts"
import { addFleetCommand } from "./fleets/fleet-commands.ts"
import type { AgentFlags } from "./runs/agent.ts"
import type { RunFlags } from "./runs/run-scenarios.ts"
import type { BackupFlags, RestoreFlags } from "./service/backup.ts"
import type { ConnectFlags } from "./connect/connect-command.ts"
import type { ConfigFlags } from "./service/config.ts"
import type { ExamplesFlags } from "./service/examples.ts"
import type { ForkFlags } from "./records/fork.ts"
import type { ScenarioFromFlags } from "./records/scenario-from.ts"
import type { InspectFlags } from "./records/inspect.ts"
import type { ListenFlags } from "./partners/listen.ts"
import type { McpFlags } from "./coding-agents/mcp-command.ts"
import type { LogsFlags } from "./partners/request-logs.ts"
import type { StudioFlags } from "./studio/studio.ts"
import type { TriggerFlags } from "./partners/trigger.ts"
import type { JournalExportFlags } from "./records/journal.ts"
import type { ServeFlags } from "./service/serve.ts"
import type { SwarmFlags } from "./runs/swarm.ts"
import type { WhyLateFlags } from "./records/why-late.ts"
import type { WordsFlags } from "./scenarios/words.ts"
import { CommandFailed, UsageError } from "./kit/usage-error.ts"
import { addExamples } from "./kit/help-examples.ts"
import { endQuietlyWhenUnread, err } from "./kit/terminal.ts"

/** The whole process: one command line, Ctrl-C, and a quiet end when the reader of its output is gone. */
export async function main(words: readonly string[]): Promise<ExitStatus> {
  endQuietlyWhenUnread()
  process.once("SIGINT", () => process.exit(EXIT.interrupted))
  return commandLine(words)
}

/** Runs one command line and returns its exit status. */
export async function commandLine(words: readonly string[]): Promise<ExitStatus> {
  let status: ExitStatus = EXIT.passed
  const act: Act = async (run) => {
    status = await run()
  }
  const curbline = makeCommand(act)
  try {
    // The management commands load every endpoint of the operations API: 40 modules that no other command needs.
    const [first = ""] = words
    const isOther =
      ["-V", "--version"].includes(first) || curbline.commands.some((one) => one.name() === first)
    if (!isOther) {
      const { addManagementCommands } = await import("./management/management-commands.ts")
      addManagementCommands(curbline, act)
    }
    for (const command of curbline.commands.flatMap((one) => [one, ...one.commands]))
      command.exitOverride().showSuggestionAfterError()
    await curbline.parseAsync([...words], { from: "user" })
    return status
  } catch (cause) {
    return statusOf(cause)
  }
}

export type Act = (run: () => ExitStatus | Promise<ExitStatus>) => Promise<void>

/** All commands but those that manage a service. */
export function makeCommand(act: Act): Command {
  const curbline = new Command("curbline")
    .description("Curbside delivery: scenarios, replays and charts of its machines.")
    .version(buildName(), "-V, --version")
    .exitOverride()
    .showSuggestionAfterError()
    // `fleet` and `fleet work` share a flag: flags after the word `work` belong to it.
    .enablePositionalOptions()
    .addHelpText(
      "after",
      "\nExit status: 0 passed, 1 failed, 2 usage or bad file, 3 engine fault, 130 interrupted.",
    )
  curbline.commandsGroup("Scenarios:")
  addScenarioCommands(curbline, act)
  addSwarmCommand(curbline, act)
  addAgentCommand(curbline, act)
  addInitCommand(curbline, act)
  addStudioCommand(curbline, act)
  curbline.commandsGroup("Records and machines:")
  addFileCommands(curbline, act)
  addInspectCommand(curbline, act)
  curbline.commandsGroup("Fleets:")
  addFleetCommand(curbline, act)
  curbline.commandsGroup("The service:")
  addServiceCommands(curbline, act)
  curbline.commandsGroup("Calling a host:")
  addDeveloperCommands(curbline, act)
  addConnectCommand(curbline, act)
  curbline.commandsGroup("This checkout:")
  addCompletionCommand(curbline, act)
  curbline
    .command("generate")
    .description("write the generated files of this checkout")
    .option("--check", "only list the stale ones")
    .option("--expected", "also write the present results of the scenarios")
    .addOption(
      new Option(
        "--types",
        "only write the types of the APIs, which are not in git, unless they are fresh",
      ).conflicts(["check", "expected"]),
    )
    .action((flags: GenerateFlags) => act(() => generate(flags)))
  addExamples(curbline.commands)
  return curbline.commandsGroup("Managing a service:")
}

/** The types alone need few modules when they are fresh. */
async function generate(flags: GenerateFlags): Promise<ExitStatus> {
  if (flags.types === true) return (await import("./generate/fresh-types.ts")).typesCommand()
  return (await import("./file-commands.ts")).generateCommand(flags)
}

function addInitCommand(curbline: Command, act: Act): void {
  curbline
    .command("init")
    .description("make a folder with a first scenario, the schema for editors and an example for CI")
    .argument("[folder]", "it may exist, but none of the files", "scenarios")
    .action((folder: string) =>
      act(() => import("./scenarios/init.ts").then(({ initCommand }) => initCommand(folder))),
    )
}

function addStudioCommand(curbline: Command, act: Act): void {
  const studio = curbline
    .command("studio")
    .description("open the scenarios of a folder as a page: write, run, and see their course")
    .argument("[folder]", "a folder with scenario files", "scenarios")
    .option("--port <port>", "serve it on this port of the loopback (a free one)")
    .option("--against <url>", "let scenarios run against this sandbox host, too")
  addAgainstOptions(studio).action((folder: string, flags: StudioFlags) =>
    act(() => import("./studio/studio.ts").then(({ studioCommand }) => studioCommand(folder, flags))),
  )
}

function addSwarmCommand(curbline: Command, act: Act): void {
  curbline
    .command("swarm")
    .description("run random worlds with faults, seed after seed, and make what breaks small")
    .option("--minutes <n>", "as many seeds as fit into this time")
    .option("--seeds <a..b>", "these seeds (1..500 without --minutes)")
    .option("--seed <n>", "this seed, such as one that failed")
    .option("--workers <n>", "worker threads, or all processors (1)")
    .option("--host <host>", "memory, or sql: the live service over an embedded database (memory)")
    .option("--keep <folder>", "where scenario files of failing seeds go (.curbline/swarm)")
    .option("--corpus <file>", "first the seeds of this file, which reach what many seeds reached")
    .option(
      "--extend",
      "with --corpus: add seeds that reach something new, drop those that are covered by others",
    )
    .option("--json", "print one JSON object")
    .action((flags: SwarmFlags) =>
      act(() => import("./runs/swarm.ts").then(({ swarmCommand }) => swarmCommand(flags))),
    )
}

function addAgentCommand(curbline: Command, act: Act): void {
  curbline
    .command("agent")
    .description(
      "run forty errands with a scripted agent that knows only what the connector shows and answers",
    )
    .option("--grep <text>", "run only errands with this text in their name or request, in any case")
    .option("--model <name>", "with this language model instead; its key is in CURBLINE_MODEL_KEY")
    .option("--url <url>", "of its OpenAI-compatible API, such as https://api.openai.com/v1")
    .option("--record <file>", "write what the model says (NDJSON)")
    .addOption(
      new Option("--replay <file>", "with what a model said before").conflicts(["model", "url", "record"]),
    )
    .option("--json", "print one JSON object")
    .action((flags: AgentFlags) =>
      act(() => import("./runs/agent.ts").then(({ agentCommand }) => agentCommand(flags))),
    )
}

function addConnectCommand(curbline: Command, act: Act): void {
  curbline
    .command("connect")
    .description(
      "let an agent on this machine order through a host: link in a browser, then speak MCP over stdio",
    )
    .argument("<url>", "the host, such as https://curbline.example")
    .option("--forget", "end the link and forget its tokens")
    .action((url: string, flags: ConnectFlags) =>
      act(() =>
        import("./connect/connect-command.ts").then(({ connectCommand }) => connectCommand(url, flags)),
      ),
    )
}

/** Completion knows every command, so the management commands are loaded for it. */
function addCompletionCommand(curbline: Command, act: Act): void {
  curbline
    .command("completion")
    .description("print a script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices([...SHELLS]))
    .action((shell: Shell) =>
      act(async () => {
        const { addManagementCommands } = await import("./management/management-commands.ts")
        addManagementCommands(curbline, act)
        const { completionCommand } = await import("./completion.ts")
        return completionCommand(shell, curbline)
      }),
    )
}

/** What goes with `--against`. */
function addAgainstOptions(command: Command): Command {
  return command
    .option("--key <variable>", "with --against: the environment variable with the key (CURBLINE_API_KEY)")
    .option("--receiver-port <port>", "with --against: where this machine gets webhooks (any free port)")
    .option("--receiver-url <url>", "with --against: the URL under which the service reaches that port")
}

/** Commands over scenario files. Their code, too, is loaded only when one of them is called. */
function addScenarioCommands(curbline: Command, act: Act): void {
  const run = curbline
    .command("run")
    .description("run scripted scenarios on virtual time")
    .argument("<path...>", "scenario files or folders")
    .option("--tag <tag...>", "run only scenarios with this tag, or with one of several")
    .option("--grep <text>", "run only scenarios with this text in their title or file name, in any case")
    .option("--failed", "run only what failed in this folder and has not passed since")
    .option("--shard <k/n>", "run only the k-th of n parts, such as 1/3, to share the work in CI")
    .option("--seed <n|a..b>", "run on this seed, or on every seed of a range")
    .option("--json", "print one JSON object")
    .option("--record <file>", "write the run record (NDJSON)")
    .addOption(
      new Option("--recording <what>", "what --record keeps").choices([...RECORDINGS]).default("full"),
    )
    .option("--junit <file>", "write the results as JUnit XML, for CI")
    .option(
      "--report <file>",
      "write a report: one HTML file that needs no network, with the inspector inside",
    )
    .option("--inspect", "record the runs and open them as a page")
    .option("--watch", "run again whenever a file changes")
    .option("--check-determinism", "run everything twice and show the first entry that differs")
    .option("--against <url>", "run against this sandbox host instead of in memory")
  addAgainstOptions(run).action((paths: string[], flags: RunFlags) =>
    act(() => import("./runs/run-scenarios.ts").then(({ runCommand }) => runCommand(paths, flags))),
  )
  curbline
    .command("check")
    .description("check scenario files without running them")
    .argument("<path...>", "scenario files or folders")
    .action((paths: string[]) =>
      act(() => import("./file-commands.ts").then(({ checkCommand }) => checkCommand(paths))),
    )
  curbline
    .command("explain")
    .description("print a scenario as plain sentences")
    .argument("<path...>", "scenario files or folders")
    .action((paths: string[]) =>
      act(() => import("./file-commands.ts").then(({ explainCommand }) => explainCommand(paths))),
    )
  curbline
    .command("words")
    .description("describe the words of scenario files: commands, facts, faults, codes and invariants")
    .argument("[word...]", "such as bot.report, do or reservation; without it, one line for each word")
    .option("--json", "print one JSON object")
    .action((words: string[], flags: WordsFlags) =>
      act(() =>
        import("./scenarios/words.ts").then(({ wordsCommand }) => wordsCommand(words.join(" "), flags)),
      ),
    )
}

/** Commands over records and machines. */
function addFileCommands(curbline: Command, act: Act): void {
  curbline
    .command("replay")
    .description("run a record again and compare every entry")
    .argument("<record>", "a run record (NDJSON)")
    .option("--until <moment>", "stop there, such as 417 or 2:417, and show the state then")
    .action((file: string, flags: ReplayFlags) =>
      act(() => import("./file-commands.ts").then(({ replayCommand }) => replayCommand(file, flags))),
    )
  curbline
    .command("fork")
    .description("go on from a moment of a record with other steps, and compare both courses")
    .argument("<record>", "a run record (NDJSON), also a live journal")
    .requiredOption("--at <moment>", "the last entry that both have in common, such as 41 or 2:41")
    .requiredOption("--with <file>", "the steps from there on (YAML); - reads them from stdin")
    .option("--inspect", "open both courses side by side as a page")
    .option("--report <file>", "write that page as one HTML file that needs no network")
    .option("--out <file>", "write the new course as a run record")
    .option("--full", "print every entry, also those that both courses have")
    .action((file: string, flags: ForkFlags) =>
      act(() => import("./records/fork.ts").then(({ forkCommand }) => forkCommand(file, flags))),
    )
  addWhyLateCommand(curbline, act)
  curbline
    .command("scenario")
    .description("write scenarios")
    .command("from")
    .description(
      "write the scenario that repeats what a reservation, delivery or errand of a journal went through",
    )
    .argument("<journal>", "a run record (NDJSON), also a live journal")
    .requiredOption("--group <id>", "its group, such as reservation/res_…, its id, or the beginning of it")
    .option("--because <sentence>", "why the scenario is there, such as what went wrong")
    .option("--out <file>", "write the file instead of printing it")
    .action((file: string, flags: ScenarioFromFlags) =>
      act(() =>
        import("./records/scenario-from.ts").then(({ scenarioFromCommand }) =>
          scenarioFromCommand(file, flags),
        ),
      ),
    )
  curbline
    .command("chart")
    .description("print a machine as an outline, a picture, a Mermaid diagram or tables")
    .argument("<machine>", "its name, such as reservation")
    .addOption(new Option("--svg", "a picture of it").conflicts(["mermaid", "table", "outline"]))
    .addOption(new Option("--mermaid", "a Mermaid state diagram").conflicts(["table", "outline"]))
    .addOption(new Option("--table", "Markdown tables of transitions and timers").conflicts(["outline"]))
    .option("--outline", "an indented outline (the default)")
    .action((name: string, flags: ChartFlags) =>
      act(() => import("./file-commands.ts").then(({ chartCommand }) => chartCommand(name, flags))),
    )
}

function addWhyLateCommand(curbline: Command, act: Act): void {
  curbline
    .command("why-late")
    .description("say when a late or lost order could no longer be saved, and what would have saved it")
    .argument("<record>", "a run record (NDJSON) of a whole site, also a live journal")
    .argument("[order]", "a reservation, delivery or errand: its address, its id, or the end of it")
    .option("--promise <bound>", "a promise instead of an order, such as 'reservations.wait_p90 < 12m'")
    .option(
      "--limit <duration>",
      "what late is: a robot's longest wait (8m), or a delivery's time from its request",
    )
    .option(
      "--model <file>",
      "a fleet model to draw futures from, instead of one that is learned from the record before",
    )
    .option("--futures <n>", "at most so many from each moment", "200")
    .option("--seed <n>", "of the first future", "1")
    .option("--json", "print one JSON object")
    .option("--report <file>", "write the answer as a page: one HTML file that needs no network")
    .action((file: string, order: string | undefined, flags: WhyLateFlags) =>
      act(() =>
        import("./records/why-late.ts").then(({ whyLateCommand }) => whyLateCommand(file, order, flags)),
      ),
    )
}

/** The code that makes pages is loaded only when a page is needed. */
function addInspectCommand(curbline: Command, act: Act): void {
  curbline
    .command("inspect")
    .description("show a record as a page: every actor's states, their causes and waits")
    .argument("[record]", "a run record (NDJSON); without one, a page that opens records itself")
    .argument("[other]", "a second record, to see where the two differ")
    .option("--out <file>", "write the page as one HTML file instead of serving it on the loopback")
    .option("--at <moment>", "open it there, such as 417 or 2:417")
    .option("--port <port>", "serve it on this port of the loopback (a free one)")
    .action((record: string | undefined, other: string | undefined, flags: InspectFlags) => {
      const records = [record, other].filter((path) => path !== undefined)
      return act(() =>
        import("./records/inspect.ts").then(({ inspectCommand }) => inspectCommand(records, flags)),
      )
    })
}

/**
 * Commands of the live service. Their code is loaded only when one of them is called, so that scenarios start without
 * it.
 */
function addServiceCommands(curbline: Command, act: Act): void {
  curbline
    .command("serve")
    .description("run the service: production and sandbox hosts")
    .option("--host <address>", "address to listen on (127.0.0.1)")
    .option("--production-port <port>", "port of the production host (4010)")
    .option("--sandbox-port <port>", "port of the sandbox host (4011)")
    .option("--data <dir>", "folder of the embedded database and its secrets (.curbline)")
    .option("--demo", "make demo data on an external database too")
    .option("--allow-local-targets", "development: webhooks and open links may reach loopback over http")
    .option("--fleet-speed <times>", "how fast synthetic vehicles of production drive: 1 to 600, or off")
    .addHelpText("after", "\nMore is set by the environment, which flags override: see `curbline config`.")
    .action((flags: ServeFlags) =>
      act(() => import("./service/serve.ts").then(({ serveCommand }) => serveCommand(flags))),
    )
  curbline
    .command("config")
    .description("print every setting of the service: meaning, default and reason")
    .addOption(new Option("--table", "as a Markdown table").conflicts(["systemd"]))
    .option("--systemd", "print a unit of systemd for this checkout instead")
    .action((flags: ConfigFlags) =>
      act(() => import("./service/config.ts").then(({ configCommand }) => configCommand(flags))),
    )
  curbline
    .command("examples")
    .description("print requests of the demo to paste into a shell")
    .option("--data <dir>", "folder of the service with its demo.json (CURBLINE_DATA, else .curbline)")
    .option("--allow-local-targets", "for a service that was started with this flag")
    .action((flags: ExamplesFlags) =>
      act(() => import("./service/examples.ts").then(({ examplesCommand }) => examplesCommand(flags))),
    )
  addBackupCommands(curbline, act)
  const journal = curbline.command("journal").description("the live journal")
  journal
    .command("export")
    .description("write the live journal as a run record")
    .option("--data <dir>", "folder of the embedded database (CURBLINE_DATA, else .curbline)")
    .option("--out <file>", "write here instead of stdout")
    .action((flags: JournalExportFlags) =>
      act(() =>
        import("./records/journal.ts").then(({ journalExportCommand }) => journalExportCommand(flags)),
      ),
    )
}

const KEY_TEXT = "\nWithout --key the key is CURBLINE_API_KEY, else that of the demo data on this machine."

/** Commands of a developer whose program calls a host. */
function addDeveloperCommands(curbline: Command, act: Act): void {
  const withHost = (name: string): Command =>
    curbline
      .command(name)
      .option("--key <key>", "an API key; in CURBLINE_API_KEY it stays out of the shell's history")
      .option("--url <url>", "the host (CURBLINE_URL, else http://127.0.0.1:4011)")
      .option("--data <dir>", "folder whose demo.json has a key (CURBLINE_DATA, else .curbline)")
      .addHelpText("after", KEY_TEXT)
  withHost("listen")
    .description("forward the sandbox's events to a program on this machine, signed like webhooks")
    .requiredOption("--forward-to <url>", "where your program receives webhooks")
    .option("--allow-remote", "let the target be another machine")
    .action((flags: ListenFlags) =>
      act(() => import("./partners/listen.ts").then(({ listenCommand }) => listenCommand(flags))),
    )
  withHost("trigger")
    .description("make an event happen in the sandbox, and print its id")
    .argument("[event]", "such as reservation.exception; without it, the names are printed")
    .option("--reason <code>", "of reservation.exception (runner_delayed)")
    .option("--site <uuid>", "the site of a delivery (CURBLINE_SITE_ID, else the demo's)")
    .option("--to <latitude,longitude>", "where a delivery goes, in the site's area")
    .action((name: string | undefined, flags: TriggerFlags) =>
      act(() => import("./partners/trigger.ts").then(({ triggerCommand }) => triggerCommand(name, flags))),
    )
  withHost("mcp")
    .description(
      "let a coding agent use a folder of scenarios, models and records, and the sandbox: speak MCP over stdio",
    )
    .argument("[folder]", "the folder", ".")
    .option("--allow-writes", "also offer the tools that change the sandbox")
    .action((folder: string, flags: McpFlags) =>
      act(() => import("./coding-agents/mcp-command.ts").then(({ mcpCommand }) => mcpCommand(folder, flags))),
    )
  withHost("logs")
    .description("print the calls of the organization's keys on a host, oldest first")
    .option("--follow", "go on with the calls that follow")
    .option("--status <status>", "only a status such as 422, or a class such as 4xx")
    .option("--path <part>", "only paths that contain this")
    .option("--limit <n>", "how many of the last calls (20)")
    .option("--json", "one JSON object for each call")
    .action((flags: LogsFlags) =>
      act(() => import("./partners/request-logs.ts").then(({ logsCommand }) => logsCommand(flags))),
    )
}

function addBackupCommands(curbline: Command, act: Act): void {
  curbline
    .command("backup")
    .description("copy the embedded database into one file, also while the service runs, and verify it")
    .argument("<file>", "a new file; the service's secret is not in it")
    .option("--data <dir>", "folder of the embedded database (CURBLINE_DATA, else .curbline)")
    .action((file: string, flags: BackupFlags) =>
      act(() => import("./service/backup.ts").then(({ backupCommand }) => backupCommand(file, flags))),
    )
  curbline
    .command("restore")
    .description("make a data folder from a backup, with outbound calls on hold")
    .argument("[file]", "what `curbline backup` wrote")
    .option("--data <dir>", "a new or empty folder (CURBLINE_DATA, else .curbline)")
    .option("--secret-file <path>", "the service's secret (default: CURBLINE_SECRET, or typed at a prompt)")
    .option("--hold-calls", "hold calls of a database that another tool restored, before it is served")
    .option("--resume-calls", "release held calls")
    .action((file: string | undefined, flags: RestoreFlags) =>
      act(() => import("./service/backup.ts").then(({ restoreCommand }) => restoreCommand(file, flags))),
    )
}

async function statusOf(cause: unknown): Promise<ExitStatus> {
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? EXIT.passed : EXIT.usage
  if (cause instanceof UsageError) {
    err(`error: ${cause.message}`)
    return EXIT.usage
  }
  if (cause instanceof EngineFault) {
    err(`engine fault: ${cause.message}`)
    if (cause.cause instanceof Error && cause.cause.stack !== undefined) err(cause.cause.stack)
    return EXIT.fault
  }
  if (cause instanceof CommandFailed) {
    err(`error: ${cause.message}`)
    return EXIT.failed
  }
  // Loaded on demand: it knows the database.
  const { knownFailure } = await import("./kit/known-failures.ts")
  const known = knownFailure(cause)
  if (known !== null) {
    err(`error: ${known.line}`)
    return known.status
  }
  err(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
  return EXIT.fault
}
