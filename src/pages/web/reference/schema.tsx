/** The fields of a schema: name, type, limits and meaning; what is inside a field unfolds. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Line } from "./prose.tsx"
import type { OpenApi, Schema } from "./openapi.ts"
import { insideOf, limitsOf, plainOf, typeWords, variantsOf, wordsOf } from "./schema-words.ts"

/** Words of a closed set that are shown without unfolding. */
const WORDS_SHOWN = 8

interface FieldsProps {
  readonly schema: Schema
  readonly document: OpenApi
  /** Levels that are unfolded at first. */
  readonly open?: number
}

/** The fields of an object, or the choices of a union. */
export function Fields({ schema, document, open = 0 }: FieldsProps): JSX.Element | null {
  const inside = insideOf(schema, document)
  if (inside === null) return <Described schema={schema} document={document} />
  const variants = variantsOf(inside)
  if (inside.properties === undefined && variants.length > 0) {
    return (
      <ul class="schema">
        {variants.map((one, at) => (
          <li key={at}>
            <Field name={`Choice ${at + 1}`} isChoice schema={one} document={document} open={open} />
          </li>
        ))}
      </ul>
    )
  }
  const { properties = {}, required = [], additionalProperties } = inside
  return (
    <ul class="schema">
      {Object.entries(properties).map(([name, one]) => (
        <li key={name}>
          <Field
            name={name}
            schema={one}
            document={document}
            open={open}
            isRequired={required.includes(name)}
          />
        </li>
      ))}
      {typeof additionalProperties === "object" ? (
        <li>
          <Field
            name="any other name"
            isChoice
            schema={additionalProperties}
            document={document}
            open={open}
          />
        </li>
      ) : null}
    </ul>
  )
}

interface FieldProps extends FieldsProps {
  readonly name: string
  readonly isRequired?: boolean
  /** True when the name is a word of this page, and no field's. */
  readonly isChoice?: boolean
  /** Of a parameter. */
  readonly place?: string
}

export function Field(props: FieldProps): JSX.Element {
  const { name, isChoice = false, isRequired, schema, document, open = 0, place } = props
  const inside = insideOf(schema, document)
  return (
    <>
      <p class="field-line">
        <span class={isChoice ? "strong" : "mono strong"}>{name}</span>
        <span class="quiet">
          {typeWords(schema, document)}
          {place === undefined ? "" : `, ${place}`}
        </span>
        {isRequired === true ? <span class="required">required</span> : null}
      </p>
      <Described schema={schema} document={document} />
      {inside === null ? null : (
        <Unfolding name={name} open={open}>
          {() => <Fields schema={schema} document={document} open={open - 1} />}
        </Unfolding>
      )}
    </>
  )
}

/** Nothing inside is made before it is open: schemas may refer to themselves. */
function Unfolding({
  name,
  open,
  children,
}: {
  readonly name: string
  readonly open: number
  readonly children: () => JSX.Element
}): JSX.Element {
  const [isOpen, setOpen] = useState(open > 0)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Fields of <span class="mono">{name}</span>
      </summary>
      {isOpen ? children() : null}
    </details>
  )
}

function Described({ schema, document }: FieldsProps): JSX.Element {
  const { schema: plain } = plainOf(schema, document)
  const item = plain.type === "array" && plain.items ? plainOf(plain.items, document).schema : plain
  const words = wordsOf(item)
  return (
    <>
      {plain.description === undefined ? null : (
        <p class="small quiet">
          <Line text={plain.description} />
        </p>
      )}
      <Limits
        limits={[...limitsOf(plain), ...(item === plain ? [] : limitsOf(item).map((one) => `each: ${one}`))]}
      />
      {words.length === 0 ? null : <Words words={words} />}
    </>
  )
}

export function Limits({ limits }: { readonly limits: readonly string[] }): JSX.Element | null {
  if (limits.length === 0) return null
  return (
    <p class="small quiet">
      <Line text={limits.join("; ")} />
    </p>
  )
}

function Words({ words }: { readonly words: readonly string[] }): JSX.Element {
  const list = (
    <p class="words">
      {words.map((word) => (
        <code key={word}>{word}</code>
      ))}
    </p>
  )
  return words.length <= WORDS_SHOWN ? (
    list
  ) : (
    <details>
      <summary>{words.length} values</summary>
      {list}
    </details>
  )
}
