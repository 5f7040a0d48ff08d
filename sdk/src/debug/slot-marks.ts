import { button, h } from './elements.ts';
import { summaryOf } from './slot-report.ts';
import type { WatchedSlot } from './slot-watch.ts';

interface Mark {
  readonly frame: HTMLElement;
  readonly label: HTMLButtonElement;
}

/** A collapsed slot keeps a mark of this height. */
const MIN_HEIGHT_PX = 28;
const MIN_LABEL_PX = 96;

/**
 * A frame over each slot, with a button that opens its report. The frames take no pointer events,
 * and are moved by transforms, which browsers do not count as layout shifts.
 */
export const createSlotMarks = (
  host: HTMLElement,
  root: ShadowRoot,
  open: (container: HTMLElement, opener: HTMLElement) => void,
): { readonly draw: (slots: readonly WatchedSlot[]) => void } => {
  const marks = new Map<HTMLElement, Mark>();
  const layer = h('div', { class: 'marks' });
  root.prepend(layer);

  const markOf = (container: HTMLElement): Mark => {
    let mark = marks.get(container);
    if (!mark) {
      const label = button('', () => open(container, label), { 'aria-haspopup': 'dialog' });
      mark = { label, frame: h('div', { class: 'mark' }, label) };
      marks.set(container, mark);
      layer.append(mark.frame);
    }
    return mark;
  };

  return {
    draw: (slots) => {
      const present = new Set(slots.map(({ container }) => container));
      for (const [container, { frame }] of marks) {
        if (present.has(container)) continue;
        frame.remove();
        marks.delete(container);
      }
      const origin = host.getBoundingClientRect();
      for (const slot of slots) {
        const { frame, label } = markOf(slot.container);
        const { left, top, width, height } = slot.container.getBoundingClientRect();
        frame.hidden = slot.container.getClientRects().length === 0;
        frame.dataset['state'] = slot.error ? 'failed' : slot.state;
        frame.style.transform = `translate(${left - origin.left}px,${top - origin.top}px)`;
        frame.style.width = `${width}px`;
        frame.style.height = `${Math.max(MIN_HEIGHT_PX, height)}px`;
        label.style.maxWidth = `${Math.max(MIN_LABEL_PX, Math.min(width, document.documentElement.clientWidth - left))}px`;
        const text = `${slot.placementId || 'slot'} · ${summaryOf(slot)}`;
        if (label.textContent !== text) label.textContent = text;
      }
    },
  };
};
