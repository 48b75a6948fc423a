// The way out of a form that has been sent. The screen that the form was opened from must not be in the
// history twice, or a step back would show nothing new.

/** Returns to the screen at `href` if the form was opened from it; else opens it in the form's place. */
export function leaveForm(href) {
  if (history.state?.openedFrom === href) history.back();
  else location.replace(href);
}
