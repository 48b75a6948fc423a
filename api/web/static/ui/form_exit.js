// The way out of a form that has been sent. The screen that the form was opened from must not be in the
// history twice, or a step back would show nothing new.

/** Returns to the screen at `href` if the form was opened from it; else opens it in the form's place. */
export function leaveForm(href) {
  const { navigation } = window; // not every browser has it
  const previous = navigation?.entries()[navigation.currentEntry.index - 1];
  if (previous && new URL(previous.url).hash === href) history.back();
  else location.replace(href);
}
