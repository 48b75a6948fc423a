// No answer came from the server: it is out of reach, or it has no time now.

/** No answer, or one that promises nothing (5xx, "busy"): may be sent again. `busy`: the server said when. */
export class Unreached extends Error {
  constructor(path, busy = false) {
    super(path);
    this.busy = busy;
  }
}
