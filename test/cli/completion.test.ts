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
