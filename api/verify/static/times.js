// Moments, as they are written: microseconds since 1970 as ISO 8601, always with six decimals.

export function iso(at) {
  const micro = at % 1000;
  const moment = new Date((at - micro) / 1000).toISOString();
  return moment.replace('Z', `${String(micro).padStart(3, '0')}Z`);
}
