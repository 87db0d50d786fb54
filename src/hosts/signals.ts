// Two paths for what servers say by themselves: hooks observe and decide nothing; a signal that
// somebody routed may direct the agent's next action, and one that nobody routed changes nothing.

export type SignalKind =
  | 'lsp_diagnostics_changed'
  | 'lsp_server_crashed'
  | 'lsp_server_ready'
  | 'lsp_show_message'
  | 'lsp_log_message'

/** What a hook is told, in words. */
export interface Notification {
  /** `diagnostics`, `crash`, `ready`, or the level of a server's message. */
  readonly level: string
  readonly message: string
}

/** The same as an event with its data, which are plain JSON. */
export interface TaskEvent {
  readonly kind: SignalKind
  readonly payload: Readonly<Record<string, unknown>>
}

export type NotificationHook = (notification: Notification) => unknown
export type TaskListener = (event: TaskEvent) => unknown

/** What the agent is to do next: call a tool, or take note of something. */
export type Directive =
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly note: string }

export type Route = (event: TaskEvent) => Directive | undefined

export class Signals {
  readonly #hooks = new Set<NotificationHook>()
  readonly #listeners = new Set<TaskListener>()
  readonly #routes = new Map<SignalKind, Set<Route>>()
  readonly #directives: Directive[] = []

  onNotification(hook: NotificationHook): () => void {
    this.#hooks.add(hook)
    return () => this.#hooks.delete(hook)
  }

  onTask(listener: TaskListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  route(kind: SignalKind, route: Route): () => void {
    const routes = this.#routes.get(kind) ?? new Set()
    this.#routes.set(kind, routes)
    routes.add(route)
    return () => routes.delete(route)
  }

  send(notification: Notification, event: TaskEvent): void {
    // Whatever a hook returns or throws is its own affair.
    for (const hook of this.#hooks) harmlessly(() => hook(notification))
    for (const listener of this.#listeners) harmlessly(() => listener(event))
    for (const route of this.#routes.get(event.kind) ?? []) {
      const directive = harmlessly(() => route(event))
      if (directive !== undefined) this.#directives.push(directive)
    }
  }

  /** What routed signals want done next; each is handed out once, oldest first. */
  takeDirectives(): Directive[] {
    return this.#directives.splice(0)
  }
}

function harmlessly<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
