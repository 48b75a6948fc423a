// The content of a file that is chosen on the phone, for a request.

/** Resolves to the bytes of a file in base64. */
export const encodeBase64 = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});
