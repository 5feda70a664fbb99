/** `1 stall`, `3 stalls`; a plural that is not made with an s is given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
