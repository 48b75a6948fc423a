// The way from one evening to another that goes on with the same money, as far as this phone knows it.

import { h } from '../../ui/elements.js';
import { circleOf, evenings } from '../../core/device_storage.js';
import { get } from '../../core/api_client.js';
import { at, into, told } from './group_client.js';

/** A link from the evening `here` to `there`; null where neither that evening nor their circle is known. */
export function across(here, there, { key, words }) {
  const known = evenings().some(({ id }) => id === there);
  const circle = circleOf(here);
  if (!known && !circle) return null;
  return h('a', { class: 'link', href: `#/s/${there}`, 'data-key': key, onclick: known ? null : letIn(circle, there) }, words);
}

/** Where this phone has not been before, the circle says by which right it goes in. */
const letIn = (circle, there) => async (event) => {
  event.preventDefault();
  try {
    const { evenings: theirs } = await get(at(circle.id));
    await into(theirs.find(({ session }) => session === there))(event);
  } catch (trouble) {
    told(trouble);
  }
};
