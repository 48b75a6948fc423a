// Files that another app shared with this one: the service worker (api/web/static/sw.js) stores them here
// before it opens the page. They are read once.

const CACHE_NAME = 'shared-files';

export async function takeSharedFiles() {
  if (!('caches' in window) || !await caches.has(CACHE_NAME)) return []; // plain http has no caches
  const cache = await caches.open(CACHE_NAME);
  const responses = await Promise.all((await cache.keys()).map((request) => cache.match(request)));
  await caches.delete(CACHE_NAME);
  return Promise.all(responses.map(async (response) =>
    new File([await response.blob()], decodeURIComponent(response.headers.get('X-File-Name')))));
}
