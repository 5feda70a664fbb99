/**
 * Ends a command with the npm command that started it. npm passes a signal to its shell alone, so the shell ends and the command would
 * go on in the background.
 */

const LOOK_MS = 200

/** What npm has its shell run. */
const SCRIPT = "npm_lifecycle_script"
/** The script asks for a process that outlives the shell. `2>&1` does not. */
const DETACHED = /\b(?:nohup|setsid|daemonize|start-stop-daemon)\b|(?<![&>])&(?![&>])/

/** True when npm's own script names the program and keeps it in the foreground. A script of the user may leave it behind on purpose. */
export function endsWithShell(env: NodeJS.ProcessEnv): boolean {
  const script = env[SCRIPT] ?? ""
  return /\bcurbline\b/.test(script) && !DETACHED.test(script)
}

/** Calls `ended` once when the process that started this one is gone. It never keeps the process alive. */
export function watchShell(env: NodeJS.ProcessEnv, ended: () => void): void {
  if (!endsWithShell(env)) return
  const startedBy = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === startedBy) return
    clearInterval(timer)
    ended()
  }, LOOK_MS)
  timer.unref()
}
