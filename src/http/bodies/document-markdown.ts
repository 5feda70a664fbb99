/** An OpenAPI document as Markdown, for people and models that read text: operations, events and objects with their fields. */

/** Objects inside of a field are listed so deep; deeper ones have a name of their own. */
const DEPTH_MAX = 4

export function markdownOf(document: object): string {
  const { info, servers, paths, webhooks, components } = document as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => operationText(`${method.toUpperCase()} ${path}`, one)),
  )
  const events = Object.entries(webhooks ?? {}).map(([name, { post }]) => operationText(name, post))
  const objects = Object.entries(components.schemas ?? {}).map(
    ([name, schema]) => `### ${name}\n\n${fieldsOf(schema)}`,
  )
  return sections([
    `# ${info.title}`,
    info.description,
    servers.length === 0 ? "" : `Base URL: ${servers.map(({ url }) => `\`${url}\``).join(", ")}`,
    ...titled("Operations", operations),
    ...titled("Events", events),
    ...titled("Objects", objects),
  ])
}

interface Document {
  readonly info: { readonly title: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
}

interface Operation {
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly {
    readonly name?: string
    readonly in: string
    readonly description?: string
  }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content & { readonly description: string }>>
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema; readonly examples?: Examples }>>
}

type Examples = Readonly<Record<string, { readonly value?: unknown }>>

/** True allows every value, false none. Source: JSON Schema 2020-12 §4.3.2. */
type JsonSchema = Shape | boolean

/** The keywords that the lists below show. */
interface Shape {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  /** Of a list with a fixed beginning, such as longitude and latitude. */
  readonly prefixItems?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
}

function operationText(heading: string, operation: Operation): string {
  const { summary, description = "", parameters = [], requestBody, responses } = operation
  const named = parameters.flatMap(({ name, in: place, description: what = "" }) =>
    name === undefined ? [] : [`- \`${name}\` (${place})${what === "" ? "" : `: ${what}`}`],
  )
  const answers = Object.entries(responses).map(([status, one]) => `- ${status}: ${one.description}`)
  const done = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1]
  return sections([
    `### ${heading}`,
    `${summary}.`,
    description,
    named.length === 0 ? "" : `Parameters:\n\n${named.join("\n")}`,
    bodyText("Body", requestBody),
    bodyText("Answer", done),
    `Answers:\n\n${answers.join("\n")}`,
  ])
}

function bodyText(title: string, { content = {} }: Content = {}): string {
  const [[type, one] = []] = Object.entries(content)
  if (type === undefined || one === undefined) return ""
  const [example] = Object.values(one.examples ?? {}).filter(({ value }) => value !== undefined)
  return sections([
    `${title} (\`${type}\`):`,
    fieldsOf(one.schema ?? { type: "bytes" }),
    example === undefined ? "" : `\`\`\`json\n${JSON.stringify(example.value, null, 2)}\n\`\`\``,
  ])
}

/** A list of the fields, those of inner objects below theirs; the type where there are no fields. */
function fieldsOf(schema: JsonSchema, depth = 0): string {
  const lines = membersOf(schema).flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, field]) => {
      const need = required.includes(name) ? "" : ", optional"
      const { description } = shapeOf(field)
      const what = description === undefined ? "" : `: ${description.replaceAll("\n", " ")}`
      const inner = depth < DEPTH_MAX ? fieldsOf(innerOf(field), depth + 1) : ""
      const below = inner.startsWith(" ") ? `\n${inner}` : ""
      return `${"  ".repeat(depth)}- \`${name}\` (${typeOf(field)}${need})${what}${below}`
    }),
  )
  return lines.length > 0 ? lines.join("\n") : depth === 0 ? typeOf(schema) : ""
}

function membersOf(schema: JsonSchema): readonly Shape[] {
  const { allOf = [], anyOf = [], oneOf = [] } = shapeOf(schema)
  return [schema, ...allOf, ...anyOf, ...oneOf].map(shapeOf)
}

function shapeOf(schema: JsonSchema): Shape {
  return typeof schema === "boolean" ? {} : schema
}

/** The objects in a list have the fields that matter. */
function innerOf(schema: JsonSchema): JsonSchema {
  const { items = schema } = shapeOf(schema)
  return items
}

function typeOf(schema: JsonSchema): string {
  if (typeof schema === "boolean") return schema ? "any" : "nothing"
  const { prefixItems, $ref, type, enum: values, items, anyOf, oneOf, allOf } = schema
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1)
  if ("const" in schema) return JSON.stringify(schema.const)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" or ")
  if (prefixItems !== undefined) return `list of (${prefixItems.map(typeOf).join("; ")})`
  if (items !== undefined) return `list of ${typeOf(items)}`
  const members = anyOf ?? oneOf ?? allOf
  if (members !== undefined) return [...new Set(members.map(typeOf))].join(" or ")
  if (type === undefined) return schema.properties === undefined ? "any" : "object"
  return `${[type].flat().join(" or ")}${boundsOf(schema)}`
}

function boundsOf({ format, minLength, maxLength, minimum, maximum }: Shape): string {
  const [least, most] = [minLength ?? minimum, maxLength ?? maximum]
  const unit = maxLength === undefined && minLength === undefined ? "" : " characters"
  const range =
    most === undefined
      ? least === undefined
        ? ""
        : `, at least ${least}${unit}`
      : `, ${least === undefined ? "at most" : `${least} to`} ${most}${unit}`
  return `${format === undefined ? "" : `, ${format}`}${range}`
}

function titled(title: string, parts: readonly string[]): readonly string[] {
  return parts.length === 0 ? [] : [`## ${title}`, ...parts]
}

function sections(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n")
}
