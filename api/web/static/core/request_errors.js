// The errors of a request: the server refuses it, or does not answer it.

/** The server's refusal, with its sentence in the reader's language. */
export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail ?? body?.title ?? `HTTP ${status}`);
    this.status = status;
    this.code = body?.code ?? '';
    this.errors = body?.errors ?? [];
    this.body = body ?? {};
  }
}

/** Whether a module of the form could not be loaded. Each browser words this TypeError differently. */
export const isModuleMissing = (error) => error instanceof TypeError && /module/i.test(error.message);

/**
 * The server gave no answer, or one that promises nothing (5xx, busy). `busy`: it did answer, so there is a
 * connection.
 */
export class Unreached extends Error {
  constructor(path, busy = false) {
    super(path);
    this.busy = busy;
  }
}
