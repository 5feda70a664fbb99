#!/usr/bin/env node
// The command's first file is plain JavaScript, so that a Node too old for the rest still reads it and can say so.
const major = Number(process.versions.node.split(".")[0])
if (major < 24) {
  process.stderr.write(
    `curbline needs Node 24, this is ${process.version}. Run it as "npx curbline" after "npm ci": ` +
      `the project brings its own Node.\n`,
  )
  process.exit(2)
}
const { enableCompileCache } = await import("node:module")
enableCompileCache()
const { main } = await import("./main.ts")
process.exitCode = await main(process.argv.slice(2))
