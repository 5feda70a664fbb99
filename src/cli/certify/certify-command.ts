/**
 * `curbline certify`: plays Curbline towards a partner's own receiver, through a catalogue of faults, and shows the shortest list of
 * requests that the receiver answers wrongly.
 */

import { randomInt } from "node:crypto"
import type { WebhookArea } from "../../model/webhook.ts"
import { CERTIFY_REQUESTS_MAX, SEED_MAX } from "../../model/values/limits.ts"
import { FAULTS, faultOf, playableFaults } from "../../simulation/certify/catalogue.ts"
import type { FaultName, Playable } from "../../simulation/certify/catalogue.ts"
import { certify } from "../../simulation/certify/certify.ts"
import type { Certification, Finding } from "../../simulation/certify/certify.ts"
import { courseOf } from "../../simulation/certify/course.ts"
import { asText } from "../../simulation/certify/play.ts"
import { StateUnreadable } from "../../simulation/certify/state.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { err, out } from "../kit/terminal.ts"
import { CommandFailed, UsageError } from "../kit/usage-error.ts"
import { wholeOf } from "../kit/whole-number.ts"
import { seedsOf } from "../runs/run-scenarios.ts"
import { SECRET_VARIABLES, asCurl } from "./as-curl.ts"
import { receiverAt, targetOf } from "./partner-target.ts"
import type { Targets } from "./partner-target.ts"

export interface CertifyFlags {
  readonly url: string
  readonly api: WebhookArea
  readonly secret?: string
  readonly newSecret?: string
  readonly openLink?: string
  readonly openLinkSecret?: string
  readonly state?: string
  readonly seeds?: string
  readonly requests: string
  readonly json?: boolean
}

/** Without `--seeds`. */
const SEEDS_USUAL = [1, 2]

export async function certifyCommand(flags: CertifyFlags): Promise<ExitStatus> {
  const { api } = flags
  const requestsMax = wholeOf("--requests", flags.requests, { min: 1, max: CERTIFY_REQUESTS_MAX })
  const seeds = seedsOf(flags.seeds, "--seeds") ?? SEEDS_USUAL
  const secrets = secretsOf(flags)
  if (flags.openLink !== undefined && api !== "reservations")
    throw new UsageError("--open-link is for --api reservations: direct delivery opens no bots")
  const targets = await targetsOf(flags)
  const playable = { api, ...secrets, openLinkUrl: flags.openLink ?? null }
  const faults = playableFaults(playable)
  if (flags.json !== true) introduce(flags, { faults, playable })
  // Ids of their own for every try: the receiver may have seen those of an earlier call.
  const newCourse = () => courseOf({ api, seed: randomInt(SEED_MAX), nowMs: Date.now() })
  const onSeed = (seed: number, steps: number): void => err(`seed ${seed} passed: ${counted(steps, "step")}`)
  const receiver = receiverAt(targets)
  const result = await certify({
    api,
    receiver,
    secrets,
    faults,
    seeds,
    newCourse,
    requestsMax,
    onSeed,
  }).catch((cause: unknown) => {
    throw cause instanceof StateUnreadable ? new CommandFailed(cause.message) : cause
  })
  const lines = asLines(result, { flags, targets, seeds: seeds.length })
  out(flags.json === true ? JSON.stringify(asJson(result, { faults, targets }), null, 2) : lines.join("\n"))
  return result.verdict === "passed" ? EXIT.passed : EXIT.failed
}

const SECRET = /^whsec_[0-9A-Za-z]{32,}$/

interface GivenSecrets {
  readonly secret: string
  readonly newSecret: string | null
  readonly openLinkSecret: string | null
}

function secretsOf({ secret, newSecret, openLinkSecret }: CertifyFlags): GivenSecrets {
  const given = (flag: string, text: string | undefined, variable: string): string | null => {
    const found = text ?? process.env[variable] ?? ""
    if (found === "") return null
    if (SECRET.test(found)) return found
    throw new UsageError(`${flag}, or ${variable}, must be whsec_ and at least 32 letters and digits`)
  }
  const first = given("--secret", secret, SECRET_VARIABLES.secret)
  if (first === null)
    throw new UsageError(
      `the receiver verifies signatures: give the secret that it has with --secret, or set ${SECRET_VARIABLES.secret}`,
    )
  return {
    secret: first,
    newSecret: given("--new-secret", newSecret, SECRET_VARIABLES["new secret"]),
    openLinkSecret: given("--open-link-secret", openLinkSecret, SECRET_VARIABLES["open link secret"]),
  }
}

async function targetsOf({ url, openLink, state }: CertifyFlags): Promise<Targets> {
  return {
    hook: await targetOf("--url", url),
    openLink: openLink === undefined ? null : await targetOf("--open-link", openLink),
    state: state === undefined ? null : await targetOf("--state", state),
  }
}

const LEFT_OUT = {
  newSecret: "--new-secret",
  openLinkSecret: "--open-link-secret",
} as const

interface Played {
  readonly faults: readonly FaultName[]
  readonly playable: Playable
}

function introduce({ url, state, requests }: CertifyFlags, { faults, playable }: Played): void {
  err(`${counted(faults.length, "kind")} of steps towards ${url}, at most ${requests} requests`)
  for (const name of Object.keys(FAULTS) as FaultName[]) {
    const { api, event, needs } = faultOf(name)
    if (faults.includes(name) || (api !== undefined && api !== playable.api)) continue
    if (event !== "opening") err(`left out: ${name}, which needs ${LEFT_OUT[needs ?? "newSecret"]}`)
    else if (playable.openLinkUrl !== null) err(`left out: ${name}, which needs --open-link-secret`)
  }
  if (state === undefined)
    err("without --state, a repeat that is applied twice and an old event that overwrites are not seen")
}

interface Shown {
  readonly flags: CertifyFlags
  readonly targets: Targets
  readonly seeds: number
}

function asLines(
  { verdict, finding, requests, seedsPassed, steps }: Certification,
  { flags, targets, seeds }: Shown,
): readonly string[] {
  const sum = `${counted(steps, "step")}, ${counted(requests, "request")}`
  if (finding !== null) return [...findingLines(finding, flags, targets), "", `failed: ${sum}`]
  if (verdict === "passed") return [`passed: ${counted(seeds, "seed")}, ${sum}`]
  return [
    `not finished: ${seedsPassed} of ${counted(seeds, "seed")} passed, and --requests ${flags.requests} is used up; give more`,
  ]
}

function findingLines(
  { seed, steps, failure, isShortest }: Finding,
  { requests }: CertifyFlags,
  targets: Targets,
): readonly string[] {
  const listed = steps.map(({ step, sent }, at) => {
    const answers = sent.map(({ answer }) => asText(answer)).join(", ")
    return `  ${at + 1}. ${step.fault}: ${faultOf(step.fault).gets} (${answers})`
  })
  const shortest = isShortest
    ? "the shortest list of steps that shows it:"
    : `a list of steps that shows it; --requests ${requests} ended before shorter ones were tried:`
  return [
    `seed ${seed} fails`,
    `  wanted: ${failure.wanted}`,
    `  found:  ${failure.found}`,
    "",
    shortest,
    ...listed,
    "",
    "its requests, for a shell that has the secrets in its environment:",
    ...curlLines(steps, targets).map((text) => `\n${text}`),
  ]
}

function curlLines(steps: Finding["steps"], { hook, openLink }: Targets): readonly string[] {
  return steps.flatMap(({ sent }) =>
    sent.map(({ request }) => asCurl((request.to === "hook" ? hook : (openLink ?? hook)).url, request)),
  )
}

function asJson(
  { verdict, finding, requests, seedsPassed, steps }: Certification,
  { faults, targets }: { readonly faults: readonly FaultName[]; readonly targets: Targets },
): object {
  return {
    verdict,
    url: targets.hook.url,
    faults,
    seeds_passed: seedsPassed,
    steps,
    requests,
    finding:
      finding === null
        ? null
        : {
            seed: finding.seed,
            wanted: finding.failure.wanted,
            found: finding.failure.found,
            is_shortest: finding.isShortest,
            steps: finding.steps.map(({ step, sent }) => ({
              fault: step.fault,
              answers: sent.map(({ answer }) => asText(answer)),
            })),
            curl: curlLines(finding.steps, targets),
          },
  }
}
