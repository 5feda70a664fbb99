/** MCP over standard input and output, by the official SDK: only this file of the command line uses it. */

import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import type { Message } from "./bridge.ts"

/** Answers every message until the agent closes its end, and all that began before. */
export async function serveStdio(answersTo: (message: Message) => Promise<readonly object[]>): Promise<void> {
  const transport = new StdioServerTransport()
  const open = new Set<Promise<void>>()
  const answer = async (message: Message): Promise<void> => {
    for (const one of await answersTo(message)) await transport.send(one as JSONRPCMessage)
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- The SDK's transports have no other way.
  transport.onmessage = (message) => {
    const answering = answer(message)
    open.add(answering)
    void answering.finally(() => open.delete(answering))
  }
  const closed = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve)
    process.stdin.once("close", resolve)
  })
  await transport.start()
  await closed
  await Promise.allSettled(open)
  await transport.close()
}
