// Shapes of parsed JSON, as functions: whether a value has the shape.

export const matching = (pattern) => (value) => typeof value === 'string' && pattern.test(value);
export const between = (lowest, highest) => (value) => typeof value === 'number' && lowest <= value
  && value <= highest;
// no lone surrogates
export const text = (value) => typeof value === 'string' && !/[\ud800-\udfff]/u.test(value);
export const orNull = (fits) => (value) => value === null || fits(value);
export const listOf = (fits) => (value) => Array.isArray(value) && value.every(fits);
export const mapOf = (fits) => (value) => value instanceof Map && [...value.values()].every(fits);
export const object = (shape) => (value) =>
  value instanceof Map && Object.entries(shape).every(([name, fits]) => fits(value.get(name) ?? null));

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
export const version = between(1, 2 ** 31 - 1);
export const amount = between(-MAX_INTEGER, MAX_INTEGER);
export const natural = between(0, MAX_INTEGER);
export const player = matching(/^p[1-9][0-9]{0,2}$/);
