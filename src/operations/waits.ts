// What a call may be waiting for, in the words of the timeout that names it: "still waiting for ...".
export const waits = {
  start: 'the language server to start',
  turn: (server: string) => `its turn with ${server}`,
  news: (server: string) => `${server} to take in what changed`,
  index: (server: string) => `${server} to finish indexing`,
  report: (server: string) => `${server} to report what is wrong`,
  answer: (server: string) => `${server} to answer`,
} as const
