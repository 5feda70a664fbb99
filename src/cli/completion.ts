/** `curbline completion`: a script that completes commands, options and their values in a shell, made from the commands' own definitions. */

import type { Command, Option } from "commander"
import { EXIT } from "./kit/exit-codes.ts"
import type { ExitStatus } from "./kit/exit-codes.ts"
import { out } from "./kit/terminal.ts"

export const SHELLS = ["bash", "zsh", "fish"] as const

export type Shell = (typeof SHELLS)[number]

/** What may stand behind the words of a command. */
interface Place {
  /** `fleet work`; empty for `curbline` itself. */
  readonly path: string
  /** Commands below it, and the words that its arguments take. */
  readonly commands: readonly Named[]
  readonly options: readonly OfferedOption[]
}

interface Named {
  readonly name: string
  readonly says: string
}

interface OfferedOption extends Named {
  /** Null where any value is taken. */
  readonly choices: readonly string[] | null
  readonly takesValue: boolean
}

/** `curbline` must have all its commands. */
export function completionCommand(shell: Shell, curbline: Command): ExitStatus {
  out(SCRIPTS[shell](placesOf(curbline, "")))
  return EXIT.passed
}

function placesOf(command: Command, path: string): readonly Place[] {
  const help = command.createHelp()
  const inner = help.visibleCommands(command)
  const here: Place = {
    path,
    commands: [
      ...inner.map((one) => ({ name: one.name(), says: firstLine(one.description()) })),
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((name) => ({ name, says: firstLine(description) })),
      ),
    ],
    options: help.visibleOptions(command).flatMap((option) => offered(option)),
  }
  const below = inner.flatMap((one) => placesOf(one, `${path} ${one.name()}`.trim()))
  return [here, ...below]
}

function offered({ long, description, argChoices, required, optional }: Option): readonly OfferedOption[] {
  if (long === undefined || long === null) return []
  return [
    {
      name: long,
      says: firstLine(description),
      choices: argChoices ?? null,
      takesValue: required || optional,
    },
  ]
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? ""
}

/** In single quotes, for the shells of Bourne's family. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The words of commands that have others below them, as patterns of a `case`. */
function deeper(places: readonly Place[]): string {
  return places
    .filter(({ path }) => path !== "")
    .map(({ path }) => quoted(path))
    .join("|")
}

function withChoices(places: readonly Place[]): readonly (readonly [string, readonly string[]])[] {
  return places.flatMap(({ path, options }) =>
    options.flatMap(({ name, choices }) =>
      choices === null ? [] : [[`${path} ${name}`.trim(), choices] as const],
    ),
  )
}

interface OfferedBy {
  /** What completes the value of an option with choices. */
  readonly choice: (words: readonly string[]) => string
  /** Sets the variables `commands` and `options`. */
  readonly offer: (place: Place) => string
}

/** For shells of Bourne's family: by the words so far, the choices of an option's value, or what may come in this place. */
function cases(places: readonly Place[], { choice, offer }: OfferedBy): string {
  const choices = withChoices(places).map(
    ([after, words]) => `    ${quoted(after)}) ${choice(words)}; return ;;`,
  )
  const offers = places.map((place) => `    ${quoted(place.path)}) ${offer(place)} ;;`)
  return `  case "$next" in
${choices.join("\n")}
  esac
  case "$place" in
${offers.join("\n")}
  esac`
}

function bash(places: readonly Place[]): string {
  const here = cases(places, {
    choice: (words) => `COMPREPLY=($(compgen -W ${quoted(words.join(" "))} -- "$current"))`,
    offer: ({ commands, options }) => {
      const [names, flags] = [commands, options].map((all) => quoted(all.map(({ name }) => name).join(" ")))
      return `commands=${names}; options=${flags}`
    },
  })
  return `# Completion of curbline for bash. Put this into ~/.bashrc:
#   alias curbline='npx curbline'
#   source <(npx curbline completion bash)
_curbline() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place="" next="" commands="" options="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    next="\${place:+$place }\${COMP_WORDS[at]}"
    case "$next" in
      ${deeper(places)}) place="$next" ;;
    esac
  done
  next="\${place:+$place }\${COMP_WORDS[COMP_CWORD-1]}"
${here}
  if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  else COMPREPLY=($(compgen -W "$commands" -- "$current") $(compgen -f -- "$current")); fi
}
complete -o filenames -F _curbline curbline
`
}

function zsh(places: readonly Place[]): string {
  const described = (all: readonly Named[]): string =>
    all.map(({ name, says }) => quoted(`${name}:${says.replaceAll(":", "\\:")}`)).join(" ")
  const here = cases(places, {
    choice: (words) => `compadd -- ${words.map(quoted).join(" ")}`,
    offer: ({ commands, options }) => `commands=(${described(commands)}); options=(${described(options)})`,
  })
  return `#compdef curbline
# Completion of curbline for zsh. Put this into ~/.zshrc, behind compinit:
#   curbline() { npx curbline "$@" }
#   source <(npx curbline completion zsh)
_curbline() {
  local place="" next="" word
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${place:+$place }$word"
    case "$next" in
      ${deeper(places)}) place="$next" ;;
    esac
  done
  next="\${place:+$place }\${words[CURRENT-1]}"
${here}
  if [[ "$PREFIX" == -* ]]; then _describe -o option options
  else
    (( \${#commands} )) && _describe command commands
    _files
  fi
}
compdef _curbline curbline
`
}

function fish(places: readonly Place[]): string {
  const fishQuoted = (text: string): string =>
    `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`
  const lines = places.flatMap(({ path, commands, options }) => {
    const at = `complete -c curbline -n ${fishQuoted(`test (__curbline_place) = ${fishQuoted(path)}`)}`
    return [
      ...commands.map(({ name, says }) => `${at} -a ${fishQuoted(name)} -d ${fishQuoted(says)}`),
      ...options.map(({ name, says, choices, takesValue }) => {
        const values = choices === null ? "" : ` -f -a ${fishQuoted(choices.join(" "))}`
        return `${at} -l ${name.slice(2)}${takesValue ? " -r" : ""}${values} -d ${fishQuoted(says)}`
      }),
    ]
  })
  return `# Completion of curbline for fish. Put this into ~/.config/fish/config.fish:
#   function curbline; npx curbline $argv; end
#   npx curbline completion fish | source
function __curbline_place
    set -l place
    for word in (commandline -opc)[2..-1]
        set -l next (string join ' ' -- $place $word)
        if contains -- $next ${places.flatMap(({ path }) => (path === "" ? [] : [fishQuoted(path)])).join(" ")}
            set place $next
        end
    end
    echo "$place"
end
${lines.join("\n")}
`
}

const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish }
