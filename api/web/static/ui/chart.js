// Where a picture puts a sum: the lines across it stand at round numbers, and zero is always one of them.

const STEPS = [1, 2, 5, 10];
const MOST = 5; // lines across

/** `places(sum)` is 0 at the top and 1 at the bottom; `marks` are the sums of the lines across, in whole `unit`s. */
export function scale(sums, unit) {
  const low = Math.min(0, ...sums);
  const high = Math.max(0, ...sums);
  const span = high - low || unit;
  const step = roundUp(span / MOST / unit) * unit;
  const bottom = Math.floor(low / step) * step;
  const top = Math.max(bottom + step, Math.ceil(high / step) * step);
  const marks = [];
  for (let sum = bottom; sum <= top; sum += step) marks.push(sum);
  return { marks, place: (sum) => (top - sum) / (top - bottom) };
}

function roundUp(least) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return STEPS.find((step) => step * ten >= least) * ten;
}

/** Labels at these heights, none nearer another than `apart`, none outside 0–1, in the order of the heights. */
export function spread(heights, apart) {
  const order = heights.map((height, index) => ({ height, index })).sort((one, other) => one.height - other.height);
  const found = [];
  let floor = apart / 2;
  for (const one of order) {
    one.height = Math.max(one.height, floor);
    floor = one.height + apart;
  }
  let ceiling = 1 - apart / 2;
  for (const one of order.toReversed()) {
    one.height = Math.min(one.height, ceiling);
    ceiling = one.height - apart;
    found[one.index] = one.height;
  }
  return found;
}
