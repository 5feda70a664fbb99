/** Every OpenAPI document, held to the specification's own schema. */

import { Validator } from "@seriousme/openapi-schema-validator"
import { describe, expect, test } from "vitest"
import { documentsOf } from "../../src/cli/generate/documents.ts"

interface Operation {
  readonly operationId: string
  readonly tags?: readonly string[]
}

interface Described {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const [production, sandbox] = [await documentsOf("production"), await documentsOf("sandbox")]
const documents = [
  ...[...production].map(([name, document]) => ["production", name, document] as const),
  ...[...sandbox].map(([name, document]) => ["sandbox", name, document] as const),
]

describe("a document", () => {
  test("there are seven of each host", () => {
    expect([production.size, sandbox.size]).toEqual([7, 7])
  })

  test.each(documents)(
    "of the %s host, %s.json, is valid OpenAPI 3.1, and each of its operations has a tag and an id of its own",
    async (_, __, document) => {
      const validator = new Validator()
      expect(await validator.validate(structuredClone({ ...document }))).toEqual({ valid: true })
      expect(validator.version).toBe("3.1")
      const { paths, webhooks = {}, tags } = document as unknown as Described
      const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) =>
        Object.values(methods),
      )
      const known = tags.map((tag) => tag.name)
      for (const operation of operations) {
        expect(operation.tags, operation.operationId).toHaveLength(1)
        expect(known).toEqual(expect.arrayContaining([...(operation.tags ?? [])]))
      }
      const ids = operations.map(({ operationId }) => operationId)
      expect(new Set(ids).size).toBe(ids.length)
    },
  )

  test("that is no OpenAPI is found out", async () => {
    const headless = { ...sandbox.get("rs"), info: undefined }
    expect(await new Validator().validate(headless)).toMatchObject({ valid: false })
  })
})
