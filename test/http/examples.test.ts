/** Examples in rs.json and dd.json: they are there, the service made them, and they fit their schemas. */

import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { recordedExamplesText } from "../../src/cli/generate/examples/recorded.ts"
import { ENVIRONMENTS } from "../../src/model/caller.ts"
import type { Environment } from "../../src/model/caller.ts"
import { bareApp } from "./bare-app.ts"
import { DATE_TIME, closed, validatorsOf } from "./document.ts"

const APIS = ["rs", "dd"] as const

type Api = (typeof APIS)[number]

interface Example {
  readonly value?: unknown
  readonly $ref?: string
}

interface Content {
  readonly schema?: {
    readonly allOf?: readonly {
      readonly properties?: { readonly code?: { readonly enum: readonly string[] } }
    }[]
  }
  readonly examples?: Readonly<Record<string, Example>>
}

interface Body {
  readonly content?: Readonly<Record<string, Content>>
}

interface Operation {
  readonly operationId: string
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly examples: Readonly<Record<string, Example>> }
}

async function documentAt(api: Api, environment: Environment = "sandbox"): Promise<Described> {
  const app = await bareApp({ environment })
  return (await app.inject({ url: `/openapi/${api}.json` })).json<Described>()
}

/** A JSON body that a document describes. */
interface Place {
  /** Such as `createReservation 201`. */
  readonly name: string
  readonly direction: "event" | "in" | "out"
  readonly pointer: string
  readonly content: Content
}

/** Every JSON body of every operation and event. */
function placesOf({ paths, webhooks }: Described): readonly Place[] {
  const places: Place[] = []
  const add = (
    name: string,
    direction: Place["direction"],
    pointer: string,
    body: Body | undefined,
  ): void => {
    const content = body?.content?.["application/json"]
    if (content === undefined) return
    places.push({ name, direction, pointer: `${pointer}/content/application~1json/schema`, content })
  }
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId, requestBody, responses }] of Object.entries(methods)) {
      const at = `/paths/${encodeURIComponent(path.replaceAll("/", "~1"))}/${method}`
      add(`${operationId} request`, "in", `${at}/requestBody`, requestBody)
      for (const [status, response] of Object.entries(responses))
        add(`${operationId} ${status}`, "out", `${at}/responses/${status}`, response)
    }
  }
  for (const [type, { post }] of Object.entries(webhooks))
    add(type, "event", `/webhooks/${type}/post/requestBody`, post?.requestBody)
  return places
}

/** The codes of an error body; none of another. */
function codesOf({ content }: Place): readonly string[] {
  return content.schema?.allOf?.flatMap(({ properties }) => properties?.code?.enum ?? []) ?? []
}

function valueOf(document: Described, { value, $ref }: Example): unknown {
  return $ref === undefined ? value : document.components.examples[$ref.split("/").at(-1) ?? ""]?.value
}

/** What is wrong with the examples of a document, by place; empty where all of them fit. */
function faultsIn(document: Described): readonly string[] {
  const validators = {
    in: validatorsOf(document, true),
    out: validatorsOf(closed(document), DATE_TIME),
    // Events of reservations write six fractional digits; their schemas say so themselves.
    event: validatorsOf(closed(document), true),
  }
  return placesOf(document).flatMap(({ name, direction, pointer, content }) =>
    Object.entries(content.examples ?? {}).flatMap(([example, one]) => {
      const validate = validators[direction](pointer)
      return validate(valueOf(document, one))
        ? []
        : [`${name} ${example}: ${JSON.stringify(validate.errors)}`]
    }),
  )
}

describe.each(APIS)("%s.json", (api) => {
  test.each(ENVIRONMENTS)(
    "on %s shows an example of every request, success and event, and one of each code of each operation",
    async (environment) => {
      const bare = placesOf(await documentAt(api, environment)).filter((place) => {
        const names = Object.keys(place.content.examples ?? {})
        const codes = codesOf(place)
        return codes.length === 0 ? names.length === 0 : codes.some((code) => !names.includes(code))
      })
      expect(bare.map(({ name }) => name)).toEqual([])
    },
  )

  test("names each code of an answer once", async () => {
    for (const place of placesOf(await documentAt(api))) {
      const codes = codesOf(place)
      expect(new Set(codes).size, `${place.name}: ${codes.join(", ")}`).toBe(codes.length)
    }
  })

  test("shows examples that fit their schemas, without a field that is not described", async () => {
    expect(faultsIn(await documentAt(api))).toEqual([])
  })

  test("shows errors under their own codes", async () => {
    for (const [code, { value }] of Object.entries((await documentAt(api)).components.examples))
      expect(value).toMatchObject({ success: false, code })
  })

  test("with an example of another shape is found out", async () => {
    const text = JSON.stringify(await documentAt(api))
    const wrong = text.replaceAll(/"status":"(confirmed|SCHEDULED)"/g, '"status":"unheard of"')
    expect(faultsIn(JSON.parse(wrong) as Described)).not.toEqual([])
  })
})

test("examples are what the service answers: recording them again gives the same file", async () => {
  const file = readFileSync(new URL("../../src/http/examples.json", import.meta.url), "utf8")
  expect(await recordedExamplesText()).toBe(file)
})
