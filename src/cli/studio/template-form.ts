/** The form of a template: its fields, and how their values are read. */

import { DAY_MINUTES } from "../../model/values/time.ts"
import type { Draft, Template, TemplateField } from "../../pages/web/studio/contract.ts"

/** Values as they were typed, by the name of their field. */
export type TypedValues = Readonly<Record<string, string>>

/** A value that does not fit, with the field that it belongs to. */
export class TemplateProblem extends Error {
  override readonly name = "TemplateProblem"
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

export interface WrittenTemplate extends Template {
  /** The lines of the file. Throws a `TemplateProblem`. */
  readonly lines: (values: FormValues) => readonly string[]
}

/** What a form writes, with the sentences of the written text, or the first value that does not fit. */
export function draftFrom(
  template: WrittenTemplate,
  typed: TypedValues,
  sentencesOf: (values: FormValues, text: string) => readonly string[],
): Draft {
  const values = new FormValues(template.fields, typed)
  try {
    const text = `${template.lines(values).join("\n")}\n`
    return { is: "text", text, sentences: sentencesOf(values, text) }
  } catch (cause) {
    if (cause instanceof TemplateProblem) return { is: "problem", field: cause.field, message: cause.message }
    throw cause
  }
}

/** The values of one form; a field that was left out has its usual value. */
export class FormValues {
  readonly #fields: readonly TemplateField[]
  readonly #typed: TypedValues

  constructor(fields: readonly TemplateField[], typed: TypedValues) {
    this.#fields = fields
    this.#typed = typed
  }

  plain(name: string): string {
    const text = this.#typedOf(name).trim()
    if (text === "") throw new TemplateProblem(name, "write a few words")
    return text
  }

  /** A text for YAML, in quotes. */
  text(name: string): string {
    return JSON.stringify(this.plain(name))
  }

  number(name: string): number {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = this.#field(name)
    const text = this.#typedOf(name).trim()
    const value = Number(text)
    if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || value < min || value > max)
      throw new TemplateProblem(name, `write a number from ${min} to ${max}, not "${text}"`)
    return value
  }

  whole(name: string): number {
    const value = this.number(name)
    if (!Number.isInteger(value)) throw new TemplateProblem(name, "write a whole number")
    return value
  }

  /** Minutes since midnight; within the hours of one day, so that a course does not pass midnight. */
  time(name: string): number {
    const text = this.#typedOf(name)
    const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(text) ?? []
    const time = Number(hours) * 60 + Number(minutes)
    if (hours === undefined || time < FIRST || time > LAST)
      throw new TemplateProblem(name, `write a time from ${clock(FIRST)} to ${clock(LAST)}, not "${text}"`)
    return time
  }

  #field(name: string): TemplateField {
    const field = this.#fields.find((one) => one.name === name)
    if (field === undefined) throw new Error(`the template has no field ${name}`)
    return field
  }

  #typedOf(name: string): string {
    return this.#typed[name] ?? this.#field(name).usual
  }
}

const FIRST = 2 * 60
const LAST = 18 * 60

/** `12:05`. */
export function clock(minutes: number): string {
  const time = ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES
  const two = (value: number): string => String(value).padStart(2, "0")
  return `${two(Math.floor(time / 60))}:${two(time % 60)}`
}

export const TITLE = (usual: string): TemplateField => ({
  name: "title",
  label: "What happens, in a sentence",
  hint: "The title of the scenario; its file is named after it.",
  kind: "text",
  usual,
})

export const OPENS: TemplateField = {
  name: "opens",
  label: "The arrival window opens at",
  hint: null,
  kind: "time",
  usual: "12:00",
}

export const LENGTH: TemplateField = {
  name: "length",
  label: "and stays open for",
  hint: null,
  kind: "number",
  unit: "minutes",
  usual: "30",
  min: 15,
  max: 120,
}
