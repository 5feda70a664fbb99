/** A mail server on the loopback, of the few words that a client needs, which keeps what it was given. */

import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and text, as they came. */
  readonly data: string
}

export interface MailServer {
  readonly url: string
  readonly received: readonly ReceivedMail[]
  /** Answers `RCPT TO` and the end of `DATA` with this in place of 250. */
  refuse: { readonly at: "RCPT" | "DATA"; readonly line: string } | null
  readonly stop: () => Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
    talk(socket, self, received)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const self: MailServer = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    refuse: null,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return self
}

function talk(socket: Socket, server: MailServer, received: ReceivedMail[]): void {
  let buffered = ""
  let from = ""
  let to: string[] = []
  let isData = false
  const say = (line: string): void => void socket.write(`${line}\r\n`)
  say("220 loopback ESMTP")
  socket.on("data", (chunk: Buffer) => {
    buffered += chunk.toString("utf8")
    for (;;) {
      const end = isData ? buffered.indexOf("\r\n.\r\n") : buffered.indexOf("\r\n")
      if (end < 0) return
      const part = buffered.slice(0, end)
      buffered = buffered.slice(end + (isData ? 5 : 2))
      if (isData) {
        isData = false
        const refusal = server.refuse?.at === "DATA" ? server.refuse.line : null
        if (refusal === null) received.push({ from, to, data: part })
        say(refusal ?? "250 kept")
        to = []
        continue
      }
      const word = part.slice(0, 4).toUpperCase()
      if (word === "MAIL") from = part.slice(10)
      if (word === "RCPT" && server.refuse?.at !== "RCPT") to.push(part.slice(8))
      isData = word === "DATA"
      if (word === "RCPT" && server.refuse?.at === "RCPT") say(server.refuse.line)
      else if (isData) say("354 go on")
      else if (word === "STAR") say("502 no TLS here")
      else say(word === "QUIT" ? "221 bye" : "250 fine")
      if (word === "QUIT") socket.end()
    }
  })
}
