// The form on the phone itself: kept whole, each version by itself, so that it opens without a network
// and no two versions ever mix. Answers about evenings are never kept here: they are not for everybody.
// VERSION and FILES are written above by the server (api/web/pwa.py).

const CACHE_NAME = `vola-${VERSION}`;

self.addEventListener('install', (event) => event.waitUntil(cacheFiles()));

self.addEventListener('activate', (event) => event.waitUntil(
  deleteOtherCaches().then(() => self.clients.claim()))); // the first visit, too, goes on without a network

// A new version waits until the page says that nobody is in the middle of anything.
self.addEventListener('message', (event) => { if (event.data === 'now') self.skipWaiting(); });

self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== self.location.origin) return;
  const page = mode === 'navigate' && pathname === '/';
  if (page || FILES.includes(pathname) && pathname !== '/')
    event.respondWith(fromCache(pathname, event.request));
});

/** Past what the browser itself may have kept: everything of one version, or nothing. */
async function cacheFiles() {
  const cache = await caches.open(CACHE_NAME);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })));
}

async function deleteOtherCaches() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith('vola-')
    && name !== CACHE_NAME).map((name) => caches.delete(name)));
}

async function fromCache(pathname, request) {
  const cache = await caches.open(CACHE_NAME);
  return await cache.match(pathname) ?? fetch(request);
}
