/** Runs a command line in the process of the test: nothing has to start, which takes most of a second. */

import { vi } from "vitest"
import { commandLine } from "../../src/cli/main.ts"
import type { Ended } from "./command-line.ts"

/** What it writes and its exit status, as a process of its own would have them. One at a time. */
export async function curblineHere(...words: readonly string[]): Promise<Ended> {
  const said = { out: "", err: "" }
  const keep = (stream: keyof typeof said) => (text: string | Uint8Array) => {
    said[stream] += String(text)
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(keep("out")),
    vi.spyOn(process.stderr, "write").mockImplementation(keep("err")),
  ]
  try {
    const status = await commandLine(words)
    return { status, ...said }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** The same with more in its environment. */
export function curblineHereWith(env: NodeJS.ProcessEnv, ...words: readonly string[]): Promise<Ended> {
  return withEnvironment(env, () => curblineHere(...words))
}

/** The same in another folder. */
export async function curblineHereIn(cwd: string, ...words: readonly string[]): Promise<Ended> {
  const before = process.cwd()
  process.chdir(cwd)
  try {
    return await curblineHere(...words)
  } finally {
    process.chdir(before)
  }
}

/** Acts with more in the environment of the process. */
export async function withEnvironment<Result>(
  env: NodeJS.ProcessEnv,
  act: () => Promise<Result>,
): Promise<Result> {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, env)
  try {
    return await act()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
  }
}
