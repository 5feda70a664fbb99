/**
 * A command of the command line, declared by the endpoint that it calls. Method, path, mandatory inputs, conversion of
 * values and the printed object come from the endpoint; only the words are declared here.
 */

/** The first word of a group of commands, such as `keys`. */
export interface CommandNoun {
  readonly word: string
  readonly description: string
  /** True when both environments share the objects, or only production has them: no environment is chosen then. */
  readonly isShared?: true
}

export interface OperatorCommand {
  readonly noun: CommandNoun
  readonly verb: string
  readonly description: string
  readonly inputs?: readonly CommandInput[]
  /** Fields of the body that every call of this command sends. */
  readonly fixed?: Readonly<Record<string, boolean>>
  /** Of a list: the columns of its table. */
  readonly columns?: readonly string[]
  /**
   * Of a write: what was done, in the past tense; the written object's id follows. `{id}` is the path's parameter. A
   * command with neither `columns` nor `did` prints the whole answer, or what `shows` names of it.
   */
  readonly did?: string
  /** Of a read of one object: the columns of its table, and of the table of a list in it. */
  readonly shows?: {
    readonly columns: readonly string[]
    readonly list: readonly [field: string, columns: readonly string[]]
  }
  /** The field of the written object that goes to stdout; its first field if absent. */
  readonly prints?: string
  /** True when the printed value is the whole answer, so that `did` is not printed. */
  readonly isValue?: true
  /** True when the printed value is a path of the host: its whole URL is printed. */
  readonly isLink?: true
  /** True for an id that exists in one environment only: without `--environment` both are tried. */
  readonly looksEverywhere?: true
}

/**
 * An argument or option. `field` names a parameter of the path or query, or a field of the body; `address.city`
 * names a field of the object `address`.
 */
export type CommandInput = readonly [
  field: string,
  /** `<key-id>` for an argument, `--org <id>` for an option, as commander writes them. */
  syntax: string,
  description: string,
  source?: InputSource,
]

/** Where the value comes from, if it is not the given text. "Or none": an empty text clears the value. */
export type InputSource =
  | "text or none"
  /** The text of the named file. */
  | "text file"
  /** The coordinates of the polygon in the named GeoJSON file. */
  | "polygon file or none"
  /** The first argument, if the option is absent. */
  | "first argument"

/** An argument with an object's id, as the list of its noun shows it. */
export function idArgument(noun: string, field = "id"): CommandInput {
  return [field, `<${noun}-id>`, `as ${noun}s list shows it`]
}
