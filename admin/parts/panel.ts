/** Closes an open `<details>` that is a panel, and gives its summary the focus. */
export const closeOnEscape = (event: KeyboardEvent): void => {
  const details = event.currentTarget as HTMLDetailsElement;
  // A combobox with an open list closes that first.
  if (event.key !== 'Escape' || event.defaultPrevented || !details.open) return;
  details.open = false;
  details.querySelector('summary')?.focus();
};

/** Closes a panel of actions when one of them is chosen. */
export const closeOnChoice = (event: MouseEvent): void => {
  const details = event.currentTarget as HTMLDetailsElement;
  if (event.target instanceof Element && event.target.closest('button, a')) details.open = false;
};

/** Closes a panel when the focus goes elsewhere. */
export const closeOnLeave = (event: FocusEvent): void => {
  const details = event.currentTarget as HTMLDetailsElement;
  if (event.relatedTarget instanceof Node && !details.contains(event.relatedTarget)) details.open = false;
};

/** Closes the open panels that a click is outside of. */
export const closeOnClickOutside = (event: MouseEvent): void => {
  for (const details of document.querySelectorAll<HTMLDetailsElement>('details.panel[open]'))
    if (event.target instanceof Node && !details.contains(event.target)) details.open = false;
};
