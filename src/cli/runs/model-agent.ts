/**
 * `curbline agent --model` and `--replay`: errands with a language model behind an OpenAI-compatible endpoint, or with
 * what one said before. A transcript has what the model said and nothing else: the rest of a conversation follows from
 * it, because an errand runs on virtual time.
 */

import { appendFileSync, writeFileSync } from "node:fs"
import { MODEL_ANSWER_MS_MAX } from "../../model/values/limits.ts"
import { ErrandChat } from "../../simulation/errands/chat.ts"
import type { ModelMessage } from "../../simulation/errands/chat.ts"
import type { Errand } from "../../simulation/errands/errand.ts"
import type { ErrandResult, RunOptions } from "../../simulation/errands/run-errand.ts"
import { faultMessage } from "../kit/terminal.ts"
import { readText } from "../kit/text-files.ts"
import { CommandFailed, UsageError } from "../kit/usage-error.ts"

export const MODEL_KEY = "CURBLINE_MODEL_KEY"

/** What the model says next in the conversation of an errand. */
export type Speaker = (errand: Errand, chat: ErrandChat) => Promise<ModelMessage>

export async function runWithModel(
  errand: Errand,
  { speaker, options }: { readonly speaker: Speaker; readonly options: RunOptions },
): Promise<ErrandResult> {
  const chat = new ErrandChat(errand, options)
  while (chat.take(await speaker(errand, chat)));
  return chat.result()
}

export interface ModelPlace {
  readonly model: string
  /** Of the API, such as `https://api.openai.com/v1`. */
  readonly url: string
  /** Undefined for an endpoint that asks for none. */
  readonly key: string | undefined
}

/** Asks a model. Fails with one line when the endpoint does not answer with a message. */
export function modelAt({ model, url, key }: ModelPlace): Speaker {
  const endpoint = `${url.replace(/\/+$/, "")}/chat/completions`
  return async (_, { messages, tools }) => {
    const answer = await answerOf(endpoint, { key, body: JSON.stringify({ model, messages, tools }) })
    const { choices } = Object(answer) as {
      readonly choices?: readonly { readonly message?: ModelMessage }[]
    }
    const message = choices?.[0]?.message
    if (message === undefined) throw new CommandFailed(`${endpoint} answers without a message`)
    return message
  }
}

async function answerOf(
  endpoint: string,
  { key, body }: { readonly key: string | undefined; readonly body: string },
): Promise<unknown> {
  try {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body,
      signal: AbortSignal.timeout(MODEL_ANSWER_MS_MAX),
    })
    if (!response.ok) throw new CommandFailed(`${endpoint} answers ${response.status}`)
    return await response.json()
  } catch (cause) {
    if (cause instanceof CommandFailed) throw cause
    throw new CommandFailed(`${endpoint} does not answer: ${faultMessage(cause)}`)
  }
}

/** Writes what the speaker says to a new file, a line each, without the key. */
export function recorded(
  speaker: Speaker,
  { file, key }: { readonly file: string; readonly key: string | undefined },
): Speaker {
  writeFileSync(file, "")
  return async (errand, chat) => {
    const { content = null, tool_calls } = await speaker(errand, chat)
    const said = { content, ...(tool_calls === undefined ? {} : { tool_calls }) }
    const line = JSON.stringify({ errand: errand.name, said })
    appendFileSync(file, `${key === undefined || key === "" ? line : line.replaceAll(key, "(key)")}\n`)
    return said
  }
}

interface Transcript {
  readonly names: ReadonlySet<string>
  readonly speaker: Speaker
}

/** What a model said before, by errand. */
export function readTranscript(file: string): Transcript {
  const lines = new Map<string, ModelMessage[]>()
  for (const [at, line] of readText(file).trimEnd().split("\n").entries()) {
    const { errand, said } = lineOf(line, `${file}:${at + 1}`)
    lines.set(errand, [...(lines.get(errand) ?? []), said])
  }
  const speaker: Speaker = async ({ name }) => {
    const said = lines.get(name)?.shift()
    if (said === undefined) throw new CommandFailed(`${file} ends before the errand "${name}" does`)
    return said
  }
  return { names: new Set(lines.keys()), speaker }
}

function lineOf(line: string, place: string): { readonly errand: string; readonly said: ModelMessage } {
  try {
    const { errand, said } = JSON.parse(line) as { readonly errand?: unknown; readonly said?: unknown }
    if (typeof errand === "string" && typeof said === "object" && said !== null) return { errand, said }
  } catch {
    // The same error as for other JSON.
  }
  throw new UsageError(`${place}: a line of a transcript is a JSON object with errand and said`)
}
