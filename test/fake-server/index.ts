// What tests import to have a language server that does as it is told, in process or as a process of its own.
export { type FakeServerCommand, fakeServerCommand } from './command.js'
export { type FaultName, faultOn, faults } from './faults.js'
export { type FakeServer, fakeServer } from './in-process.js'
export { partialBeforeReady } from './readiness.js'
export { type Act, combine, type Rule, type Script } from './script.js'
