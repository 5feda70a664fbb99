/** The queue of a finite population, M/M/c//N: machines and repairers, or customers and runners. */

const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1))

/**
 * The mean number of units that are out or asked for service, and of those that wait for the crew; `ratio` is the mean service over the
 * mean time to the next. Source: L. Kleinrock, Queueing Systems I (1975) §3.8.
 */
export function machineRepair({
  units,
  crew,
  ratio,
}: {
  readonly units: number
  readonly crew: number
  readonly ratio: number
}) {
  const weights = Array.from({ length: units + 1 }, (_, n) => {
    const ways = factorial(units) / factorial(units - n) / factorial(n)
    return ways * ratio ** n * (n <= crew ? 1 : factorial(n) / (factorial(crew) * crew ** (n - crew)))
  })
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const mean = (of: (n: number) => number): number =>
    weights.reduce((sum, weight, n) => sum + of(n) * weight, 0) / all
  return { out: mean((n) => n), waiting: mean((n) => Math.max(0, n - crew)) }
}
