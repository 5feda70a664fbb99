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
// The C library has a memory pool for each thread and returns little of it, and Node's heap for new objects is small for a
// server. Both are read once, when a process starts, so the service replaces itself by the same program under the same
// process id (src/DECISIONS.md §154).
if (process.argv[2] === "serve") await replaceItself(process)
await import("../engine/threads/loading.js")
const { main } = await import("./main.ts")
process.exitCode = await main(process.argv.slice(2))

/** Values that the user has set are kept. A channel to a parent process would be lost. */
async function replaceItself({ platform, channel, env, execArgv }) {
  if (platform !== "linux" || channel !== undefined) return
  const { MEMORY_POOLS, YOUNG_HEAP } = await import("./kit/memory-settings.ts")
  const hasPools = "MALLOC_ARENA_MAX" in env || (env.GLIBC_TUNABLES ?? "").includes("glibc.malloc.arena_max")
  const hasYoungHeap = [...execArgv, env.NODE_OPTIONS ?? ""].some((text) =>
    /--max[-_]semi[-_]space[-_]size/.test(text),
  )
  if (hasPools && hasYoungHeap) return
  const flags = hasYoungHeap ? execArgv : [...execArgv, YOUNG_HEAP]
  try {
    accessSync(process.execPath, constants.X_OK)
    process.execve(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], {
      ...env,
      ...(hasPools ? {} : MEMORY_POOLS),
    })
  } catch {
    // Node's permission model forbids it, or the program file is gone: the service runs with the defaults.
  }
}
