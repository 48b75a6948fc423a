// The service worker: stores each version of the form as a whole, so that it opens without a network and
// versions never mix. Answers of the API are not stored. The server writes VERSION and FILES above this text
// (api/web/pages.py).

const CACHE_NAME = `vola-${VERSION}`;
const SHARED_CACHE_NAME = 'shared-files'; // read and deleted by api/verify/static/page.js

self.addEventListener('install', (event) => event.waitUntil(cacheFiles()));

self.addEventListener('activate', (event) => event.waitUntil(
  deleteOldCaches().then(() => self.clients.claim()))); // so that the first visit works offline as well

// A new version waits until the page says that no entry is in progress.
self.addEventListener('message', (event) => { if (event.data === 'now') self.skipWaiting(); });

self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method === 'POST' && origin === self.location.origin && pathname === '/verify')
    event.respondWith(passOnSharedFiles(event.request));
  if (method !== 'GET' || origin !== self.location.origin) return;
  const page = mode === 'navigate' && pathname === '/';
  if (page || pathname.startsWith('/form/')) event.respondWith(fromCache(pathname, event.request));
});

/** Past the browser's own cache: all files of one version, or none. */
async function cacheFiles() {
  const cache = await caches.open(CACHE_NAME);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })));
  if (await isOfThisVersion(cache)) return;
  await caches.delete(CACHE_NAME);
  throw new Error('The server has another version of the form.'); // the browser tries again later
}

/**
 * Of several servers that are being replaced, one may still send the page and the files of its own version:
 * these are not to be kept (`asset` in api/web/pages.py).
 */
async function isOfThisVersion(cache) {
  const page = await cache.match('/');
  const files = await Promise.all(FILES.filter((file) => file !== '/').map((file) => cache.match(file)));
  return (await page.text()).includes(VERSION)
    && files.every(({ headers }) => headers.get('Cache-Control').includes('immutable'));
}

/** Keeps the version before: a tab that records a deal runs it until it is back on the front page. */
async function deleteOldCaches() {
  const names = await caches.keys(); // the newest last
  await Promise.all(names.filter((name) => name.startsWith('vola-') && name !== CACHE_NAME)
    .slice(0, -1).map((name) => caches.delete(name)));
}

/** A browser without the space, or with damaged storage, opens no cache. */
async function fromCache(pathname, request) {
  const cacheName = pathname === '/' ? CACHE_NAME : undefined; // other paths name their version
  const stored = await caches.match(pathname, { cacheName }).catch(() => null);
  return stored ?? fetch(request);
}

/** Stores the files that another app shares (`share_target` of the manifest), and opens the page that reads
 * them, also when they cannot be stored: there a file can be chosen by hand. The server takes no file. */
async function passOnSharedFiles(request) {
  await storeSharedFiles(request).catch(() => null);
  return Response.redirect('/verify', 303);
}

async function storeSharedFiles(request) {
  await caches.delete(SHARED_CACHE_NAME);
  const files = (await request.formData()).getAll('file').filter((file) => file instanceof File);
  const cache = await caches.open(SHARED_CACHE_NAME);
  await Promise.all(files.map((file, i) => cache.put(`/verify/${i}`,
    new Response(file, { headers: { 'X-File-Name': encodeURIComponent(file.name) } }))));
}
