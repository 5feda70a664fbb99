/**
 * A body that is the same for every caller until the process ends: its bytes, its validator and its compressed forms are
 * made once. Compressed off the main thread, at the first request that accepts the form.
 */

import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import type { FastifyReply, FastifyRequest } from "fastify"
import { madeOnce } from "../../engine/services/made-once.ts"
import { KEPT_BODY_COMPRESSED_BYTES_MIN } from "../../model/values/limits.ts"

/** The best quality that takes less than a tenth of a second for the longest document. */
export const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } } as const

const FORMS = {
  br: (bytes: Buffer): Promise<Buffer> => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes),
}

type Form = keyof typeof FORMS

export class KeptBody {
  readonly #bytes: Buffer
  readonly #contentType: string
  readonly #digest: string
  readonly #inForm: Readonly<Record<Form, () => Promise<Buffer>>>

  constructor(contentType: string, body: Buffer | string) {
    this.#bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body
    this.#contentType = contentType
    this.#inForm = {
      br: madeOnce(() => FORMS.br(this.#bytes)),
      gzip: madeOnce(() => FORMS.gzip(this.#bytes)),
    }
    this.#digest = createHash("sha256").update(this.#bytes).digest("base64url").slice(0, 22)
  }

  /** Answers in the form that the request accepts, or with 304 for the bytes that the caller has. RFC 9110 §8.8.3, §12.5.3. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const form = this.#isCompressible ? formFor(request.headers["accept-encoding"]) : null
    const tag = `"${this.#digest}${form === null ? "" : `-${form}`}"`
    reply.header("ETag", tag)
    if (this.#isCompressible) reply.header("Vary", "Accept-Encoding")
    if (isKnown(request.headers["if-none-match"], tag)) return reply.code(304).send()
    const bytes = form === null ? this.#bytes : await this.#inForm[form]()
    if (form !== null) reply.header("Content-Encoding", form)
    return reply.type(this.#contentType).send(bytes)
  }

  get #isCompressible(): boolean {
    return (
      this.#bytes.length >= KEPT_BODY_COMPRESSED_BYTES_MIN &&
      /^(?:text\/|application\/json|image\/svg)/.test(this.#contentType)
    )
  }
}

/** The bytes of one answer in the form that the request accepts, if they are long enough; its headers are set. RFC 9110 §12.5.3. */
export async function compressedFor(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
): Promise<Buffer | string> {
  if (Buffer.byteLength(body) < KEPT_BODY_COMPRESSED_BYTES_MIN) return body
  reply.header("Vary", "Accept-Encoding")
  const form = formFor(request.headers["accept-encoding"])
  if (form === null) return body
  reply.header("Content-Encoding", form)
  return FORMS[form](Buffer.from(body, "utf8"))
}

/** The smallest form that is accepted; null: as it is. */
function formFor(accepted: string | readonly string[] = ""): Form | null {
  const weights = new Map<string, number>()
  for (const part of String(accepted).toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((one) => one.trim())
    const weight = parameters.find((one) => one.startsWith("q="))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)))
  }
  const accepts = (form: Form): boolean => (weights.get(form) ?? weights.get("*") ?? 0) > 0
  return accepts("br") ? "br" : accepts("gzip") ? "gzip" : null
}

function isKnown(sent: string | undefined, tag: string): boolean {
  if (sent === undefined) return false
  return sent.split(",").some((one) => ["*", tag, `W/${tag}`].includes(one.trim()))
}
