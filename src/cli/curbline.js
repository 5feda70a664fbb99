#!/usr/bin/env node
// The command's first file is plain JavaScript, so that a Node version that is too old can still run it and print the
// reason.
import { accessSync, constants } from "node:fs"

const major = Number(process.versions.node.split(".")[0])
if (major < 24) {
  process.stderr.write(
    `curbline needs Node 24, this is ${process.version}. Run it as "npx curbline" after "npm ci": ` +
      `the project brings its own Node.\n`,
  )
  process.exit(2)
}
// The C library has a memory pool for each thread and returns little of it. It reads the number of pools once, when a
// process starts, so the service replaces itself by the same program under the same process id (src/DECISIONS.md §154).
if (process.argv[2] === "serve" && mayReplaceItself(process)) {
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  try {
    accessSync(process.execPath, constants.X_OK)
    process.execve(process.execPath, again, { ...process.env, MALLOC_ARENA_MAX: "2" })
  } catch {
    // Node's permission model forbids it, or the program file is gone: the service runs with more pools.
  }
}
await import("../loading.js")
const { main } = await import("./main.ts")
process.exitCode = await main(process.argv.slice(2))

/** A channel to a parent process would be lost, and a number that the user has set is kept. */
function mayReplaceItself({ platform, channel, env }) {
  const hasNumber = "MALLOC_ARENA_MAX" in env || (env.GLIBC_TUNABLES ?? "").includes("glibc.malloc.arena_max")
  return platform === "linux" && channel === undefined && !hasNumber
}
