/** Runs test files with the change on or off, and returns those that failed; files after the first failure may not have run. */
export type Failing = (files: readonly string[], isOn: boolean) => Promise<readonly string[]>

/** The files that find a change: they fail with it, pass without it, and fail with it again. None: it survived. */
export async function findersIn(files: readonly string[], failing: Failing): Promise<readonly string[]> {
  let left = files
  while (left.length > 0) {
    const red = await failing(left, true)
    if (red.length === 0) return []
    const unsound = await failing(red, false)
    const sound = red.filter((file) => !unsound.includes(file))
    const finders = sound.length === 0 ? [] : await failing(sound, true)
    if (finders.length > 0) return finders
    left = left.filter((file) => !red.includes(file))
  }
  return []
}
