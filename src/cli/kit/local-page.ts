/** A page that a command serves on the loopback until Ctrl-C. */

import { spawn } from "node:child_process"
import type { Loopback } from "../../pages/bundling/loopback.ts"
import { UsageError } from "./usage-error.ts"
import { watchShell } from "./npm-shell.ts"
import { err, faultMessage, out } from "./terminal.ts"

/** 0, a free port, without the flag. */
export function portOf(text: string | undefined): number {
  if (text === undefined) return 0
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError(`--port takes a port from 1 to 65535, not "${text}"`)
  return port
}

/** Prints its address, shows it on a desk, and ends it after Ctrl-C. */
export async function servedUntilStopped(serve: () => Promise<Loopback>, port: number): Promise<void> {
  const server = await serve().catch((cause: unknown) => {
    throw new UsageError(`port ${port} cannot be listened on: ${faultMessage(cause)}`)
  })
  // Ctrl-C is the normal way to end, so the status is not that of an interrupted command.
  process.removeAllListeners("SIGINT")
  const stopped = new Promise<void>((resolve) => {
    process.once("SIGINT", resolve)
    process.once("SIGTERM", resolve)
    watchShell(process.env, resolve)
  })
  // A program that reads the address may end the command at once.
  out(server.url)
  err("Ctrl-C ends it")
  if (process.stdout.isTTY) openInBrowser(server.url)
  await stopped
  await server.close()
}

/** Opens the page in a browser where there is a desk; otherwise its printed address is enough. */
export function openInBrowser(url: string): void {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env
  const isDesk = process.platform !== "linux" || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined
  if ((CI !== undefined && CI !== "") || !isDesk) return
  const command = { darwin: "open", win32: "explorer" }[process.platform as string] ?? "xdg-open"
  const child = spawn(command, [url], { stdio: "ignore", detached: true })
  child.once("error", () => err(`open ${url} in a browser`))
  child.unref()
}
