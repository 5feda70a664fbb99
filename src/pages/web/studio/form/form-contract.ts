/** What the page and its server send each other about the form of a file. */

/** Keys and places in lists, from the root of the file on. */
export type FormPath = readonly (number | string)[]

/** A value of the file that the form changes where it stands. */
export interface FormValue {
  readonly label: string
  readonly hint: string
  /** As written, without quotes; a list without its brackets. */
  readonly text: string
  readonly kind: ValueKind
  /** What can be chosen; empty for other values. */
  readonly options: readonly string[]
  readonly line: number
  readonly column: number
  readonly length: number
  /** What is removed with it; null when the file needs it. */
  readonly path: FormPath | null
}

/**
 * `text`: any text is a value, such as a name with a blank. `list`: one value, or several with commas. `items`: a list also when it
 * has one.
 */
export type ValueKind = "items" | "list" | "text" | "word"

/** A field that is not there and can be added, with a value to begin with, as YAML. */
export interface FormField {
  readonly label: string
  readonly hint: string
  readonly path: FormPath
  readonly value: string
}

export interface FormPart {
  readonly values: readonly FormValue[]
  readonly missing: readonly FormField[]
  /** Keys that the form does not show; they stay as they are. */
  readonly others: readonly string[]
}

export interface FormStep extends FormPart {
  readonly line: number
  readonly words: string
}

/** A thing of `given`, or the values of one of its keys. */
export interface FormGiven extends FormPart {
  readonly title: string
  readonly line: number
  readonly path: FormPath
}

/** A name, with the first step that may refer to it. */
export interface FormName {
  readonly name: string
  readonly kind: string
  readonly from: number
}

/** A fragment of the files that the scenario uses. */
export interface FormFragment {
  readonly name: string
  readonly parameters: readonly string[]
}

export interface FileForm {
  readonly head: readonly FormValue[]
  /** Optional keys of the file: tags, seed, fragments, invariants. */
  readonly more: FormPart
  /** Rows of the matrix, and promises. */
  readonly rest: readonly FormGiven[]
  /** What can be added to these. */
  readonly addable: readonly FormChoice[]
  readonly given: readonly FormGiven[]
  /** What can be added to what is there before. */
  readonly giveable: readonly FormChoice[]
  /** Keys of the file that the form does not show. */
  readonly others: readonly string[]
  readonly steps: readonly FormStep[]
  readonly names: readonly FormName[]
  readonly fragments: readonly FormFragment[]
}

export interface FormChoice {
  readonly key: string
  readonly label: string
}

/** What a new step needs: a name of a kind, for `for` or a field. */
export interface StepNeed {
  readonly key: string
  readonly kind: string
}

/** A command, fact or fault, with the verbs that it goes with. */
export interface StepWord {
  readonly word: string
  readonly says: string
  readonly verbs: readonly string[]
  readonly needs: readonly StepNeed[]
}

export interface StepWords {
  readonly verbs: readonly FormChoice[]
  readonly words: readonly StepWord[]
  /** By kind of name: what makes one. */
  readonly makers: Readonly<Record<string, string>>
}

/** A step to add before the step at that place, or behind the last. */
export interface AddStep {
  readonly is: "add"
  readonly at: number
  readonly verb: string
  /** The command, fact, fault or fragment; empty for `wait`. */
  readonly word: string
  /** The names of its needs, and the values of a fragment's parameters. */
  readonly names: Readonly<Record<string, string>>
  /** The code of a refusal, or how long to wait; empty for other verbs. */
  readonly value: string
}

export type FormEdit =
  | AddStep
  | { readonly is: "give"; readonly key: string }
  | { readonly is: "move"; readonly at: number; readonly to: number }
  | { readonly is: "put"; readonly path: FormPath; readonly value: string }
  | { readonly is: "remove"; readonly path: FormPath }
  | {
      readonly is: "set"
      readonly line: number
      readonly column: number
      readonly length: number
      readonly value: string
      readonly kind: ValueKind
    }
