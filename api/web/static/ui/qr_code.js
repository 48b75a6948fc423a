// A QR code drawn by the server, as a picture on white: cameras need that in the dark scheme as well.

import { h } from './elements.js';

export const qrCode = (code, alt) => h('img', {
  class: 'qr', width: 232, height: 232, alt,
  src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standaloneSvg(code))}`,
});

// An <svg> written for a page lacks the namespace that an image needs.
const standaloneSvg = (code) => (code.includes('xmlns') ? code
  : code.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"'));
