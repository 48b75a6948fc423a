// The error of a request that the server did not answer.

/**
 * The server gave no answer, or one that promises nothing (5xx, busy). `busy`: the server said when to retry.
 */
export class Unreached extends Error {
  constructor(path, busy = false) {
    super(path);
    this.busy = busy;
  }
}
