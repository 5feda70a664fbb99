/**
 * `POST /messages/twilio`: customers' replies, as Twilio reports them. Source: Twilio, Messaging webhooks; Webhooks
 * security.
 */

import { Effect } from "effect"
import type { FastifyInstance } from "fastify"
import { TurnedAway } from "../../../model/values/errors.ts"
import { decodeRequest } from "../../../model/values/schema.ts"
import { InboundReplyReport } from "../../../model/requests/portal.ts"
import { InboundSignature, InboundSms } from "../inbound-sms.ts"
import type { Run } from "../../../http/bridge.ts"
import { formTextIn } from "../../../http/pages/form.ts"

export interface InboundSmsOptions {
  readonly run: Run<InboundSignature | InboundSms>
  /** The URL configured at Twilio, which the signature covers: scheme and host, without a path. */
  readonly baseUrl: string
}

const PATH = "/messages/twilio"

/** Twilio answers STOP, START and HELP itself, and does not deliver our answer to a STOP, so the response is empty. */
export async function inboundSmsPlugin(app: FastifyInstance, options: InboundSmsOptions): Promise<void> {
  const { run, baseUrl } = options
  app.post<{ Body: Buffer | undefined }>(PATH, async (request, reply) => {
    const parameters = [...new URLSearchParams(formTextIn(request.body))]
    const query = (request.raw.url ?? "").slice(PATH.length)
    const signature = [request.headers["x-twilio-signature"]].flat()[0] ?? ""
    const claimed = { url: `${baseUrl}${PATH}${query}`, parameters, signature }
    await run(
      Effect.gen(function* () {
        const signatures = yield* InboundSignature
        if (!signatures.isGenuine(claimed)) return yield* new TurnedAway({ code: "INVALID_SIGNATURE" })
        const form = Object.fromEntries(parameters)
        const reported = yield* decodeRequest(InboundReplyReport, form)
        const inbound = yield* InboundSms
        yield* inbound.receive({
          environment: "production",
          organizationId: null,
          inboundId: reported.MessageSid,
          from: reported.From,
          text: reported.Body,
        })
      }),
    )
    return reply.type("text/xml; charset=utf-8").send('<?xml version="1.0" encoding="UTF-8"?><Response/>')
  })
}
