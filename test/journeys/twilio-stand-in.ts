/** A stand-in for Twilio on the loopback: Lookup, Verify and Messaging, in Twilio's recorded shapes, shortened to what is read. */

import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface TwilioStandIn {
  /** What the service is started with, so that it texts through this. */
  readonly env: NodeJS.ProcessEnv
  /** The code that was last sent to a number. */
  readonly codeOf: (phone: string) => string
  /** Texts to a number, oldest first. */
  readonly textsTo: (phone: string) => readonly string[]
  readonly close: () => void
}

const ACCOUNT = `AC${"1".repeat(32)}`
const FROM = "+15125550999"

export async function startTwilio(): Promise<TwilioStandIn> {
  const codes = new Map<string, string>()
  const texts: { readonly to: string; readonly text: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
      const { status, body } = answerTo(request.url ?? "", form)
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")

  function answerTo(path: string, form: Readonly<Record<string, string>>) {
    const { To: to = "", Code: code = "", Body: text = "" } = form
    if (path.startsWith("/v2/PhoneNumbers/")) {
      return { status: 200, body: { valid: true, line_type_intelligence: { type: "mobile" } } }
    }
    if (path.endsWith("/Verifications")) {
      codes.set(to, String(100_000 + codes.size))
      return { status: 201, body: { status: "pending" } }
    }
    if (path.endsWith("/VerificationCheck")) {
      return { status: 200, body: { status: codes.get(to) === code ? "approved" : "pending" } }
    }
    texts.push({ to, text })
    return { status: 201, body: { sid: `SM${"2".repeat(32)}`, status: "queued" } }
  }

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: {
      TWILIO_ACCOUNT_SID: ACCOUNT,
      TWILIO_AUTH_TOKEN: "3".repeat(32),
      TWILIO_FROM: FROM,
      TWILIO_API_URL: url,
      TWILIO_VERIFY_SERVICE_SID: `VA${"4".repeat(32)}`,
      TWILIO_VERIFY_API_URL: url,
    },
    codeOf: (phone) => codes.get(phone) ?? "",
    textsTo: (phone) => texts.filter(({ to }) => to === phone).map(({ text }) => text),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
