/**
 * A control socket of the running service for commands on this machine, with the embedded database. It is in a folder
 * that only its owner can enter. A process that can reach it could also read the database's files, so no token is
 * required.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { createServer, request } from "node:http"
import type { IncomingMessage } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CommandFailed, UsageError } from "../kit/usage-error.ts"

/** The operations that commands may request. */
export interface Controlled {
  /** The bytes of a backup file. */
  readonly backup: () => Promise<Uint8Array>
  /** True when calls were held. */
  readonly resumeCalls: () => Promise<boolean>
}

export interface Control {
  /** Path of the socket. */
  readonly path: string
  readonly close: () => Promise<void>
}

/** Not in the data folder, because a socket's path may have at most 103 characters on macOS. */
export async function openControl(service: Controlled): Promise<Control> {
  const folder = mkdtempSync(join(tmpdir(), "curbline-"))
  const path = join(folder, "control")
  const server = createServer((asked, answer) => {
    const respond = async (): Promise<void> => {
      const is = (wanted: string): boolean => asked.method === "POST" && asked.url === wanted
      if (is("/backup")) answer.end(await service.backup())
      else if (is("/resume-calls")) answer.end(JSON.stringify({ were_held: await service.resumeCalls() }))
      else answer.writeHead(404).end()
    }
    respond().catch((cause: unknown) => {
      answer.writeHead(500).end(cause instanceof Error ? cause.message : String(cause))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(path, resolve)
  })
  return {
    path,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Sends a request to the running service. */
export async function askControl(path: string, what: keyof typeof PATHS): Promise<Buffer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath: path, method: "POST", path: PATHS[what] }, resolve)
      .once("error", (cause) =>
        reject(new UsageError(`the running service does not answer: ${cause.message}`)),
      )
      .end()
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  if (answer.statusCode === 200) return body
  throw new CommandFailed(`the running service failed: ${body.toString("utf8")}`)
}

const PATHS = { backup: "/backup", resumeCalls: "/resume-calls" } as const
