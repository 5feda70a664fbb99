/**
 * The protocol's official conformance suite against the endpoint, in a revision with a handshake and in the one without. Every scenario
 * of the suite is in the table, so a later version of the suite with more of them fails here.
 */

import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { MCP_PATH } from "../../../src/apps/mcp/plugin.ts"
import { freePort } from "../../free-port.ts"
import { STATELESS, openEndpoint } from "./endpoint.ts"
import type { Endpoint } from "./endpoint.ts"

const SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
const HANDSHAKE = "2025-11-25"
const REVISIONS = [HANDSHAKE, STATELESS] as const
type Revision = (typeof REVISIONS)[number]

/** In both revisions, unless the row names one. */
const APPLICABLE: readonly (readonly [scenario: string, only?: Revision])[] = [
  ["server-initialize", HANDSHAKE],
  ["ping", HANDSHAKE],
  ["server-stateless", STATELESS],
  ["tools-list"],
  ["resources-list"],
  ["sep-2164-resource-not-found", STATELESS],
  ["dns-rebinding-protection"],
  ["caching", STATELESS],
  ["http-header-validation", STATELESS],
  // With a handshake it needs a session.
  ["server-sse-multiple-streams", STATELESS],
  ["input-required-result-unsupported-methods", STATELESS],
]

const OWN_TOOL = "calls a tool of the suite's own; the contract has six tools and no others"
const OWN_RESOURCE =
  "reads a resource of the suite's own; the contract has one and no templates with contents"
const ASKS_CLIENT =
  "calls a tool of the suite's own that asks the client something; no tool of the contract does"
const NO_PROMPTS = "there are no prompts"
const NO_SESSIONS = "there are no sessions"
const NO_SUBSCRIPTIONS = "nothing that is offered changes, so nothing can be subscribed to"
const NO_TASKS = "the extension for tasks is not offered"

const NOT_APPLICABLE: readonly (readonly [why: string, ...scenarios: string[]])[] = [
  [
    OWN_TOOL,
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-with-logging",
    "json-schema-2020-12",
  ],
  [
    ASKS_CLIENT,
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-missing-input-response",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
    "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
  ],
  ["needs a tool with a header for an argument; none has one", "http-custom-header-server-validation"],
  [OWN_RESOURCE, "resources-read-text", "resources-read-binary", "resources-templates-read"],
  [
    NO_PROMPTS,
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
  ["there is nothing to complete", "completion-complete"],
  ["no log is sent to clients", "logging-set-level"],
  [NO_SESSIONS, "server-session-lifecycle", "server-sse-polling", "server-sse-multiple-streams"],
  [NO_SUBSCRIPTIONS, "resources-subscribe", "resources-unsubscribe"],
  [
    NO_TASKS,
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-status-notifications",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
  ],
]

/** Single checks of applicable scenarios. */
const CHECKS_NOT_APPLICABLE: readonly (readonly [why: string, ...checks: string[]])[] = [
  [
    OWN_TOOL,
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
  ],
  [NO_PROMPTS, "sep-2549-prompts-list-caching-hints"],
  [
    NO_SUBSCRIPTIONS,
    "sep-2575-server-sends-subscription-ack",
    "sep-2575-server-tags-subscription-id",
    "sep-2575-server-honors-notification-filter",
    "sep-2575-server-sends-prompts-list-changed-on-subscription",
    "sep-2575-server-sends-tools-list-changed-on-subscription",
  ],
]

interface Check {
  readonly id: string
  readonly status: "FAILURE" | "INFO" | "SKIPPED" | "SUCCESS" | "WARNING"
  readonly errorMessage?: string
}

type Run = ReadonlyMap<string, readonly Check[]>

const runs = new Map<Revision, Run>()
let endpoint: Endpoint

beforeAll(async () => {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  // The suite has no tokens.
  endpoint = await openEndpoint({ baseUrl, stranger: "usr_ada" })
  await endpoint.app.listen({ host: "127.0.0.1", port })
  for (const revision of REVISIONS) runs.set(revision, await runOf(revision, `${baseUrl}${MCP_PATH}`))
})
afterAll(() => endpoint.app.close())

/** All scenarios that the suite has for a revision, also those that it does not score. */
async function runOf(revision: Revision, url: string): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"))
  const words = [SUITE, "server", "--url", url, "--requirements", revision, "--output-dir", folder]
  // It ends with 1 because of the scenarios that do not apply.
  await new Promise<void>(
    (resolve) => void execFile(process.execPath, words, { maxBuffer: 2 ** 26 }, () => resolve()),
  )
  return new Map(
    readdirSync(folder).map((name) => {
      const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "")
      return [
        scenario,
        JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as readonly Check[],
      ]
    }),
  )
}

function runIn(revision: Revision): Run {
  return runs.get(revision) ?? new Map()
}

const isApplicable = (revision: Revision, scenario: string): boolean =>
  APPLICABLE.some(([name, only = revision]) => name === scenario && only === revision)

describe.each(REVISIONS)("MCP %s", (revision) => {
  test("the table judges every scenario that the suite has for it", () => {
    const judged = new Set([
      ...APPLICABLE.map(([scenario]) => scenario),
      ...NOT_APPLICABLE.flatMap(([, ...scenarios]) => scenarios),
    ])
    expect(runIn(revision).size).toBeGreaterThan(30)
    expect([...runIn(revision).keys()].filter((scenario) => !judged.has(scenario))).toEqual([])
  })

  const applicable = APPLICABLE.filter(([, only = revision]) => only === revision)
  test.each(applicable.map(([scenario]) => scenario))("%s passes", (scenario) => {
    const notApplicable = new Set(CHECKS_NOT_APPLICABLE.flatMap(([, ...checks]) => checks))
    const checks = (runIn(revision).get(scenario) ?? []).filter(({ id }) => !notApplicable.has(id))
    expect(checks.filter(isExercised).map(({ status }) => status)).toContain("SUCCESS")
    expect(checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO")).toEqual([])
  })

  test("what is said not to apply does not pass, so no row outlives its reason", () => {
    const rows = NOT_APPLICABLE.flatMap(([, ...scenarios]) => scenarios)
    const passing = rows.filter((scenario) => {
      const checks = isApplicable(revision, scenario) ? undefined : runIn(revision).get(scenario)
      return checks?.some(isExercised) === true && checks.every(({ status }) => status === "SUCCESS")
    })
    // Any error is enough for it, also that its tool is unknown.
    expect(passing).toEqual(revision === STATELESS ? ["input-required-result-validate-input"] : [])
  })

  test("every message that the endpoint sends is valid by the schema of the revision", () => {
    const checks = [...runIn(revision).values()].flat().filter(({ id }) => id === "wire-schema-valid")
    expect(checks.length).toBeGreaterThan(20)
    expect(checks.filter(({ status }) => status !== "SUCCESS")).toEqual([])
  })
})

/** Whether a check looked at more than the form of messages. */
function isExercised({ id }: Check): boolean {
  return id !== "wire-schema-valid"
}
