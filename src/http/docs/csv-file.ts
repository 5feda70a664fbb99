/** A list as a CSV file to download, and its part of an API document. */

import type { FastifyReply } from "fastify"
import { NOT_STORED } from "../errors.ts"
import type { Part } from "../document-part.ts"
import type { Offer, Parameter } from "../endpoint.ts"
import { failures, tagOf } from "../openapi.ts"

/** Lists name people and money: no cache keeps them. */
export function sendCsv(
  reply: FastifyReply,
  { name, text }: { readonly name: string; readonly text: string },
): FastifyReply {
  return reply
    .headers({
      ...NOT_STORED,
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      "X-Content-Type-Options": "nosniff",
    })
    .type("text/csv; charset=utf-8")
    .send(text)
}

interface FilePart extends Pick<Offer, "errors" | "operationId" | "summary"> {
  readonly parameters: readonly Parameter[]
}

/** `errors`: beside those of every such file. */
export function csvPart(
  path: string,
  { operationId, summary, parameters, errors }: FilePart,
): Readonly<Record<string, Part>> {
  return {
    [path]: {
      get: {
        operationId,
        tags: [tagOf(path)],
        summary,
        parameters: parameters.map(({ name, description }) => ({
          in: "query",
          name,
          description,
          schema: { type: "string" },
        })),
        responses: {
          200: { description: "Done.", content: { "text/csv": {} } },
          ...failures([...errors, "INTERNAL_ERROR", "UNAVAILABLE", "VALIDATION_ERROR"], ["X-Request-Id"]),
        },
      },
    },
  }
}
