/** Every OpenAPI document, held to the specification's own schema. */

import { Validator } from "@seriousme/openapi-schema-validator"
import { describe, expect, test } from "vitest"
import { TOOLS } from "../../src/apps/mcp/tools.ts"
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

interface Part {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly anyOf?: readonly Part[]
  readonly allOf?: readonly Part[]
  readonly items?: Part
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Part>>
}

interface Requested {
  readonly operationId: string
  readonly parameters?: readonly { in: string; name: string; required?: boolean; schema: Part }[]
  readonly requestBody?: { readonly content: { readonly "application/json"?: { readonly schema: Part } } }
}

/** A field that a request may leave out. */
interface OptionalField {
  readonly of: string
  readonly name: string
  /** Its schemas; one of them must hold. */
  readonly forms: readonly Part[]
}

type Components = Readonly<Record<string, Part>>

function formsOf(part: Part, components: Components): readonly Part[] {
  if (part.$ref !== undefined) return formsOf(components[part.$ref.split("/").at(-1) ?? ""] ?? {}, components)
  if (part.anyOf === undefined || part.properties !== undefined) return [part]
  return part.anyOf.flatMap((one) => formsOf(one, components))
}

function optionalFieldsIn(part: Part, of: string, components: Components): readonly OptionalField[] {
  return formsOf(part, components).flatMap(({ items, properties = {}, required = [] }) => [
    ...(items === undefined ? [] : optionalFieldsIn(items, of, components)),
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(required.includes(name) ? [] : [{ of, name, forms: formsOf(field, components) }]),
      ...optionalFieldsIn(field, of, components),
    ]),
  ])
}

const requests = documents.flatMap(([, name, document]) => {
  const { paths, components } = document as unknown as {
    paths: Readonly<Record<string, Readonly<Record<string, Requested>>>>
    components: { schemas: Components }
  }
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, parameters = [], requestBody }) => ({
      operation: `${name} ${operationId}`,
      parameters,
      body: requestBody?.content["application/json"]?.schema ?? {},
      schemas: components.schemas,
    })),
  )
})
const inBodies = requests.flatMap(({ operation, body, schemas }) =>
  optionalFieldsIn(body, operation, schemas),
)
const inQueries = requests.flatMap(({ operation, parameters }) =>
  parameters.flatMap(({ name, required, schema }) =>
    required === true ? [] : [{ of: operation, name, forms: formsOf(schema, {}) }],
  ),
)
const inTools = TOOLS.flatMap(({ listing }) =>
  optionalFieldsIn(listing.inputSchema as Part, listing.name, {}),
)

/** Fields that a body may leave out and that yet must not be null there, each with the reason. */
const NEVER_NULL: Readonly<Record<string, string>> = {
  reason_code: "a step of the sandbox cannot be undone, so only an empty body takes one",
}

/** Texts that are optional in a request and yet must not be empty, each with the reason. */
const NEVER_EMPTY: Readonly<Record<string, string>> = {
  retailer_pickup_ref: "the contract's row: 1 to 64 characters",
  email: "an address with a pattern",
  url: "an address",
  open_url: "an address",
  open_link_url: "an address",
  code: "a second factor",
  userHandle: "a part of a passkey",
  authenticatorData: "a part of a passkey",
  publicKey: "a part of a passkey",
  authenticatorAttachment: "a word of the browser's",
  name: "a change of a required text",
  order_number: "a required text, also in a change or a filter",
  message: "the contract's row of the sandbox advance: 1 to 256 characters",
  end_user_name: "a required text that the service makes here",
  also_on_board: "an id of a delivery",
  "Idempotency-Key": "the contract's row: 1 to 255 characters",
  ...Object.fromEntries(["actor", "action", "subject", "key", "path", "q"].map((name) => [name, "a filter"])),
}
const IS_ID = /_id$/

/** True for a text that neither an enumeration nor a format nor a pattern of its own bounds. */
function isFree({ type, enum: words, const: word, format, pattern }: Part): boolean {
  const isOpen = pattern === undefined || pattern.includes("\\u0000")
  return type === "string" && words === undefined && word === undefined && format === undefined && isOpen
}

describe("a field that a request may leave out", () => {
  test("may be null in every body", () => {
    const takesNull = ({ type, enum: words, ...more }: Part): boolean =>
      [type].flat().includes("null") ||
      (type === undefined && words === undefined && more.const === undefined)
    const refusing = inBodies.filter(({ name, forms }) => !forms.some(takesNull) && !(name in NEVER_NULL))
    expect(refusing.map(({ of, name }) => `${of}: ${name}`)).toEqual([])
    expect(inBodies.length).toBeGreaterThan(300)
  })

  test("may be empty in every body, query and tool if it is a free text; the others have a reason", () => {
    const refused = [...inBodies, ...inQueries, ...inTools].filter(({ name, forms }) => {
      const isRefused = forms.some((form) => isFree(form) && (form.minLength ?? 0) > 0)
      return isRefused && !IS_ID.test(name)
    })
    const unexplained = refused.filter(({ name }) => !(name in NEVER_EMPTY))
    expect(unexplained.map(({ of, name }) => `${of}: ${name}`)).toEqual([])
    expect(Object.keys(NEVER_EMPTY).filter((name) => !refused.some((one) => one.name === name))).toEqual([])
  })
})
