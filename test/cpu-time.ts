// The processor time a piece of work takes, for tests that hold it to be linear: on a busy machine the time on the clock
// says more about the neighbours.

/** Begins to count; the function returned says how many milliseconds of this process have gone into computing since. */
export function countCpuTime(): () => number {
  const began = process.cpuUsage()
  return () => process.cpuUsage(began).user / 1000
}
