/** `curbline connect`: the courier connector of a host, for an agent on this machine. */

import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { openInBrowser } from "../kit/local-page.ts"
import { err, out } from "../kit/terminal.ts"
import { CommandFailed } from "../kit/usage-error.ts"
import { Bridge } from "./bridge.ts"
import { CallFailed, ConnectorHost } from "./connector-host.ts"
import { linksFolder } from "./kept-link.ts"
import { TerminalLink } from "./terminal-link.ts"

export interface ConnectFlags {
  readonly forget?: boolean
}

/** In a terminal it makes the link and ends. For an agent, which writes to its standard input, it passes calls on. */
export async function connectCommand(url: string, { forget = false }: ConnectFlags): Promise<ExitStatus> {
  const host = new ConnectorHost(url)
  const link = new TerminalLink({ host, folder: linksFolder(process.env), show })
  try {
    if (forget) {
      err((await link.forget()) ? "The link has ended and is forgotten." : "There was no link.")
    } else if (process.stdin.isTTY) {
      await link.token()
      out(`There is a link. Let your agent start: npx curbline connect ${url}`)
    } else {
      const { serveStdio } = await import("./stdio.ts")
      const bridge = new Bridge(host, link)
      await serveStdio((message) => bridge.answersTo(message))
    }
    return EXIT.passed
  } catch (cause) {
    throw cause instanceof CallFailed ? new CommandFailed(cause.message) : cause
  }
}

function show(page: string, letters: string): void {
  err(
    `Link your phone on this page:\n\n  ${page}\n\nAt its end it shows four letters. They must be: ${letters}`,
  )
  openInBrowser(page)
}
