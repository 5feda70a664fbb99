/** Mail over SMTP. The message's id is its `Message-ID`, so that recipients can recognize a second copy. */

import { Effect } from "effect"
import type { Transporter } from "nodemailer"
import { MESSAGE_TIMEOUT_MS } from "../../model/values/limits.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import type { Message } from "../../areas/messages/rows.ts"
import type { SendResult, Sender } from "../../areas/messages/senders.ts"

export interface SmtpOptions {
  /** `smtps://user:password@host:465`, or `smtp://…:587`, which must offer STARTTLS unless it is on this machine. */
  readonly url: string
  /** The sender's address. */
  readonly from: string
}

export function smtpSender({ url, from }: SmtpOptions): Sender {
  const { protocol, hostname, port, username, password } = new URL(url)
  const isTls = protocol === "smtps:"
  const options = {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (isTls ? 465 : 587) : Number(port),
    secure: isTls,
    requireTLS: !isTls && !LOOPBACK.has(hostname),
    ...(username === ""
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: MESSAGE_TIMEOUT_MS / 2,
    greetingTimeout: MESSAGE_TIMEOUT_MS / 2,
    socketTimeout: MESSAGE_TIMEOUT_MS,
    socketCloseTimeout: SECOND_MS,
    // Content must not make this program read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  let transport: Transporter | null = null
  const domain = from.slice(from.indexOf("@") + 1)
  const send = async (
    { messageId, to, subject, text }: Message,
    signal: AbortSignal,
  ): Promise<SendResult> => {
    try {
      // Loaded with the first mail: most starts send none.
      transport ??= (await import("nodemailer")).createTransport(options)
      await transport.sendMail({
        // The library's own limits end with every byte of the server; this one ends the connection, too.
        signal,
        from: { name: "Curbline", address: from },
        to: { name: "", address: to },
        subject: subject ?? "",
        text,
        messageId: `<${messageId}@${domain}>`,
        headers: { "Auto-Submitted": "auto-generated" },
      })
      return { type: "sent" }
    } catch (cause) {
      return resultOf(cause)
    }
  }
  return (message) =>
    Effect.promise((signal) => send(message, signal)).pipe(
      Effect.timeoutTo({
        duration: MESSAGE_TIMEOUT_MS,
        onSuccess: (result) => result,
        onTimeout: (): SendResult => ({ type: "unavailable", reason: "smtp_timeout" }),
      }),
    )
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])

/** The fields of the library's errors. */
interface SmtpFailure {
  readonly responseCode?: number
  readonly code?: string
  readonly command?: string
}

/**
 * A 5xx about the recipient or the text is permanent; one about our credentials can be fixed. Texts of servers may
 * contain names of people, so they are not kept.
 */
function resultOf(cause: unknown): SendResult {
  const { responseCode, code, command } = cause as SmtpFailure
  if (responseCode === undefined) {
    return { type: "unavailable", reason: `smtp_${(code ?? "failed").toLowerCase()}` }
  }
  const reason = `smtp_${responseCode}`
  const isAboutMessage = command === "RCPT TO" || command === "DATA"
  return responseCode >= 500 && isAboutMessage ? { type: "refused", reason } : { type: "unavailable", reason }
}
