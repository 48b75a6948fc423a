"""Scripts for a browser whose storage does not answer, is forbidden or is full."""

SILENT = """{
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (...names) {
    let opened = null;
    const request = { get result() { return opened.result; } };
    window.answer = () => {
      opened = open.apply(this, names);
      for (const name of ['onupgradeneeded', 'onsuccess', 'onerror'])
        opened[name] = (event) => request[name](event);
    };
    return request;
  };
}"""
"""A script with which the browser opens no database before `answer()`."""
BLOCKED = "IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError'); }"
FULL = "IDBObjectStore.prototype.put = function () { this.transaction.abort(); }"
FULL_FOR_DRAFTS = """{
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = function (name, value) {
    if (/^vola\\.(older-)?(draft|half)\\./.test(name))
      throw new DOMException('', 'QuotaExceededError');
    setItem.call(this, name, value);
  };
}"""
DRAFTS = """() => Object.entries(localStorage).filter(([name]) => name.includes('draft'))
  .map(([, draft]) => String(JSON.parse(draft).number))"""
"""A script that lists the numbers of the deals that have a draft."""
WARNING = "Telefonens lagring går inte att nå"
