/** A run of the open file against the service: its progress, then its answer. */

import type { Client } from "./client.ts"
import { StudioFault } from "./client.ts"
import type { RunAnswer, RunRequest, ServiceStep } from "./contract.ts"

interface Asked {
  readonly client: Client
  readonly asked: RunRequest
  readonly signal: AbortSignal
  readonly onStep: (step: ServiceStep) => void
}

/** Rejects with a StudioFault that says why there is no answer. */
export async function serviceAnswer({ client, asked, signal, onStep }: Asked): Promise<RunAnswer> {
  const answers: RunAnswer[] = []
  await client.runOnService(
    asked,
    (line) => {
      if (line.is === "step") onStep(line.at)
      if (line.is === "answer") answers.push(line.answer)
      if (line.is === "fault")
        throw new StudioFault(502, { message: `The run could not be made: ${line.message}.` })
    },
    signal,
  )
  const [answer] = answers
  if (answer === undefined)
    throw new StudioFault(0, { message: "The studio ended the run without an answer; run it again." })
  return answer
}
