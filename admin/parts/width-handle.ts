import { html, type TemplateResult } from 'lit-html';
import { t } from '../words/texts.ts';

export const MIN_COLUMN_WIDTH = 48;
const MAX_COLUMN_WIDTH = 800;
/** Of one press of an arrow key. */
const STEP = 16;

export interface WidthHandleOptions {
  /** Of the column. */
  readonly label: string;
  readonly width: number;
  /** undefined: as usual. */
  readonly resize: (width: number | undefined) => void;
}

/** The right edge of the head of a column: dragged, or moved by arrow keys; a double click takes the width back. */
export const widthHandle = ({ label, width, resize }: WidthHandleOptions): TemplateResult => {
  const set = (to: number): void => resize(Math.round(Math.max(MIN_COLUMN_WIDTH, Math.min(MAX_COLUMN_WIDTH, to))));
  const drag = (down: PointerEvent): void => {
    down.preventDefault();
    const handle = down.currentTarget as HTMLElement;
    handle.setPointerCapture(down.pointerId);
    const move = (event: PointerEvent): void => set(width + event.clientX - down.clientX);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), { once: true });
  };
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(width + by);
  };
  return html`<span
    class="width-handle"
    role="separator"
    aria-orientation="vertical"
    aria-label=${t`Width of ${label}`}
    aria-valuenow=${Math.round(width)}
    aria-valuemin=${MIN_COLUMN_WIDTH}
    aria-valuemax=${MAX_COLUMN_WIDTH}
    tabindex="0"
    @pointerdown=${drag}
    @keydown=${press}
    @dblclick=${() => resize(undefined)}
  ></span>`;
};
