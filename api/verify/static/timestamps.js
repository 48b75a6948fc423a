// Times: microseconds since 1970, written as ISO 8601, always with six decimals.

export function toIsoTime(micros) {
  const micro = micros % 1000;
  const moment = new Date((micros - micro) / 1000).toISOString();
  return moment.replace('Z', `${String(micro).padStart(3, '0')}Z`);
}
