/** Messages: the outbox, mail to a mail server and SMS to a stand-in for Twilio, both on the loopback, and replies. */

import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { createServer as createNetServer } from "node:net"
import type { AddressInfo } from "node:net"
import Fastify from "fastify"
import { Deferred, Effect, Fiber, Layer, Runtime, TestClock, TestContext } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { layerApiClient } from "../../../src/live/gateways/api-client.ts"
import { smtpSender } from "../../../src/live/gateways/smtp.ts"
import { twilioSender, twilioSignature } from "../../../src/live/gateways/twilio.ts"
import type { TwilioOptions } from "../../../src/live/gateways/twilio.ts"
import { bridgeTo } from "../../../src/http/bridge.ts"
import { sendError } from "../../../src/http/errors.ts"
import { inboundSmsPlugin } from "../../../src/areas/messages/http/inbound-replies.ts"
import { layerSenders } from "../../../src/live/services/portal.ts"
import type { Channel, Purpose } from "../../../src/model/message.ts"
import { KEEP_MESSAGES_MS, MESSAGE_TIMEOUT_MS } from "../../../src/model/values/limits.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import type { Transaction } from "../../../src/engine/services/host.ts"
import { SmsConsent, keywordIn } from "../../../src/areas/messages/consent.ts"
import type { ConsentScope } from "../../../src/areas/messages/consent.ts"
import type { InboundSms } from "../../../src/areas/messages/inbound-sms.ts"
import { InboundSignature, layerInboundSms } from "../../../src/areas/messages/inbound-sms.ts"
import { writeMail, writeSms } from "../../../src/areas/messages/outbox.ts"
import { MessageRows, OptOutRows } from "../../../src/areas/messages/rows.ts"
import type { Message } from "../../../src/areas/messages/rows.ts"
import { Senders, consenting } from "../../../src/areas/messages/senders.ts"
import type { SendResult, Sender } from "../../../src/areas/messages/senders.ts"
import { sendWhatIsDue } from "../../../src/areas/messages/sending.ts"
import { Retention, layerRetention } from "../../../src/engine/services/retention/retention.ts"
import { portalTasks } from "../../../src/apps/composition/retention-tasks.ts"
import { MemoryHost } from "../../../src/engine/memory/memory-host.ts"
import { FormerRows } from "../../../src/apps/portal/people/former-members.ts"
import { SiteRequestRows } from "../../../src/apps/portal/site-requests.ts"
import { layerMemoryTables } from "../../../src/engine/memory/memory-tables.ts"
import { layerMemoryAttemptCounter } from "../../../src/http/access/memory/memory-window-counter.ts"
import { AuditRows } from "../../../src/http/access/audit-log.ts"
import { layerPlainCallRows } from "../../../src/http/access/call-repository.ts"
import { layerMemoryPortalRows } from "../../../src/apps/portal/memory/portal.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { DigestKey } from "../../../src/engine/services/digest-key.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { START_MS } from "../../conformance/memory.ts"
import { ManualClock } from "../../../src/live/swarm-sql/manual-clock.ts"
import { startMailServer } from "./smtp-server.ts"

const PHONE = "+15125550100"
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const purge = Effect.flatMap(Retention, ({ run }) => run)

interface Office {
  readonly clock: ManualClock
  readonly hasStopped: (scope?: ConsentScope) => Promise<boolean>
  /** As if the number had sent the keyword. */
  readonly say: (wish: "start" | "stop") => Promise<void>
  readonly run: <A, E>(
    effect: Effect.Effect<A, E, ActorHost | InboundSms | MessageRows | Retention | Senders | SmsConsent>,
  ) => Promise<A>
  readonly write: (body: Effect.Effect<void, never, MessageRows | Transaction>) => Promise<void>
  readonly look: () => Promise<number>
  readonly newest: (channel: Channel) => Promise<Message>
}

type SenderOf = (consent: SmsConsent["Type"]) => { readonly mail?: Sender; readonly sms?: Sender }

const EVERYONE: ConsentScope = { environment: "production", organizationId: null }

/** The outbox in memory on a clock that does not move; senders may use the network. */
function office(senders: SenderOf = () => ({}), answersKeywords = false): Office {
  const clock = new ManualClock(START_MS)
  const host = new MemoryHost({ program, seed: 7, startMs: START_MS, recording: "full" })
  const kept = Layer.merge(
    OptOutRows.layer.pipe(Layer.provide(layerMemoryTables(host.store))),
    Layer.succeed(DigestKey, { key: "tests" }),
  )
  const consent = Effect.runSync(Effect.provide(SmsConsent, SmsConsent.layer.pipe(Layer.provide(kept))))
  const made = senders(consent)
  const ports = Layer.mergeAll(
    layerMemoryAttemptCounter,
    Layer.mergeAll(
      AuditRows.layer,
      layerMemoryPortalRows,
      MessageRows.layer,
      layerPlainCallRows,
      SiteRequestRows.layer,
      FormerRows.layer,
    ).pipe(Layer.provide(layerMemoryTables(host.store))),
    Layer.succeed(ActorHost, host.port),
    Layer.succeed(SmsConsent, consent),
    Layer.succeed(Senders, { mail: made.mail ?? null, sms: made.sms ?? null }),
  )
  const layers = Layer.merge(layerInboundSms({ answersKeywords }), layerRetention(portalTasks)).pipe(
    Layer.provideMerge(ports),
  )
  const runtime = Effect.runSync(Effect.scoped(Layer.toRuntime(layers)))
  const run: Office["run"] = (effect) => {
    host.time.advanceTo(clock.nowMs)
    return Runtime.runPromise(runtime)(Effect.withClock(effect, clock))
  }
  return {
    clock,
    hasStopped: (scope = EVERYONE) => run(consent.hasStopped(scope, PHONE)),
    say: (wish) =>
      run(
        Effect.flatMap(ActorHost, (port) =>
          port.run({
            name: "a test",
            locks: {},
            body: () => Routine.from(consent.note(EVERYONE, PHONE, wish)),
          }),
        ),
      ),
    run,
    write: (body) =>
      run(
        Effect.flatMap(ActorHost, (port) =>
          port.run({ name: "a test", locks: {}, body: () => Routine.from(body) }),
        ),
      ),
    look: () => run(sendWhatIsDue),
    newest: async (channel) => {
      const [message] = await run(Effect.flatMap(MessageRows, (rows) => rows.newest({ channel, limit: 1 })))
      if (message === undefined) throw new Error("the outbox is empty")
      return message
    },
  }
}

const mail = {
  purpose: "sign-up",
  organizationId: null,
  to: "ada@wheels.example",
  subject: "Your code",
  text: "Your code is 271828.\n.\nfrom: not a header — ö",
} as const
const sms = {
  purpose: "delivery-notice",
  environment: "production",
  organizationId: "org_1",
  to: PHONE,
  text: "Your order has arrived.",
} as const
const NONCE = "1".repeat(32)

/** Answers in turn, then repeats the last one; records the messages. */
function scripted(...results: readonly SendResult[]): { readonly sender: Sender; readonly ids: string[] } {
  const ids: string[] = []
  const sender: Sender = ({ messageId }) =>
    Effect.sync(() => {
      ids.push(messageId)
      return results[Math.min(ids.length, results.length) - 1] ?? { type: "sent" }
    })
  return { sender, ids }
}

const DOWN: SendResult = { type: "unavailable", reason: "smtp_451" }

describe("the outbox", () => {
  test("a message of a command that fails never was", async () => {
    const { run, newest } = office()
    const body = Effect.zipRight(writeMail(mail, NONCE), Effect.fail("no" as const))
    await run(
      Effect.flatMap(ActorHost, (port) =>
        Effect.flip(port.run({ name: "a test", locks: {}, body: () => Routine.from(body) })),
      ),
    )
    await expect(newest("mail")).rejects.toThrow("the outbox is empty")
  })

  /** Source: a code is good for 15 minutes, a code for a new password for 30, an invitation for 7 days. Others are ours. */
  const AGES: Readonly<Record<Purpose, number>> = {
    "access-decided": 7 * DAY_MS,
    "delivery-notice": HOUR_MS,
    invitation: 7 * DAY_MS,
    "keyword-answer": HOUR_MS,
    "password-changed": 7 * DAY_MS,
    "password-reset": 30 * MINUTE_MS,
    "sign-up": 15 * MINUTE_MS,
    "webhook-disabled": 7 * DAY_MS,
  }
  const ages = Object.entries(AGES) as [Purpose, number][]

  test.each(ages)("without a sender a mail of %s stays readable for %i ms", async (purpose, ageMs) => {
    const { write, look, run, newest, clock } = office()
    await write(writeMail({ ...mail, purpose }, NONCE))
    expect(await look()).toBe(0)
    expect(await newest("mail")).toMatchObject({ status: "pending", text: mail.text, attempts: 0 })
    clock.nowMs += ageMs - 1
    await run(purge)
    expect(await newest("mail")).toMatchObject({ status: "pending" })
    clock.nowMs += 1
    await run(purge)
    expect(await newest("mail")).toMatchObject({ status: "expired", text: "" })
  })

  test.each(ages)("a mail of %s that waited for %i ms is not sent any more", async (purpose, ageMs) => {
    for (const [waitedMs, status] of [
      [ageMs - 1, "sent"],
      [ageMs, "expired"],
    ] as const) {
      const { sender, ids } = scripted({ type: "sent" })
      const { write, look, newest, clock } = office(() => ({ mail: sender }))
      await write(writeMail({ ...mail, purpose }, NONCE))
      clock.nowMs += waitedMs
      await look()
      expect(ids).toHaveLength(status === "sent" ? 1 : 0)
      expect(await newest("mail")).toMatchObject({ status, text: "" })
    }
  })

  test("what was sent is sent once, and its text goes", async () => {
    const { sender, ids } = scripted({ type: "sent" })
    const { write, look, newest } = office(() => ({ mail: sender }))
    await write(writeMail(mail, NONCE))
    expect(await look()).toBe(1)
    expect(await look()).toBe(0)
    expect(ids).toHaveLength(1)
    expect(await newest("mail")).toMatchObject({ status: "sent", text: "", to: mail.to })
  })

  test("a failed attempt is repeated under the same id: after 30 s, 2, 10, 30 and 60 minutes, then given up", async () => {
    const { sender, ids } = scripted(DOWN)
    const { write, look, newest, clock } = office(() => ({ mail: sender }))
    await write(writeMail({ ...mail, purpose: "webhook-disabled" }, NONCE))
    for (const pauseMs of [0, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS]) {
      if (pauseMs > 0) {
        clock.nowMs += pauseMs - 1
        expect(await look()).toBe(0)
        clock.nowMs += 1
      }
      expect(await newest("mail")).toMatchObject({ status: "pending" })
      expect(await look()).toBe(1)
    }
    expect(await newest("mail")).toMatchObject({
      status: "failed",
      attempts: 6,
      reason: "smtp_451",
      text: "",
    })
    expect(new Set(ids).size).toBe(1)
    clock.nowMs += DAY_MS
    expect(await look()).toBe(0)
  })

  test("what is refused for good is not repeated", async () => {
    const { sender, ids } = scripted({ type: "refused", reason: "smtp_550" })
    const { write, look, newest, clock } = office(() => ({ mail: sender }))
    await write(writeMail(mail, NONCE))
    await look()
    clock.nowMs += HOUR_MS
    await look()
    expect(ids).toHaveLength(1)
    expect(await newest("mail")).toMatchObject({ status: "failed", reason: "smtp_550" })
  })

  test("a node that dies between commit and sending, or while it sends, loses nothing: its lease ends", async () => {
    let isDead = true
    const { sender, ids } = scripted({ type: "sent" })
    const dying: Sender = (message) => (isDead ? Effect.interrupt : sender(message))
    const { write, look, newest, clock, run } = office(() => ({ mail: dying }))
    await write(writeMail(mail, NONCE))
    await run(Effect.exit(sendWhatIsDue))
    expect(await newest("mail")).toMatchObject({ status: "pending", attempts: 1 })
    isDead = false
    clock.nowMs += 90_000 - 1
    expect(await look()).toBe(0)
    clock.nowMs += 1
    expect(await look()).toBe(1)
    expect(ids).toHaveLength(1)
    expect(await newest("mail")).toMatchObject({ status: "sent", attempts: 2 })
  })

  test("a sender that breaks stops no other message, and what it said is not kept", async () => {
    const broken: Sender = ({ to }) =>
      to === mail.to ? Effect.die(new Error(`broke at ${to}`)) : Effect.succeed({ type: "sent" })
    const { write, look, newest } = office(() => ({ mail: broken }))
    await write(writeMail(mail, NONCE))
    await write(writeMail({ ...mail, to: "bob@wheels.example" }, "2".repeat(32)))
    expect(await look()).toBe(2)
    expect(await newest("mail")).toMatchObject({ to: "bob@wheels.example", status: "sent" })
  })

  test("two nodes that look at once send it once", async () => {
    const { sender, ids } = scripted({ type: "sent" })
    const { write, run } = office(() => ({ mail: sender }))
    await write(writeMail(mail, NONCE))
    await run(Effect.all([sendWhatIsDue, sendWhatIsDue], { concurrency: 2 }))
    expect(ids).toHaveLength(1)
  })

  test.each(["\r\n", "\n", "\u0000", "\u2028"])(
    "a line break in a subject or an address is a fault: %j",
    async (sign) => {
      const { write } = office()
      await expect(
        write(writeMail({ ...mail, subject: `Hi${sign}Bcc: eve@evil.example` }, NONCE)),
      ).rejects.toThrow("control character")
      await expect(write(writeMail({ ...mail, to: `ada@wheels.example${sign}` }, NONCE))).rejects.toThrow(
        "control character",
      )
    },
  )
})

describe("mail over SMTP", () => {
  async function posted() {
    const server = await startMailServer()
    closing.push(server.stop)
    const made = office(() => ({ mail: smtpSender({ url: server.url, from: "portal@curbline.example" }) }))
    await made.write(writeMail(mail, NONCE))
    return { server, ...made }
  }

  test("arrives with its id as Message-ID, one recipient, and its text as it was", async () => {
    const { server, look, newest } = await posted()
    const { messageId } = await newest("mail")
    await look()
    const [received] = server.received
    expect(received?.to).toEqual(["<ada@wheels.example>"])
    expect(received?.from).toContain("<portal@curbline.example>")
    expect(received?.data).toContain(`Message-ID: <${messageId}@curbline.example>`)
    expect(received?.data).toContain("Auto-Submitted: auto-generated")
    expect(received?.data).toContain("Your code is 271828.")
    const [head = ""] = (received?.data ?? "").split("\r\n\r\n")
    expect(head).not.toMatch(/^from: not a header/im)
    expect(head).toMatch(/^Subject: Your code$/m)
  })

  test("a mailbox that does not exist is for good; a server that is busy, or gone, is not", async () => {
    const { server, look, newest, clock } = await posted()
    server.refuse = { at: "RCPT", line: "451 4.7.1 come back later, ada@wheels.example" }
    await look()
    expect(await newest("mail")).toMatchObject({ status: "pending", reason: "smtp_451" })
    clock.nowMs += 30_000
    server.refuse = { at: "RCPT", line: "550 5.1.1 no ada@wheels.example here" }
    await look()
    expect(await newest("mail")).toMatchObject({ status: "failed", reason: "smtp_550" })
    expect(server.received).toEqual([])
  })

  test("a server that is not there", async () => {
    const { server, look, newest } = await posted()
    await server.stop()
    closing.pop()
    await look()
    expect(await newest("mail")).toMatchObject({ status: "pending", reason: "smtp_esocket" })
  })

  test("a server that drips its greeting is given up at the limit, and its connection ends", async () => {
    const closed = Effect.runSync(Deferred.make<void>())
    const arrived = Effect.runSync(Deferred.make<void>())
    const server = createNetServer((socket) => {
      socket.on("error", () => undefined)
      const drip = setInterval(() => socket.write("220-wait\r\n"), 5)
      socket.on("close", () => {
        clearInterval(drip)
        Effect.runSync(Deferred.succeed(closed, undefined))
      })
      socket.resume()
      Effect.runSync(Deferred.succeed(arrived, undefined))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    closing.push(async () => void server.close())
    const { port } = server.address() as AddressInfo
    const send = smtpSender({ url: `smtp://127.0.0.1:${port}`, from: "portal@curbline.example" })
    const sent = Effect.gen(function* () {
      const fiber = yield* Effect.fork(send({ ...EXAMPLE, channel: "mail" }))
      yield* Deferred.await(arrived)
      yield* TestClock.adjust(MESSAGE_TIMEOUT_MS)
      const result = yield* Fiber.join(fiber)
      yield* Deferred.await(closed)
      return result
    })
    const result = await Effect.runPromise(Effect.provide(sent, TestContext.TestContext))
    expect(result).toEqual({ type: "unavailable", reason: "smtp_timeout" })
  })

  test("nothing leaves in the clear for another machine: STARTTLS is asked for", async () => {
    const server = await startMailServer()
    closing.push(server.stop)
    // The same address written for version 6, which is not among the names that may go without.
    const url = server.url.replace("127.0.0.1", "[::ffff:127.0.0.1]")
    const send = smtpSender({ url, from: "portal@curbline.example" })
    const result = await Effect.runPromise(send({ ...EXAMPLE, channel: "mail" }))
    expect(result).toMatchObject({ type: "unavailable", reason: "smtp_502" })
    expect(server.received).toEqual([])
  })
})

const EXAMPLE: Message = {
  number: 1,
  messageId: "msg_1",
  channel: "sms",
  purpose: "delivery-notice",
  environment: "production",
  organizationId: "org_1",
  to: PHONE,
  subject: null,
  text: "Your order has arrived & waits: 100 % ö",
  status: "pending",
  attempts: 1,
  dueAtMs: START_MS,
  reason: null,
  createdAtMs: START_MS,
  endedAtMs: null,
  subjectId: null,
}

interface StandIn {
  readonly apiUrl: string
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[]
  answer: { readonly status: number; readonly body: object | string }
}

/** What Twilio answers, as its documentation records it. */
const CREATED = {
  sid: "SM0123456789abcdef0123456789abcdef",
  status: "queued",
  error_code: null,
  num_segments: "1",
}
const problem = (code: number, status: number): object => ({
  code,
  message: `Something about ${PHONE}`,
  more_info: `https://www.twilio.com/docs/errors/${code}`,
  status,
})

async function startTwilio(): Promise<StandIn> {
  const asked: StandIn["asked"] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      asked.push({
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      })
      const { status, body } = self.answer
      response.writeHead(status, { "content-type": "application/json", location: "http://127.0.0.1:1/" })
      response.end(typeof body === "string" ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  const self: StandIn = {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: { status: 201, body: CREATED },
  }
  return self
}

const ACCOUNT = { accountSid: "AC1", authToken: "12345", from: "+15125550199" }

function twilioOf(more: Partial<TwilioOptions>): Sender {
  return Effect.runSync(Effect.provide(twilioSender({ ...ACCOUNT, ...more }), layerApiClient))
}

describe("SMS over Twilio", () => {
  test("asks for one message, under the account's own name and token", async () => {
    const twilio = await startTwilio()
    const send = twilioOf({ apiUrl: twilio.apiUrl })
    expect(await Effect.runPromise(send(EXAMPLE))).toEqual({ type: "sent" })
    const [asked] = twilio.asked
    expect(asked?.path).toBe("/2010-04-01/Accounts/AC1/Messages.json")
    expect(asked?.headers.authorization).toBe(`Basic ${Buffer.from("AC1:12345").toString("base64")}`)
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      To: PHONE,
      From: "+15125550199",
      Body: EXAMPLE.text,
    })
  })

  test("a Messaging Service is named as such", async () => {
    const twilio = await startTwilio()
    const send = twilioOf({ from: "MG1", apiUrl: twilio.apiUrl })
    await Effect.runPromise(send(EXAMPLE))
    expect(new URLSearchParams(twilio.asked[0]?.body).get("MessagingServiceSid")).toBe("MG1")
    expect(new URLSearchParams(twilio.asked[0]?.body).has("From")).toBe(false)
  })

  test.each<[number, object | string, SendResult]>([
    [400, problem(21211, 400), { type: "refused", reason: "twilio_21211" }],
    [400, problem(21610, 400), { type: "suppressed", reason: "opted_out" }],
    [401, problem(20003, 401), { type: "unavailable", reason: "twilio_20003" }],
    [404, problem(20404, 404), { type: "refused", reason: "twilio_20404" }],
    [429, problem(20429, 429), { type: "unavailable", reason: "twilio_20429" }],
    [500, "not JSON", { type: "unavailable", reason: "twilio_500" }],
    [503, {}, { type: "unavailable", reason: "twilio_503" }],
    [302, {}, { type: "unavailable", reason: "twilio_unreachable" }],
  ])("%d is what it is: %j", async (status, body, result) => {
    const twilio = await startTwilio()
    twilio.answer = { status, body }
    const send = twilioOf({ apiUrl: twilio.apiUrl })
    const found = await Effect.runPromise(send(EXAMPLE))
    expect(found).toEqual(result)
    expect(JSON.stringify(found)).not.toContain(PHONE)
  })

  test("PM7: a number that said stop, also after the message was written, gets none", async () => {
    const twilio = await startTwilio()
    const made = office((consent) => {
      const senders = layerSenders({ smtp: null, twilio: { ...ACCOUNT, apiUrl: twilio.apiUrl } })
      const over = Layer.provide(senders, Layer.succeed(SmsConsent, consent))
      const { sms: send } = Effect.runSync(Effect.provide(Senders, over))
      return send === null ? {} : { sms: send }
    })
    await made.write(writeSms(sms, NONCE))
    await made.say("stop")
    await made.look()
    expect(await made.newest("sms")).toMatchObject({ status: "suppressed", reason: "opted_out" })
    await made.write(writeSms({ ...sms, organizationId: "org_2" }, "2".repeat(32)))
    await made.look()
    expect(await made.newest("sms")).toMatchObject({ status: "suppressed" })
    expect(twilio.asked).toEqual([])
    await made.say("start")
    await made.write(writeSms(sms, "3".repeat(32)))
    await made.look()
    expect(await made.newest("sms")).toMatchObject({ status: "sent" })
    expect(twilio.asked).toHaveLength(1)
  })

  test("a suppressed text of a moved clock is kept as long as any other, from the real instant", async () => {
    const { write, run, newest, clock } = office()
    await write(
      Effect.flatMap(MessageRows, (rows) =>
        rows.insert({
          messageId: "msg_1",
          channel: "sms",
          purpose: "delivery-notice",
          environment: "sandbox",
          organizationId: "org_1",
          to: PHONE,
          subject: null,
          text: "Your order is on its way.",
          status: "suppressed",
          attempts: 0,
          dueAtMs: START_MS + 30 * DAY_MS,
          reason: "sandbox",
          createdAtMs: START_MS + 30 * DAY_MS,
          endedAtMs: START_MS + 30 * DAY_MS,
          subjectId: null,
          keptFromMs: START_MS,
        }),
      ),
    )
    clock.nowMs = START_MS + KEEP_MESSAGES_MS - 1
    await run(purge)
    expect(await newest("sms")).toMatchObject({ messageId: "msg_1" })
    clock.nowMs += 1
    await run(purge)
    await expect(newest("sms")).rejects.toThrow("the outbox is empty")
  })

  test("the sandbox sends no texts: what it would have sent is recorded as suppressed", async () => {
    const { sender, ids } = scripted({ type: "sent" })
    const made = office(() => ({ sms: sender }))
    await made.write(writeSms({ ...sms, environment: "sandbox" }, NONCE))
    expect(await made.look()).toBe(0)
    expect(ids).toEqual([])
    expect(await made.newest("sms")).toMatchObject({
      status: "suppressed",
      reason: "sandbox",
      text: sms.text,
    })
  })

  test("a text of any length is three parts at most", async () => {
    const made = office()
    await made.write(writeSms({ ...sms, text: "😀".repeat(1_000) }, NONCE))
    expect([...(await made.newest("sms")).text]).toHaveLength(459)
  })
})

describe("what customers reply", () => {
  test.each<[string, ReturnType<typeof keywordIn>]>([
    ["STOP", "stop"],
    ["unsubscribe", "stop"],
    ["Cancel", "stop"],
    [" end\n", "stop"],
    ["QUIT!", "stop"],
    ["stopall", "stop"],
    ["START", "start"],
    ["optout", "stop"],
    ["revoke.", "stop"],
    ["unstop", "start"],
    ["yes", null],
    ["help", "help"],
    ["stop sending flowers", null],
    ["nonstop", null],
    ["", null],
  ])("B3: %j asks for %s", (text, keyword) => {
    expect(keywordIn(text)).toBe(keyword)
  })

  const URL = "https://api.curbline.example"

  async function inbound(answersKeywords = false, senders: SenderOf = () => ({})) {
    const made = office(senders, answersKeywords)
    const port = twilioSignature({ authToken: "12345" })
    const runtime = await made.run(Effect.runtime<InboundSms>())
    const app = Fastify()
    app.setErrorHandler(sendError)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body))
    const withSignature = Runtime.provideService(runtime, InboundSignature, port)
    await app.register(inboundSmsPlugin, { run: bridgeTo(withSignature), baseUrl: URL })
    closing.push(() => app.close())
    const sign = (url: string, form: Record<string, string>): string =>
      createHmac("sha1", "12345")
        .update(
          Object.keys(form)
            .toSorted()
            .reduce((all, name) => `${all}${name}${form[name]}`, url),
        )
        .digest("base64")
    const reply = async (
      text: string,
      more: { sid?: string; signature?: string; query?: string; host?: string } = {},
    ): Promise<string> => {
      const form = { From: PHONE, To: ACCOUNT.from, Body: text, MessageSid: more.sid ?? `SM ${text}` }
      const path = `/messages/twilio${more.query ?? ""}`
      const response = await app.inject({
        method: "POST",
        url: path,
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          "x-twilio-signature": more.signature ?? sign(`${URL}${path}`, form),
          ...(more.host === undefined ? {} : { host: more.host }),
        },
        payload: new URLSearchParams(form).toString(),
      })
      return `${response.statusCode} ${String(response.headers["content-type"]).split(";")[0]}`
    }
    return { ...made, reply, app }
  }

  test("PM7: STOP stops the whole service for the number, START clears it, HELP does nothing", async () => {
    const { reply, hasStopped } = await inbound()
    expect(await reply("Stop")).toBe("200 text/xml")
    expect(await hasStopped()).toBe(true)
    expect(await hasStopped({ environment: "production", organizationId: "org_1" })).toBe(true)
    expect(await hasStopped({ environment: "sandbox", organizationId: "org_1" })).toBe(false)
    expect(await reply("help")).toBe("200 text/xml")
    expect(await hasStopped()).toBe(true)
    expect(await reply("START")).toBe("200 text/xml")
    expect(await hasStopped()).toBe(false)
  })

  test("B3: STOP, START and HELP are answered once each through the outbox, the STOP to a number that has stopped", async () => {
    const { sender, ids } = scripted({ type: "sent" })
    const { reply, newest, look } = await inbound(true, (consent) => ({
      sms: (message) =>
        Effect.provideService(
          Effect.flatten(Effect.map(consenting(sender), (send) => send(message))),
          SmsConsent,
          consent,
        ),
    }))
    for (const [word, said] of [
      ["STOP", "unsubscribed"],
      ["START", "again"],
      ["INFO", "For help"],
    ] as const) {
      await reply(word)
      const answer = await newest("sms")
      expect(answer).toMatchObject({ purpose: "keyword-answer", to: PHONE, status: "pending" })
      expect(answer.text).toContain(said)
      await look()
      expect(await newest("sms")).toMatchObject({ status: "sent" })
    }
    await reply("STOP")
    await reply("no thanks")
    expect(await look()).toBe(0)
    expect(ids).toHaveLength(3)
  })

  test("where the provider answers keywords, we do not", async () => {
    const { reply, newest } = await inbound()
    await reply("HELP")
    await expect(newest("sms")).rejects.toThrow("the outbox is empty")
  })

  test("a START that is sent again does not undo a later STOP; a STOP counts every time", async () => {
    const { reply, hasStopped } = await inbound()
    await reply("START", { sid: "SM1" })
    await reply("STOP", { sid: "SM2" })
    await reply("START", { sid: "SM1" })
    expect(await hasStopped()).toBe(true)
    await reply("START", { sid: "SM3" })
    await reply("STOP", { sid: "SM2" })
    expect(await hasStopped()).toBe(true)
  })

  test("INVALID_SIGNATURE: a request of somebody else does nothing", async () => {
    const { reply, hasStopped, app } = await inbound()
    const good = createHmac("sha1", "54321").update(URL).digest("base64")
    for (const signature of ["", "x", good, "0/KCTR6DLpKmkAf8muzZqo1nDgQ="]) {
      expect(await reply("STOP", { signature })).toBe("403 application/json")
    }
    const bare = await app.inject({ method: "POST", url: "/messages/twilio" })
    expect(bare.json<{ code: string }>().code).toBe("INVALID_SIGNATURE")
    expect(await hasStopped()).toBe(false)
  })

  test("the signature covers the query, and the place is the configured one whatever Host says", async () => {
    const { reply, hasStopped } = await inbound()
    expect(await reply("STOP", { query: "?a=1&b=2", host: "evil.example" })).toBe("200 text/xml")
    expect(await hasStopped()).toBe(true)
  })

  test("a genuine report that is none of an SMS is 400", async () => {
    const { app } = await inbound()
    const signature = createHmac("sha1", "12345").update(`${URL}/messages/twilioCallSidCA1`).digest("base64")
    const response = await app.inject({
      method: "POST",
      url: "/messages/twilio",
      headers: { "x-twilio-signature": signature, "content-type": "application/x-www-form-urlencoded" },
      payload: "CallSid=CA1",
    })
    expect(response.json<{ code: string }>().code).toBe("VALIDATION_ERROR")
  })

  test("the signatures of Twilio's own documentation hold", () => {
    const { isGenuine } = twilioSignature({ authToken: "12345" })
    const claim = (caller: string) => ({
      url: "https://mycompany.com/myapp.php?foo=1&bar=2",
      parameters: [
        ["To", "+18005551212"],
        ["From", caller],
        ["Digits", "1234"],
        ["Caller", caller],
        ["CallSid", "CA1234567890ABCDE"],
      ] as const,
    })
    expect(isGenuine({ ...claim("+12349013030"), signature: "0/KCTR6DLpKmkAf8muzZqo1nDgQ=" })).toBe(true)
    expect(isGenuine({ ...claim("+14158675309"), signature: "RSOYDt4T1cUTdK1PDd93/VVr8B8=" })).toBe(true)
    expect(isGenuine({ ...claim("+14158675309"), signature: "0/KCTR6DLpKmkAf8muzZqo1nDgQ=" })).toBe(false)
  })
})
