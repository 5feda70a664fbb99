/** `1 stall`, `3 stalls`; pass the plural if it is not made with an s. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
