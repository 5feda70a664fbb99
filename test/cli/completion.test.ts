/** Completion in shells: in bash, and in zsh and fish where the machine has them. */

import { spawnSync } from "node:child_process"
import { beforeAll, describe, expect, test } from "vitest"
import { fileWith } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

/** Some of each kind: a command, one below another, a management command, options and the values of one. */
const KNOWN = ["run", "fleet", "forecast", "sites", "completion", "check-determinism", "recording", "junit"]

describe("curbline completion", () => {
  test.each(["bash", "zsh", "fish"])("%s gets every command and option", async (shell) => {
    const { status, out, err } = await curblineHere("completion", shell)
    expect({ status, err }).toEqual({ status: 0, err: "" })
    for (const word of KNOWN) expect(out).toContain(word)
    const { out: help } = await curblineHere("--help")
    for (const [, name = ""] of help.matchAll(/^ {2}([a-z][a-z-]*) /gm)) expect(out).toContain(name)
  })

  test("another shell ends with 2 and the possible ones", async () => {
    const { status, err } = await curblineHere("completion", "tcsh")
    expect(status).toBe(2)
    expect(err).toContain("Allowed choices are bash, zsh, fish.")
  })
})

describe("in bash", () => {
  let script = ""
  beforeAll(async () => {
    script = fileWith("completion.bash", (await curblineHere("completion", "bash")).out)
  })

  /** What bash offers when the last word is completed, without names of files. */
  function offered(...words: readonly string[]): readonly string[] {
    const list = ["curbline", ...words].map((word) => `'${word}'`).join(" ")
    const commands = `source '${script}'; cd "$(mktemp -d)"
COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _curbline; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-c", commands], { encoding: "utf8" })
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    return stdout.split("\n").filter((line) => line !== "")
  }

  test("commands are completed, also those below others and those that manage a service", () => {
    expect(offered("wor")).toEqual(["words"])
    expect(offered("fleet", "fo")).toEqual(["forecast"])
    expect(offered("sites", "cre")).toEqual(["create"])
  })

  test("options are those of the command before them", () => {
    expect(offered("run", "scenarios", "--jun")).toEqual(["--junit"])
    expect(offered("check", "--jun")).toEqual([])
    expect(offered("fleet", "forecast", "--rep")).toEqual(["--replications"])
  })

  test("an option that takes one of some words offers them", () => {
    expect(offered("run", "--recording", "")).toEqual(["full", "states"])
    expect(offered("completion", "")).toEqual(["bash", "zsh", "fish"])
  })
})

/** What is offered behind each line, without names of files; the same in every shell. */
const OFFERED: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["wor", ["words"]],
  ["fleet fo", ["forecast"]],
  ["sites cre", ["create"]],
  ["run scenarios --jun", ["--junit"]],
  ["check --jun", []],
  ["fleet forecast --rep", ["--replications"]],
  ["run --recording ", ["full", "states"]],
]

/** Stands for zsh's own completion, which needs a terminal: prints what would be offered. */
const ZSH_OFFERS = `compdef() { : }
_files() { : }
_describe() { local name="\${@[-1]}"; local -a all; all=("\${(@P)name}"); print -l -- "\${all[@]%%:*}" }
compadd() { shift; print -l -- "$@" }
`

const OTHER_SHELLS = {
  zsh: (script: string, line: string) => {
    const words = ["curbline", ...line.split(" ")]
    const named = words.map((word) => `'${word}'`).join(" ")
    const prefix = words.at(-1) ?? ""
    const begins = `[[ "$one" == '${prefix}'* ]] && print -r -- "$one"`
    const set = `words=(${named}); CURRENT=${words.length}; PREFIX='${prefix}'`
    return [
      "-f",
      "-c",
      `${ZSH_OFFERS}source '${script}'; ${set}; _curbline | while read -r one; do ${begins}; done; true`,
    ]
  },
  fish: (script: string, line: string) => [
    "--no-config",
    "-c",
    `source '${script}'; cd (mktemp -d); complete -C 'curbline ${line}' | string replace -r '\\t.*' ''; true`,
  ],
}

const THERE = (["zsh", "fish"] as const).filter((shell) => spawnSync(shell, ["-c", "true"]).status === 0)

describe.each(THERE)("in %s", (shell) => {
  let script = ""
  beforeAll(async () => {
    script = fileWith(`completion.${shell}`, (await curblineHere("completion", shell)).out)
  })

  test("the script has no mistake", () => {
    const { status, stderr } = spawnSync(shell, ["-n", script], { encoding: "utf8" })
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  })

  test.each(OFFERED)("%s", (line, offered) => {
    const { stdout, stderr } = spawnSync(shell, OTHER_SHELLS[shell](script, line), { encoding: "utf8" })
    expect({ offered: stdout.split("\n").filter((word) => word !== ""), stderr }).toEqual({
      offered,
      stderr: "",
    })
  })
})
